"""Pairs of similar records in order, as many as memory allows: the list that an automaton reads."""

import math

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.scan import FARTHER_THAN_ALL, TILE, tile_distances

ORDERS = {"distance": 0, "rank": 1}


@kernel
def similar_pairs(columns, width, least, order, ticker):
    """List the pairs of records no farther apart than half the range of all distances.

    Each record offers its `width` nearest. Where that makes fewer than `least` offers a record, as in
    many columns, the `least` nearest are offered however far they are. Order 0: every pair once,
    by distance. Order 1: in rounds; round r takes each record with its r-th nearest. Ties go to the
    lowest rows. ticker[0] counts records; when ticker[1] is set, only the records looked at until
    then, the first at least, offer pairs.
    Returns two int32 arrays: the first and the second record of each pair.
    """
    n = columns.shape[1]
    near, gaps = np.empty((width, n), dtype=np.int32), np.empty((width, n))
    low, high, looked_at = nearest_of_each(columns, near, gaps, ticker)
    threshold = 0.5 * (math.sqrt(high) - math.sqrt(low))
    if np.count_nonzero(np.sqrt(gaps[:, :looked_at]) <= threshold) >= least * looked_at:
        least = 0
    room = width * looked_at
    first, second = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
    kept_gaps, size = np.empty(room), 0
    for r in range(width):
        for row in range(looked_at):
            other = near[r, row]
            again = other < row and offers(near, gaps, r, row, least, threshold)
            if order == 0 and again:
                continue
            if r < least or math.sqrt(gaps[r, row]) <= threshold:
                first[size], second[size], kept_gaps[size] = row, near[r, row], gaps[r, row]
                size += 1
    if order == 0:
        by_distance = np.argsort(kept_gaps[:size], kind="mergesort")
        return first[by_distance], second[by_distance]
    return first[:size].copy(), second[:size].copy()


@kernel
def nearest_of_each(columns, near, gaps, ticker):
    """Each record's nearest others. OUT: near, gaps [width, n], nearest first.

    Returns the smallest and the largest squared distance, and how many records were looked at: all,
    or those before ticker[1] was set, but the first always.
    """
    d, n = columns.shape
    width = near.shape[0]
    distances, point, chosen = np.empty(n), np.empty(d), np.empty(width, dtype=np.int64)
    low, high = FARTHER_THAN_ALL, 0.0
    for row in range(n):
        if ticker[1] != 0 and row > 0:
            return low, high, row
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
    return low, high, n


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
def offers(near, gaps, r, row, least, threshold):
    """Tell whether the r-th nearest of `row`, a lower row, offers the same pair."""
    other, gap = near[r, row], gaps[r, row]
    last = near.shape[0] - 1 if math.sqrt(gap) <= threshold else min(least, near.shape[0]) - 1
    if last < 0 or gap != gaps[last, other]:
        return last >= 0 and gap < gaps[last, other]
    return row <= near[last, other]
