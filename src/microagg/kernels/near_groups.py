"""The nearest other group of every record, kept exact while groups change.

A record that has looked knows that no other group is nearer than some distance, and watches that
ball. Groups that change are news. A record that is asked compares the news with what it knows; when
that has become more work than to find those in whose balls the news are, these are told. A
record whose nearest group has changed looks again, but only when it is asked.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.groups import gap, nearest_groups
from microagg.kernels.jit import kernel
from microagg.kernels.scan import FARTHER_THAN_ALL, tile_distances
from microagg.kernels.tree import BLOCK, LEAF
from microagg.kernels.watch import Watch, new_watch, set_ball, watchers

ROUNDING = 1 + 1e-9
"""More than rounding can do to a limit for `seek`."""

MOST_NEWS = 2048
"""Then all are told."""

TOLD_AT_ONCE = 32
"""So many groups are told together."""

SHARE = 6
"""To tell all records of a group takes as long as to compare it with one in so many of them."""


class NearGroups(NamedTuple):
    """Nearest other group of each record, by its mean; ties to the lowest group.

    Attributes
    ----------
    near : int64[n]
        The group; -1 where it has to be sought.
    gaps : float64[n]
        No other group is nearer than this squared distance; below 0 where none was sought.
    seen : int64[n]
        The version of the group that was found.
    versions : int64[g]
        How often each group has changed.
    settled : bool[g]
        Groups that were not worth to be given up, and about which no record was told since.
    watch : Watch
        The balls of `gaps` around the records.
    news : int64[MOST_NEWS], news_means : float64[d, MOST_NEWS]
        Groups that have changed, the oldest first, and their means then.
    place : int64[g]
        Where the last news of each group stands; -1 where there are none or it is gone.
    heard : int64[n]
        How many of the news each record knows.
    counts : int64[2]
        How many news there are, and how many comparisons were made since all were told.
    """

    near: np.ndarray
    gaps: np.ndarray
    seen: np.ndarray
    versions: np.ndarray
    settled: np.ndarray
    watch: Watch
    news: np.ndarray
    news_means: np.ndarray
    place: np.ndarray
    heard: np.ndarray
    counts: np.ndarray


@kernel
def new_near_groups(groups):
    """Return the nearest groups of all records, each still to be sought."""
    (n, d), n_groups = groups.points.shape, groups.sizes.size
    return NearGroups(
        np.full(n, -1, dtype=np.int64),
        np.full(n, -1.0),
        np.zeros(n, dtype=np.int64),
        np.zeros(n_groups, dtype=np.int64),
        np.zeros(n_groups, dtype=np.bool_),
        new_watch(groups.points),
        np.empty(MOST_NEWS, dtype=np.int64),
        np.empty((d, MOST_NEWS)),
        np.full(n_groups, -1, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@kernel
def seek(cache, groups, row, limit):
    """Nearest other group of a record; -1 when none is nearer than `limit`. IN/OUT: cache.

    Its squared distance, then in cache.gaps[row], may be beyond the limit if it is known anyway.
    """
    hear(cache, groups, row)
    group = cache.near[row]
    if group >= 0 and group != groups.labels[row] and cache.seen[row] == cache.versions[group]:
        return group
    if cache.gaps[row] >= limit:
        cache.near[row] = -1
        return np.int64(-1)
    near, gaps = cache.near[row : row + 1], cache.gaps[row : row + 1]
    nearest_groups(groups, row, min(limit, likely_gap(cache, groups, row)), gaps, near)
    set_ball(cache.watch, row, cache.gaps[row])
    if cache.near[row] >= 0:
        cache.seen[row] = cache.versions[cache.near[row]]
    return cache.near[row]


@kernel
def likely_gap(cache, groups, row):
    """Distance of a group that is likely near: the last one found for the record or one beside it."""
    own = groups.labels[row]
    likely = cache.near[row] if cache.near[row] >= 0 else cache.near[groups.first[own]]
    if likely < 0 or likely == own or groups.sizes[likely] == 0:
        return FARTHER_THAN_ALL
    return gap(groups.points, row, groups.means, likely)


@kernel
def is_settled(cache, groups, group):
    """Tell whether nothing has changed for a group since it was not worth to be given up.

    Neither it nor the groups that its records have found, and none has come nearer. IN/OUT: cache.
    """
    row = groups.first[group]
    while cache.settled[group] and row >= 0:
        hear(cache, groups, row)
        near = cache.near[row]
        if near >= 0 and cache.seen[row] != cache.versions[near]:
            cache.settled[group] = False
        row = groups.following[row]
    return cache.settled[group]


@kernel
def has_changed(cache, groups, group):
    """Note that a group has other members or is gone. IN/OUT: cache."""
    cache.versions[group] += 1
    cache.settled[group] = False
    cache.place[group] = -1
    if groups.sizes[group] == 0:
        return
    if cache.counts[0] == MOST_NEWS:
        tell_all(cache, groups)
    at = cache.counts[0]
    cache.news[at], cache.place[group] = group, at
    for j in range(groups.means.shape[1]):
        cache.news_means[j, at] = groups.means[group, j]
    cache.counts[0] += 1


@kernel
def hear(cache, groups, row):
    """Let a record compare the news with what it knows, if it has looked. IN/OUT: cache."""
    start, stop = cache.heard[row], cache.counts[0]
    cache.heard[row] = stop
    if start == stop or cache.gaps[row] < 0.0:
        return
    distances = np.empty(stop - start)
    tile_distances(cache.news_means, start, stop, groups.points[row], distances)
    nearer = 0
    for i in range(stop - start):
        nearer += distances[i] <= cache.gaps[row]
    if nearer > 0:
        for i in range(stop - start):
            group = cache.news[start + i]
            if distances[i] <= cache.gaps[row] and cache.place[group] == start + i:
                come_nearer(cache, groups, row, group, distances[i])
    cache.counts[1] += stop - start
    if cache.counts[1] > stop * (cache.near.size // SHARE):
        tell_all(cache, groups)


@kernel
def tell_all(cache, groups):
    """Tell the news to all who watch them; then there are none. IN/OUT: cache."""
    pairs = np.empty((2, TOLD_AT_ONCE * BLOCK * LEAF), dtype=np.int64)
    rows, which = pairs[0], pairs[1]
    news = cache.news[: cache.counts[0]]
    latest = news[cache.place[news] == np.arange(news.size)]
    for start in range(0, latest.size, TOLD_AT_ONCE):
        told = latest[start : start + TOLD_AT_ONCE]
        means = groups.means[told]
        for block in range(cache.watch.tree.sizes[1]):
            for i in range(watchers(cache.watch, block, means, rows, which)):
                group = told[which[i]]
                distance = gap(groups.points, rows[i], groups.means, group)
                if distance <= cache.gaps[rows[i]]:
                    come_nearer(cache, groups, rows[i], group, distance)
    cache.place[news] = -1
    cache.heard[:] = 0
    cache.counts[:] = 0


@kernel
def come_nearer(cache, groups, row, group, distance):
    """Make a group the nearest of a record; on a tie the record has to look. IN/OUT: cache."""
    if groups.labels[row] == group:
        return
    if distance < cache.gaps[row]:
        cache.near[row], cache.gaps[row] = group, distance
        cache.seen[row] = cache.versions[group]
    elif group != cache.near[row]:
        cache.near[row], cache.gaps[row] = -1, -1.0
    cache.settled[groups.labels[row]] = False
    set_ball(cache.watch, row, cache.gaps[row])
