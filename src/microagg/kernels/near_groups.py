"""The nearest other group of every record, kept exact while groups change.

A record that has looked knows that no other group is nearer than some distance, and watches that
ball. Groups that change are news. Where few records are asked, each compares the news with what it
knows, or looks again when there are too many of them. Before all are asked, those in whose balls the
news are get told. A record whose nearest group has changed looks again, but only when it is asked.
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

TOLD_AT_ONCE = 32
"""So many groups are told together."""

SHARE = 6
"""To look again takes as long as to compare one in so many groups."""


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
    news : int64[g], news_means : float64[d, g]
        Groups that have changed, the oldest first, and their means then.
    place : int64[g]
        Where the last news of each group stands; -1 where there are none or it is gone.
    heard : int64[n]
        How many of the news each record knows.
    n_news : int64[1]
        How many news there are.
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
    n_news: np.ndarray


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
        np.empty(n_groups, dtype=np.int64),
        np.empty((d, n_groups)),
        np.full(n_groups, -1, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def seek(cache, groups, row, limit):
    """Nearest other group of a record; -1 when none is nearer than `limit`. IN/OUT: cache.

    Its squared distance, then in cache.gaps[row], may be beyond the limit if it is known anyway.
    """
    if limit <= 0.0:
        return np.int64(-1)
    if cache.gaps[row] >= 0.0 and cache.heard[row] < cache.n_news[0]:
        hear(cache, groups, row)
    cache.heard[row] = cache.n_news[0]
    if is_known(cache, groups, row):
        return cache.near[row]
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
def is_known(cache, groups, row):
    """Tell whether the group that a record has found is its nearest still, if it knows the news."""
    group = cache.near[row]
    if group < 0 or group == groups.labels[row] or cache.gaps[row] < 0.0:
        return False
    return cache.seen[row] == cache.versions[group]


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
    if cache.settled[group] and cache.n_news[0] > 0:
        tell_all(cache, groups)  # who asks this asks about every group
    settled, row = cache.settled[group], groups.first[group]
    while settled and row >= 0:
        near = cache.near[row]
        settled = near < 0 or cache.seen[row] == cache.versions[near]
        row = groups.following[row]
    return settled


@kernel
def has_changed(cache, groups, group):
    """Note that a group has other members or is gone. IN/OUT: cache."""
    cache.versions[group] += 1
    cache.settled[group] = False
    cache.place[group] = -1
    if groups.sizes[group] == 0:
        return
    if cache.n_news[0] == cache.news.size:
        tell_all(cache, groups)
    at = cache.n_news[0]
    cache.news[at], cache.place[group] = group, at
    for j in range(groups.means.shape[1]):
        cache.news_means[j, at] = groups.means[group, j]
    cache.n_news[0] += 1


@kernel
def hear(cache, groups, row):
    """Let a record that has looked compare the news with what it knows. IN/OUT: cache."""
    start, stop = cache.heard[row], cache.n_news[0]
    cache.heard[row] = stop
    if stop - start > cache.news.size // SHARE:
        cache.gaps[row], cache.settled[groups.labels[row]] = -1.0, False
        return
    distances = np.empty(stop - start)
    tile_distances(cache.news_means, start, stop, groups.points[row], distances)
    for i in range(stop - start):
        group = cache.news[start + i]
        if distances[i] <= cache.gaps[row] and cache.place[group] == start + i:
            come_nearer(cache, groups, row, group, distances[i])


@kernel
def tell_all(cache, groups):
    """Tell the news to all who watch them; then there are none. IN/OUT: cache."""
    pairs = np.empty((2, TOLD_AT_ONCE * BLOCK * LEAF), dtype=np.int64)
    rows, which = pairs[0], pairs[1]
    news = cache.news[: cache.n_news[0]]
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
    cache.n_news[:] = 0


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
