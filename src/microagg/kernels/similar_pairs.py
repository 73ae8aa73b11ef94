"""Pairs of similar records in order, as many as memory allows: the list that an automaton reads."""

import math

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.scan import FARTHER_THAN_ALL, TILE, tile_distances

ORDERS = {"distance": 0, "rank": 1}


@kernel
def similar_pairs(columns, width, order, ticker):
    """List the pairs of records no farther apart than half the range of all distances.

    Each record offers its `width` nearest. Order 0: every pair once, by distance. Order 1: in
    rounds; round r takes each record with its r-th nearest. Ties go to the lowest rows. ticker[0]
    counts records; when ticker[1] is set, the list is empty.
    Returns two int32 arrays: the first and the second record of each pair.
    """
    n = columns.shape[1]
    near, gaps = np.empty((width, n), dtype=np.int32), np.empty((width, n))
    low, high = nearest_of_each(columns, near, gaps, ticker)
    if ticker[1] != 0:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
    threshold = 0.5 * (math.sqrt(high) - math.sqrt(low))
    first, second = np.empty(near.size, dtype=np.int32), np.empty(near.size, dtype=np.int32)
    kept_gaps, size = np.empty(near.size), 0
    for r in range(width):
        for row in range(n):
            once = order == 1 or row < near[r, row] or not offers(near, gaps, r, row)
            if once and math.sqrt(gaps[r, row]) <= threshold:
                first[size], second[size], kept_gaps[size] = row, near[r, row], gaps[r, row]
                size += 1
    if order == 0:
        by_distance = np.argsort(kept_gaps[:size], kind="mergesort")
        return first[by_distance], second[by_distance]
    return first[:size].copy(), second[:size].copy()


@kernel
def nearest_of_each(columns, near, gaps, ticker):
    """Each record's nearest others. OUT: near, gaps [width, n], nearest first.

    Returns the smallest and the largest squared distance of all pairs.
    """
    d, n = columns.shape
    width = near.shape[0]
    distances, point, chosen = np.empty(n), np.empty(d), np.empty(width, dtype=np.int64)
    low, high = FARTHER_THAN_ALL, 0.0
    for row in range(n):
        if ticker[1] != 0:
            break
        point[:] = columns[:, row]
        for start in range(0, n, TILE):
            stop = min(start + TILE, n)
            tile_distances(columns, start, stop, point, distances[start:stop])
        high = max(high, distances.max())
        distances[row] = FARTHER_THAN_ALL  # itself comes last, after the n - 1 others
        low = min(low, distances.min())
        choose_nearest(distances, chosen)
        order = np.argsort(distances[chosen], kind="mergesort")
        for r in range(width):
            near[r, row] = chosen[order[r]]
            gaps[r, row] = distances[chosen[order[r]]]
        ticker[0] = row + 1
    return low, high


@kernel
def choose_nearest(distances, chosen):
    """Positions of the smallest distances, ties to the lowest, in order of position. OUT: chosen."""
    last = np.partition(distances, chosen.size - 1)[chosen.size - 1]
    ties = chosen.size
    for i in range(distances.size):
        if distances[i] < last:
            ties -= 1
    size = 0
    for i in range(distances.size):
        if distances[i] < last or (distances[i] == last and ties > 0):
            if distances[i] == last:
                ties -= 1
            chosen[size] = i
            size += 1


@kernel
def offers(near, gaps, r, row):
    """Tell whether the r-th nearest of `row` has `row` among its nearest, too."""
    other, gap, last = near[r, row], gaps[r, row], near.shape[0] - 1
    if gap != gaps[last, other]:
        return gap < gaps[last, other]
    return row <= near[last, other]
