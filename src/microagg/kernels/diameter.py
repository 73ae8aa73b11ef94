"""Groups seeded by the two records farthest apart (MD, DBFS), without looking at all pairs.

Records are kept in order of falling distance r to a fixed point. A pair is at most r_i + r_j apart,
so for each record only those before it that could beat the best pair so far are looked at.
"""

import numpy as np

from microagg.kernels.fixed_size import grow, place_leftovers
from microagg.kernels.jit import kernel
from microagg.kernels.pool import new_pool
from microagg.kernels.scan import TILE, tile_distances

SLACK = 1 + 1e-9
"""Keeps a pair whose bound is below the best by rounding alone."""


@kernel
def diameter_seeded(columns, k, growth, leftovers, ticker):
    """Groups around both ends of the longest distance among the records left.

    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    """
    n = columns.shape[1]
    labels = np.full(n, -1, dtype=np.int32)
    pool = new_pool(columns)
    rows, radii = by_radius(columns)
    values = np.ascontiguousarray(columns[:, rows])
    left, label = n, 0
    enough = 2 * k if leftovers == 0 else k
    while pool.left[0] >= enough and ticker[1] == 0:
        first, second = farthest_pair(values, rows, radii, left)
        grow(pool, first, label, k, growth, labels)
        label += 1
        if pool.left[0] >= enough:
            if labels[second] >= 0:  # all distances are equal: it joined the first group
                second = pool.rows[: pool.left[0]].min()
            grow(pool, second, label, k, growth, labels)
            label += 1
        left = keep_ungrouped(values, rows, radii, left, labels)
        ticker[0] = n - pool.left[0]
    if ticker[1] == 0:
        place_leftovers(columns, pool, label, leftovers, labels)
    return labels


@kernel
def by_radius(columns):
    """Rows by falling distance to the mean of all, and those distances."""
    d, n = columns.shape
    squares = np.zeros(n)
    for j in range(d):
        mean = columns[j].mean()
        for i in range(n):
            t = columns[j, i] - mean
            squares[i] += t * t
    rows = np.argsort(-squares, kind="mergesort")
    return rows, np.sqrt(squares[rows])


@kernel
def farthest_pair(values, rows, radii, left):
    """Rows of the pair farthest apart, the lower first; ties to the lowest rows.

    Of equal records, which follow each other by rising row, only the first is looked at.
    """
    lowest, next_lowest = rows[0], rows[min(1, left - 1)]
    own, own_rows, own_radii = distinct(values, rows, radii, left)
    if own_rows.size == 1:  # all are equal
        return lowest, next_lowest
    point, distances = np.empty(values.shape[0]), np.empty(TILE)
    best, best_low, best_high = -1.0, np.int64(-1), np.int64(-1)
    for i in range(1, own_rows.size):
        reach = np.sqrt(max(best, 0.0))
        if (own_radii[0] + own_radii[i]) * SLACK < reach:
            break
        stop = 0
        while stop < i and (own_radii[stop] + own_radii[i]) * SLACK >= reach:
            stop += 1
        point[:] = own[:, i]
        for start in range(0, stop, TILE):
            end = min(start + TILE, stop)
            tile_distances(own, start, end, point, distances)
            for m in range(end - start):
                if distances[m] >= best:
                    one, other = own_rows[i], own_rows[start + m]
                    low, high = min(one, other), max(one, other)
                    tie = distances[m] == best
                    if not tie or low < best_low or (low == best_low and high < best_high):
                        best, best_low, best_high = distances[m], low, high
    return best_low, best_high


@kernel
def distinct(values, rows, radii, left):
    """Of the first `left` records those that differ from the one before."""
    keep = np.ones(left, dtype=np.bool_)
    for i in range(1, left):
        keep[i] = radii[i] != radii[i - 1] or np.any(values[:, i] != values[:, i - 1])
    at = np.flatnonzero(keep)
    return values[:, at], rows[at], radii[at]


@kernel
def keep_ungrouped(values, rows, radii, left, labels):
    """Close the gaps of grouped records, in order; returns how many are left. IN/OUT: all."""
    kept = 0
    for i in range(left):
        if labels[rows[i]] < 0:
            rows[kept], radii[kept] = rows[i], radii[i]
            values[:, kept] = values[:, i]
            kept += 1
    return kept
