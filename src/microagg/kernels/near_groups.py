"""The nearest other group of every record, kept exact while groups change.

A record that has looked knows that no other group is nearer than some distance, and watches that
ball. A group that changes tells those in whose ball its mean is now. A record whose nearest group
has changed looks again, but only when it is asked.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.groups import gap, nearest_groups
from microagg.kernels.jit import kernel
from microagg.kernels.scan import FARTHER_THAN_ALL
from microagg.kernels.watch import Watch, new_watch, set_ball, watchers

ROUNDING = 1 + 1e-9
"""More than rounding can do to a limit for `seek`."""


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
    found : int64[n]
        Room for those who watch a group.
    """

    near: np.ndarray
    gaps: np.ndarray
    seen: np.ndarray
    versions: np.ndarray
    settled: np.ndarray
    watch: Watch
    found: np.ndarray


@kernel
def new_near_groups(groups):
    """Return the nearest groups of all records, each still to be sought."""
    n = groups.labels.size
    near = np.full(n, -1, dtype=np.int64)
    seen, versions = np.zeros_like(near), np.zeros_like(groups.sizes)
    settled, watch = np.zeros(versions.size, dtype=np.bool_), new_watch(groups.points)
    return NearGroups(near, np.full(n, -1.0), seen, versions, settled, watch, np.empty_like(near))


@kernel
def seek(cache, groups, row, limit):
    """Nearest other group of a record; -1 when none is nearer than `limit`. IN/OUT: cache.

    Its squared distance, then in cache.gaps[row], may be beyond the limit if it is known anyway.
    """
    if is_known(cache, groups, row):
        return cache.near[row]
    if cache.gaps[row] < limit:
        likely = likely_gap(cache, groups, row)
        near, gaps = cache.near[row : row + 1], cache.gaps[row : row + 1]
        nearest_groups(groups, row, min(limit, likely), gaps, near)
        set_ball(cache.watch, row, cache.gaps[row])
        if cache.near[row] >= 0:
            cache.seen[row] = cache.versions[cache.near[row]]
    else:
        cache.near[row] = -1
    return cache.near[row]


@kernel
def is_known(cache, groups, row):
    """Tell whether the nearest group that is kept for a record is still that."""
    group = cache.near[row]
    return (
        group >= 0 and group != groups.labels[row] and cache.seen[row] == cache.versions[group]
    )


@kernel
def is_settled(cache, groups, group):
    """Tell whether nothing has changed for a group since it was not worth to be given up.

    Neither it nor the groups that its records have found, and none has come nearer.
    """
    settled, row = cache.settled[group], groups.first[group]
    while settled and row >= 0:
        near = cache.near[row]
        settled = near < 0 or cache.seen[row] == cache.versions[near]
        row = groups.following[row]
    return settled


@kernel
def likely_gap(cache, groups, row):
    """Distance of a group that is likely near: the last one found for the record or one beside it."""
    own = groups.labels[row]
    likely = cache.near[row] if cache.near[row] >= 0 else cache.near[groups.first[own]]
    if likely < 0 or likely == own or groups.sizes[likely] == 0:
        return FARTHER_THAN_ALL
    return gap(groups.points, row, groups.means, likely)


@kernel
def has_changed(cache, groups, group):
    """Tell all records that a group has other members or is gone. IN/OUT: cache."""
    cache.versions[group] += 1
    cache.settled[group] = False
    if groups.sizes[group] == 0:
        return
    for i in range(watchers(cache.watch, groups.means[group], cache.found)):
        row = cache.found[i]
        distance = gap(groups.points, row, groups.means, group)
        if distance <= cache.gaps[row] and groups.labels[row] != group:
            come_nearer(cache, row, group, distance)
            cache.settled[groups.labels[row]] = False


@kernel
def come_nearer(cache, row, group, distance):
    """Make a group the nearest of a record; on a tie the record has to look. IN/OUT: cache."""
    if distance < cache.gaps[row]:
        cache.near[row], cache.gaps[row] = group, distance
        cache.seen[row] = cache.versions[group]
    elif group != cache.near[row]:
        cache.near[row], cache.gaps[row] = -1, -1.0
    set_ball(cache.watch, row, cache.gaps[row])
