"""The nearest other group of every record, kept exact while groups change.

A search gives each record a distance below which there is no other group. Groups that change later are
listed as news. Before a group is examined, its records are compared with the news since their last
comparison, but only with those that may be as near as that distance. A ball around the mean of the group
that contains the balls of all its records excludes most news at once. A record whose nearest group has
changed is searched for again only if its distance does not suffice.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.refine.groups import gap, nearest_groups
from microagg.kernels.space.lanes import first_bit, near_leaf
from microagg.kernels.space.leaves import LEAF
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.screen import highest
from microagg.kernels.space.tree import BORDER, placed

NONE, ONE = np.uint64(0), np.uint64(1)

ROUNDING = 1 + 1e-9
"""More than rounding can do to a limit for `seek`."""

OPEN, WHILE_NEAR, ANYHOW = np.int8(0), np.int8(1), np.int8(2)
"""What is known of a group: nothing, something that holds while the groups that its records have found
stay as they are, or something that holds as long as none comes nearer than they know."""


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
    kept, steady : int8[g]
        Whether a group is known not to be worth to be given up, or to be shrunk: `OPEN`, `WHILE_NEAR`
        or `ANYHOW`.
    news : int64[g], news_means : float32[tiles, d, LEAF]
        Groups that have changed, the oldest first, and their means then, as in the groups' tree.
    place : int64[g]
        Where the last news of each group stands; -1 where there are none or it is gone.
    heard : int64[n]
        How many of the news each record knows.
    n_news : int64[1]
        How many news there are.
    reaches : float64[g]
        News farther from the mean of a group than this do not matter to its records; below 0 where
        that is not known.
    near_means : as news_means, frame : float32[d], room : float32[LEAF], bits : uint64[tiles],
    candidates : int64[2 g + 2]
        Room to compare news.
    """

    near: np.ndarray
    gaps: np.ndarray
    seen: np.ndarray
    versions: np.ndarray
    kept: np.ndarray
    steady: np.ndarray
    news: np.ndarray
    news_means: np.ndarray
    place: np.ndarray
    heard: np.ndarray
    n_news: np.ndarray
    reaches: np.ndarray
    near_means: np.ndarray
    frame: np.ndarray
    room: np.ndarray
    bits: np.ndarray
    candidates: np.ndarray


@kernel
def new_near_groups(groups):
    """Return the nearest groups of all records, each still to be sought."""
    (n, d), n_groups = groups.points.shape, groups.sizes.size
    return NearGroups(
        np.full(n, -1, dtype=np.int64),
        np.full(n, -1.0),
        np.zeros(n, dtype=np.int64),
        np.zeros(n_groups, dtype=np.int64),
        np.full(n_groups, OPEN),
        np.full(n_groups, OPEN),
        np.empty(n_groups, dtype=np.int64),
        np.zeros((n_groups // LEAF + 1, d, LEAF), dtype=np.float32),
        np.full(n_groups, -1, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.full(n_groups, -1.0),
        np.zeros((n_groups // LEAF + 1, d, LEAF), dtype=np.float32),
        np.empty(d, dtype=np.float32),
        np.empty(LEAF, dtype=np.float32),
        np.empty(n_groups // LEAF + 1, dtype=np.uint64),
        np.empty(2 * n_groups + 2, dtype=np.int64),
    )


@borrowing
def seek(cache, groups, row, limit):
    """Nearest other group of a record; -1 when none is nearer than `limit`. IN/OUT: cache.

    Its squared distance, then in cache.gaps[row], may be beyond the limit if it is known anyway. Its
    own group must have heard the news.
    """
    if limit <= 0.0:
        return np.int64(-1)
    if is_current(cache, groups, row):
        return cache.near[row]
    if cache.gaps[row] >= limit:
        cache.near[row] = -1
        return np.int64(-1)
    limit = smaller(limit, likely_gap(cache, groups, row))
    near, gaps = cache.near[row : row + 1], cache.gaps[row : row + 1]
    nearest_groups(groups, row, limit, gaps, near)
    cache.heard[row], cache.reaches[groups.labels[row]] = cache.n_news[0], -1.0
    if cache.near[row] >= 0:
        cache.seen[row] = cache.versions[cache.near[row]]
    return cache.near[row]


@borrowing
def is_current(cache, groups, row):
    """Tell whether the group that a record has found is its nearest still, if it knows the news."""
    group = cache.near[row]
    if group < 0 or group == groups.labels[row] or cache.gaps[row] < 0.0:
        return False
    return cache.seen[row] == cache.versions[group]


@borrowing
def likely_gap(cache, groups, row):
    """Distance of a group that is likely near: the last one found for the record or one beside it."""
    own = groups.labels[row]
    likely = cache.near[row] if cache.near[row] >= 0 else cache.near[groups.first[own]]
    if likely < 0 or likely == own or groups.sizes[likely] == 0:
        return FARTHER_THAN_ALL
    return gap(groups.points, row, groups.means, likely)


@inlined
def holds(cache, groups, group, states):
    """Tell whether what was known of a group, `kept` or `steady`, holds still. IN/OUT: states."""
    row = groups.first[group]
    while states[group] == WHILE_NEAR and row >= 0:
        near = cache.near[row]
        if near >= 0 and cache.seen[row] != cache.versions[near]:
            states[group] = OPEN
        row = groups.following[row]
    return states[group] != OPEN


@borrowing
def has_changed(cache, groups, group):
    """Note that a group has other members or is gone. IN/OUT: cache."""
    cache.versions[group] += 1
    cache.kept[group] = cache.steady[group] = OPEN
    cache.place[group], cache.reaches[group] = -1, -1.0
    if groups.sizes[group] == 0:
        return
    if cache.n_news[0] == cache.news.size:
        tell_all(cache, groups)
    at = cache.n_news[0]
    cache.news[at], cache.place[group] = group, at
    for j in range(groups.means.shape[1]):
        value = placed(groups.tree, j, groups.means[group, j])
        cache.news_means[at // LEAF, j, at % LEAF] = value
    cache.n_news[0] += 1


@borrowing
def tell_all(cache, groups):
    """Let all groups hear the news, each group's last ones only; then there are none. IN/OUT: cache."""
    left, before = 0, cache.candidates
    for at in range(cache.n_news[0]):
        before[at] = left
        group = cache.news[at]
        if cache.place[group] == at:
            cache.news[left], cache.place[group] = group, left
            copy_mean(cache.news_means, at, cache.news_means, left)
            left += 1
    before[cache.n_news[0]] = cache.n_news[0] = left
    for row in range(cache.heard.size):
        cache.heard[row] = before[cache.heard[row]]
    for group in range(groups.sizes.size):
        hear(cache, groups, group)
    for at in range(left):
        cache.place[cache.news[at]] = -1
    cache.heard[:] = 0
    cache.n_news[:] = 0


@inlined
def hear(cache, groups, group):
    """Let the records of a group compare the news with what they know. IN/OUT: cache."""
    start, row = cache.n_news[0], groups.first[group]
    while row >= 0:
        if cache.gaps[row] >= 0.0:
            start = smaller(start, cache.heard[row])
        row = groups.following[row]
    if start < cache.n_news[0]:
        hear_since(cache, groups, group, start)


@borrowing
def hear_since(cache, groups, group, start):
    """Let the records of a group compare all news but the first `start`. IN/OUT: cache."""
    points, means, news, n_news = groups.points, groups.means, cache.news, cache.n_news[0]
    heard, following, gaps = cache.heard, groups.following, cache.gaps
    centre, scale, room = groups.tree.centre, groups.tree.scale[0], cache.room
    if cache.reaches[group] < 0.0:
        cache.reaches[group] = reach(groups, gaps, group)
    limit = framed(means, group, centre, scale, cache.reaches[group], cache.frame)
    n_near = screened(
        cache.news_means, start, n_news, cache.frame, limit, room, cache.bits, cache.candidates
    )
    n_near = pick_last(
        news, cache.place, cache.candidates, n_near, cache.news_means, cache.near_means
    )
    row = groups.first[group]
    while row >= 0:
        if n_near > 0 and gaps[row] >= 0.0:
            limit = framed(points, row, centre, scale, np.sqrt(gaps[row]), cache.frame)
            nearer = cache.candidates[n_near:]
            count = screened(
                cache.near_means, 0, n_near, cache.frame, limit, room, cache.bits, nearer
            )
            for i in range(count):
                compare(cache, groups, row, news[cache.candidates[nearer[i]]])
        heard[row] = n_news
        row = following[row]


@inlined
def reach(groups, gaps, group):
    """How far from the mean of a group news matter to its records."""
    points, means, following = groups.points, groups.means, groups.following
    farthest, row = 0.0, groups.first[group]
    while row >= 0:
        if gaps[row] >= 0.0:
            own = gap(points, row, means, group)
            farthest = larger(farthest, np.sqrt(own) + np.sqrt(gaps[row]))
        row = following[row]
    return smaller(farthest * ROUNDING, 1e150)


@inlined
def framed(points, row, centre, scale, distance, q):
    """Coordinates of a point as the news have them. OUT: q. Returns the limit for their sums.

    What is out of all bounds stays at `BORDER`, as the news do: that brings no two of them farther apart.
    """
    norm = 0.0
    for j in range(q.size):
        a = (points[row, j] - centre[j]) / scale
        q[j] = np.float32(smaller(larger(a, -BORDER), BORDER))
        norm += smaller(a * a, FARTHER_THAN_ALL / q.size)
    return highest(distance * distance, scale, np.sqrt(norm), q.size)


@inlined
def copy_mean(means, at, others, to):
    """Copy one of some means in tiles. OUT: others."""
    for j in range(means.shape[1]):
        others[to // LEAF, j, to % LEAF] = means[at // LEAF, j, at % LEAF]


@borrowing
def screened(means, start, stop, q, limit, sums, bits, places):
    """Find which of some means are near enough, and maybe some that nearly are.

    `means` is float32[tiles, d, LEAF]. OUT: places, sums, float32[LEAF], and bits, uint64[tiles]. Returns
    how many. All tiles are screened first: a processor cannot predict which have near means, and would
    wait after each.
    """
    first, last = start // LEAF, (stop + LEAF - 1) // LEAF
    for tile in range(first, last):
        bits[tile] = near_leaf(means, tile, q, limit, sums)
    count = 0
    for tile in range(first, last):
        passing = bits[tile]
        while passing != NONE:
            place = tile * LEAF + first_bit(passing)
            passing &= passing - ONE
            places[count] = place
            count += start <= place < stop
    return count


@inlined
def pick_last(news, place, places, n_places, means, near_means):
    """Pack the means of those news that are the last of their group. OUT: places, near_means.

    Returns how many.
    """
    count = 0
    for i in range(n_places):
        at = places[i]
        places[count] = at
        count += place[news[at]] == at
    for i in range(count):
        copy_mean(means, places[i], near_means, i)
    return count


@borrowing
def compare(cache, groups, row, group):
    """Let a record know of a group, if it is as near as what it knows. IN/OUT: cache."""
    own, distance = groups.labels[row], gap(groups.points, row, groups.means, group)
    if distance > cache.gaps[row] or own == group:
        return
    if distance < cache.gaps[row]:
        cache.near[row], cache.gaps[row] = group, distance
        cache.seen[row] = cache.versions[group]
    elif group != cache.near[row]:
        cache.near[row], cache.gaps[row] = -1, -1.0  # on a tie the record has to look
    cache.kept[own] = cache.steady[own] = OPEN
