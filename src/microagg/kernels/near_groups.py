"""The nearest other group of every record, kept exact while groups change.

A group that changes is compared with all records at once; only the records that it was nearest to
look for another, and only when they are asked.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.groups import nearest_groups
from microagg.kernels.jit import kernel
from microagg.kernels.scan import FARTHER_THAN_ALL, TILE, tile_distances


class NearGroups(NamedTuple):
    """Nearest other group of each record, by its mean; ties to the lowest group.

    Attributes
    ----------
    near : int64[n]
        The group; -1 where it has to be sought again.
    gaps : float64[n]
        The squared distance to its mean.
    """

    near: np.ndarray
    gaps: np.ndarray


@kernel
def new_near_groups(n):
    """Return the nearest groups of n records, each still to be sought."""
    return NearGroups(np.full(n, -1, dtype=np.int64), np.zeros(n))


@kernel
def seek(cache, groups, row):
    """Nearest other group of a record; -1 when there is none. IN/OUT: cache."""
    if cache.near[row] < 0:
        near, gaps = cache.near[row : row + 1], cache.gaps[row : row + 1]
        nearest_groups(groups, row, FARTHER_THAN_ALL, gaps, near)
    return cache.near[row]


@kernel
def has_changed(cache, groups, group):
    """Tell all records that a group has other members or is gone. IN/OUT: cache."""
    n = groups.labels.size
    mean, there = groups.means[group], groups.sizes[group] > 0
    distances = np.empty(TILE)
    for start in range(0, n, TILE):
        stop = min(start + TILE, n)
        tile_distances(groups.columns, start, stop, mean, distances)
        for row in range(start, stop):
            if cache.near[row] == group or groups.labels[row] == group:
                cache.near[row] = -1
            elif there and distances[row - start] <= cache.gaps[row] and cache.near[row] >= 0:
                nearer = distances[row - start] < cache.gaps[row] or group < cache.near[row]
                if nearer:
                    cache.near[row], cache.gaps[row] = group, distances[row - start]
