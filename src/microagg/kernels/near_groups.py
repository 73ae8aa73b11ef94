"""The nearest other group of every record, kept exact while groups change.

A group that changes is compared with all records at once. What a record knew of it before is out
of date, and the record looks for its nearest group again, but only when it is asked.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.groups import gap, nearest_groups
from microagg.kernels.jit import kernel
from microagg.kernels.scan import FARTHER_THAN_ALL, TILE, tile_distances


class NearGroups(NamedTuple):
    """Nearest other group of each record, by its mean; ties to the lowest group.

    Attributes
    ----------
    near : int64[n]
        The group; -1 where it has to be sought.
    gaps : float64[n]
        No other group was nearer than this squared distance when it was found; below 0 where
        none was sought.
    seen : int64[n]
        The version of the group that was found.
    versions : int64[g]
        How often each group has changed.
    """

    near: np.ndarray
    gaps: np.ndarray
    seen: np.ndarray
    versions: np.ndarray


@kernel
def new_near_groups(groups):
    """Return the nearest groups of all records, each still to be sought."""
    n = groups.labels.size
    near = np.full(n, -1, dtype=np.int64)
    return NearGroups(near, np.full(n, -1.0), np.zeros_like(near), np.zeros_like(groups.sizes))


@kernel
def seek(cache, groups, row):
    """Nearest other group of a record; -1 when there is none. IN/OUT: cache."""
    group = cache.near[row]
    if group < 0 or group == groups.labels[row] or cache.seen[row] != cache.versions[group]:
        limit = limit_of(cache, groups, row)
        near, gaps = cache.near[row : row + 1], cache.gaps[row : row + 1]
        nearest_groups(groups, row, limit, gaps, near)
        group = cache.near[row]
        if group >= 0:
            cache.seen[row] = cache.versions[group]
    return group


@kernel
def limit_of(cache, groups, row):
    """Distance of a group that is likely near: the last one found for the record or one beside it."""
    own = groups.labels[row]
    likely = cache.near[row] if cache.near[row] >= 0 else cache.near[groups.first[own]]
    if likely < 0 or likely == own or groups.sizes[likely] == 0:
        return FARTHER_THAN_ALL
    return gap(groups.columns, row, groups.means[likely])


@kernel
def has_changed(cache, groups, group):
    """Tell all records that a group has other members or is gone. IN/OUT: cache."""
    cache.versions[group] += 1
    if groups.sizes[group] == 0:
        return
    n, mean = groups.labels.size, groups.means[group]
    distances = np.empty(TILE)
    for start in range(0, n, TILE):
        stop = min(start + TILE, n)
        tile_distances(groups.columns, start, stop, mean, distances)
        gaps = cache.gaps[start:stop]
        nearer = 0
        for i in range(stop - start):
            nearer += distances[i] <= gaps[i]
        if nearer > 0:
            for row in range(start, stop):
                if distances[row - start] <= cache.gaps[row] and groups.labels[row] != group:
                    come_nearer(cache, row, group, distances[row - start])


@kernel
def come_nearer(cache, row, group, distance):
    """Make a group the nearest of a record; on a tie the record has to look. IN/OUT: cache."""
    if distance < cache.gaps[row]:
        cache.near[row], cache.gaps[row] = group, distance
        cache.seen[row] = cache.versions[group]
    elif group != cache.near[row]:
        cache.near[row], cache.gaps[row] = -1, -1.0
