"""V-MDAV: groups around the records farthest from the mean of all, extended where it is dense."""

import numpy as np

from microagg.kernels.fixed_size import grow
from microagg.kernels.jit import kernel
from microagg.kernels.pool import centroid, coordinates, new_pool, remove
from microagg.kernels.reference_points import farthest_first
from microagg.kernels.scan import FARTHER_THAN_ALL, TILE, nearest, tile_distances


@kernel
def v_mdav(columns, k, gamma, ticker):
    """Groups of k around the record left that is farthest from the mean of all, each extended.

    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    """
    d, n = columns.shape
    labels = np.full(n, -1, dtype=np.int32)
    pool = new_pool(columns)
    mean, gaps = np.empty(d), np.empty(n)
    centroid(pool, mean)
    label = 0
    for seed in farthest_first(columns, mean):
        if labels[seed] >= 0:
            continue
        if pool.left[0] < k or ticker[1] != 0:
            break
        left = pool.left[0]
        grow(pool, seed, label, k, 0, labels)
        extend(pool, pool.rows[left - k : left].copy(), label, gamma, gaps, labels)
        label += 1
        ticker[0] = n - pool.left[0]
    if ticker[1] == 0:
        join_nearest_record(columns, labels)
    return labels


@kernel
def extend(pool, members, label, gamma, gaps, labels):
    """Add up to k-1 records that are nearer to the group than gamma times to any other left.

    `members` are the k rows of the group, already out of the pool. Distances are squared.
    OUT: gaps; IN/OUT: pool, labels.
    """
    gaps[: pool.left[0]] = FARTHER_THAN_ALL
    point = np.empty(pool.values.shape[0])
    for row in members:
        coordinates(pool, row, point)
        come_nearer(pool, point, gaps)
    for _ in range(members.size - 1):
        if pool.left[0] < 2:
            return
        row, gap = least(pool, gaps)
        coordinates(pool, row, point)
        if not gap < gamma * gap_to_others(pool, point):
            return
        gaps[pool.places[row]] = gaps[pool.left[0] - 1]
        labels[row] = label
        remove(pool, row)
        come_nearer(pool, point, gaps)


@kernel
def come_nearer(pool, point, gaps):
    """Lower the gap of each position left to its squared distance to `point`. IN/OUT: gaps."""
    distances = np.empty(TILE)
    for start in range(0, pool.left[0], TILE):
        stop = min(start + TILE, pool.left[0])
        tile_distances(pool.values, start, stop, point, distances)
        for i in range(stop - start):
            gaps[start + i] = min(gaps[start + i], distances[i])


@kernel
def least(pool, gaps):
    """Row of the record left with the smallest gap, and the gap; ties to the lowest row."""
    best, best_row = FARTHER_THAN_ALL, np.int64(-1)
    for place in range(pool.left[0]):
        if gaps[place] < best or (gaps[place] == best and pool.rows[place] < best_row):
            best, best_row = gaps[place], pool.rows[place]
    return best_row, best


@kernel
def gap_to_others(pool, point):
    """Squared distance of a record left, at `point`, to the nearest other record left."""
    gaps, rows = np.empty(2), np.empty(2, dtype=np.int64)
    nearest(pool, point, gaps, rows)
    return gaps[1]  # the first is the record itself, or one exactly like it


@kernel
def join_nearest_record(columns, labels):
    """Add each record without a group to that of the nearest record with one. IN/OUT: labels.

    They go in row order, and those that have joined count for those after them.
    """
    d, n = columns.shape
    point, distances = np.empty(d), np.empty(n)
    for row in np.flatnonzero(labels < 0):
        point[:] = columns[:, row]
        for start in range(0, n, TILE):
            stop = min(start + TILE, n)
            tile_distances(columns, start, stop, point, distances[start:stop])
        near = -1
        for i in range(n):
            if labels[i] >= 0 and (near < 0 or distances[i] < distances[near]):
                near = i
        labels[row] = labels[near]


@kernel
def neighbour_distances(columns, rows, m, ticker):
    """Squared distances of some records to their m nearest others, nearest first."""
    pool = new_pool(columns)
    point = np.empty(columns.shape[0])
    gaps, near = np.empty(m + 1), np.empty(m + 1, dtype=np.int64)
    out = np.empty((rows.size, m))
    for i in range(rows.size):
        if ticker[1] != 0:
            break
        ticker[0] = i
        coordinates(pool, rows[i], point)
        nearest(pool, point, gaps, near)
        out[i] = gaps[1:]
    return out
