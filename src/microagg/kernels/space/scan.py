"""Nearest and farthest record of a pool, by looking at every record left.

Squared Euclidean distances, summed over the attributes in order. Ties go to the lowest row.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.space.near_list import farthest_place, offer, sort_nearest

TILE = 1024
"""Records a tile: one tile of distances (8 KiB) and its inputs stay in the first-level cache."""

FARTHER_THAN_ALL = float(np.finfo(np.float64).max)
"""Stands for infinity, which the kernels' flags exclude."""


@borrowing
def tile_distances(values, start, stop, point, out):
    """Squared distances of positions start..stop-1 to `point`. OUT: out[0 .. stop-start-1].

    Attributes go four or two at a time only to spare loads and stores of `out`: the sum still runs
    over the attributes in order, so the rounding is that of the plain loop.
    """
    d, m = point.size, stop - start
    for i in range(m):
        out[i] = 0.0
    j = 0
    while j + 4 <= d:
        p0, p1, p2, p3 = point[j], point[j + 1], point[j + 2], point[j + 3]
        v0, v1 = values[j, start:stop], values[j + 1, start:stop]
        v2, v3 = values[j + 2, start:stop], values[j + 3, start:stop]
        for i in range(m):
            t0, t1, t2, t3 = v0[i] - p0, v1[i] - p1, v2[i] - p2, v3[i] - p3
            out[i] = (((out[i] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
        j += 4
    while j + 2 <= d:
        p0, p1 = point[j], point[j + 1]
        v0, v1 = values[j, start:stop], values[j + 1, start:stop]
        for i in range(m):
            t0, t1 = v0[i] - p0, v1[i] - p1
            out[i] = (out[i] + t0 * t0) + t1 * t1
        j += 2
    if j < d:
        p = point[j]
        v = values[j, start:stop]
        for i in range(m):
            t = v[i] - p
            out[i] += t * t


@kernel
def farthest_in_pool(pool, point):
    """Row of the record left that is farthest from `point`, or -1 when none is left."""
    distances = np.empty(TILE)
    best, best_row = -1.0, np.int64(-1)
    for start in range(0, pool.left[0], TILE):
        stop = smaller(start + TILE, pool.left[0])
        tile_distances(pool.values, start, stop, point, distances)
        top = distances[0]
        for i in range(1, stop - start):
            top = larger(top, distances[i])
        if top >= best:
            best, best_row = farthest_in_tile(pool, start, stop, distances, top, best, best_row)
    return best_row


@kernel
def nearest_in_pool(pool, point, near_distances, near_rows):
    """Find the m = near_rows.size records left that are nearest to `point`, nearest first.

    OUT: near_distances float64[m], near_rows int64[m]; rows are -1 where fewer are left.
    Returns the row of the farthest record, as `farthest_in_pool` does: the scan has seen it.
    """
    distances = np.empty(TILE)
    near_distances[:] = FARTHER_THAN_ALL
    near_rows[:] = -1
    m, top_place = near_rows.size, farthest_place(near_rows)
    best, best_row = -1.0, np.int64(-1)
    for start in range(0, pool.left[0], TILE):
        stop = smaller(start + TILE, pool.left[0])
        tile_distances(pool.values, start, stop, point, distances)
        low = top = distances[0]
        for i in range(1, stop - start):
            low = smaller(low, distances[i])
            top = larger(top, distances[i])
        if m > 0 and low <= near_distances[top_place]:
            for i in range(stop - start):
                if distances[i] <= near_distances[top_place]:
                    offer(distances[i], pool.rows[start + i], near_distances, near_rows)
        if top >= best:
            best, best_row = farthest_in_tile(pool, start, stop, distances, top, best, best_row)
    sort_nearest(near_distances, near_rows)
    return best_row


@kernel
def nearest_within_pool(pool, point, limit, near_distances, near_rows):
    """As `nearest_in_pool`: a scan sees all records anyway. OUT: the last two."""
    nearest_in_pool(pool, point, near_distances, near_rows)


@kernel
def list_in_pool(pool, rows, lists):
    """Write the nearest of each row of `rows` to lists[row], nearest first. OUT: lists."""
    point, distances = np.empty(pool.total.size), np.empty(lists.shape[1])
    for row in rows:
        for j in range(point.size):
            point[j] = pool.values[j, pool.places[row]]
        nearest_in_pool(pool, point, distances, lists[row])


@kernel
def farthest_in_tile(pool, start, stop, distances, top, best, best_row):
    """Best of the farthest so far and the tile's records at its largest distance `top`."""
    for i in range(stop - start):
        row = pool.rows[start + i]
        if distances[i] == top and (top > best or row < best_row):
            best, best_row = top, row
    return best, best_row


@borrowing
def insert(distance, row, near_distances, near_rows):
    """Insert into a list sorted by distance, then row; the last falls out. IN/OUT: the list."""
    at = near_rows.size
    while at > 0 and (
        near_distances[at - 1] > distance
        or (near_distances[at - 1] == distance and near_rows[at - 1] > row)
        or near_rows[at - 1] == -1
    ):
        at -= 1
    for i in range(near_rows.size - 1, at, -1):
        near_distances[i] = near_distances[i - 1]
        near_rows[i] = near_rows[i - 1]
    if at < near_rows.size:
        near_distances[at] = distance
        near_rows[at] = row


@kernel
def nearest_of(columns, rows, point):
    """Which of some rows is nearest to `point`, the first of equals; -1 when there is none."""
    best, at = FARTHER_THAN_ALL, -1
    for i in range(rows.size):
        distance = distance_to(columns, rows[i], point)
        if distance < best:
            best, at = distance, i
    return at


@kernel
def farthest_of(columns, rows, point):
    """Which of some rows is farthest from `point`, the first of equals; -1 when there is none."""
    best, at = -1.0, -1
    for i in range(rows.size):
        distance = distance_to(columns, rows[i], point)
        if distance > best:
            best, at = distance, i
    return at


@kernel
def distance_to(columns, row, point):
    """Squared distance of one record to a point."""
    total = 0.0
    for j in range(point.size):
        t = columns[j, row] - point[j]
        total += t * t
    return total
