"""Pairs of similar records in order, as many as memory allows: the list that an automaton reads."""

import math

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL, TILE, tile_distances

ORDERS = {"distance": 0, "rank": 1, "matrix": 2}
BY_DISTANCE, BY_RANK, BY_MATRIX = ORDERS.values()


@kernel
def similar_pairs(columns, width, least, order, ticker):
    """List the pairs of records no farther apart than half the largest distance.

    Each record offers its `width` nearest. Where that makes fewer than `least` offers a record, as in
    many columns, the `least` nearest are offered however far they are. `order` is one of ORDERS.
    By rank: in rounds; round r takes each record with its r-th nearest. Else every pair comes once:
    by distance; or as in a matrix below its diagonal, row after row, each from the left. Ties go to
    the lowest rows. ticker[0] counts records; when ticker[1] is set, only the records looked at until
    then, the first at least, offer pairs.
    Returns two int32 arrays: the first and the second record of each pair.
    """
    n = columns.shape[1]
    near, gaps = np.empty((width, n), dtype=np.int32), np.empty((width, n))
    largest, looked_at = nearest_of_each(columns, near, gaps, ticker)
    threshold = 0.5 * math.sqrt(largest)
    if np.count_nonzero(np.sqrt(gaps[:, :looked_at]) <= threshold) >= least * looked_at:
        least = 0
    room = width * looked_at
    first, second = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
    turns, size = np.empty(room), 0  # exact for places in a matrix, too: they are below 2^53
    for r in range(width):
        for row in range(looked_at):
            other = near[r, row]
            if r >= least and math.sqrt(gaps[r, row]) > threshold:
                continue
            if order != BY_RANK and other < row and offers(near, gaps, r, row, least, threshold):
                continue
            first[size], second[size], turns[size] = row, other, gaps[r, row]
            if order == BY_MATRIX:
                first[size], second[size] = larger(row, other), smaller(row, other)
                turns[size] = float(first[size]) * n + second[size]
            size += 1
    if order == BY_RANK:
        return first[:size].copy(), second[:size].copy()
    in_turn = np.argsort(turns[:size], kind="mergesort")
    return first[in_turn], second[in_turn]


@kernel
def nearest_of_each(columns, near, gaps, ticker):
    """Each record's nearest others. OUT: near, gaps [width, n], nearest first.

    Returns the largest squared distance, and how many records were looked at: all, or those before
    ticker[1] was set, but the first always.
    """
    d, n = columns.shape
    width = near.shape[0]
    distances, point, chosen = np.empty(n), np.empty(d), np.empty(width, dtype=np.int64)
    largest = 0.0
    for row in range(n):
        if ticker[1] != 0 and row > 0:
            return largest, row
        point[:] = columns[:, row]
        for start in range(0, n, TILE):
            stop = smaller(start + TILE, n)
            tile_distances(columns, start, stop, point, distances[start:stop])
        largest = larger(largest, distances.max())
        distances[row] = FARTHER_THAN_ALL  # itself comes last, after the n - 1 others
        choose_nearest(distances, chosen)
        order = np.argsort(distances[chosen], kind="mergesort")
        for r in range(width):
            near[r, row] = chosen[order[r]]
            gaps[r, row] = distances[chosen[order[r]]]
        ticker[0] = row + 1
    return largest, n


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
    last = near.shape[0] - 1 if math.sqrt(gap) <= threshold else smaller(least, near.shape[0]) - 1
    if last < 0 or gap != gaps[last, other]:
        return last >= 0 and gap < gaps[last, other]
    return row <= near[last, other]
