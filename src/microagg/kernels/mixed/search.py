"""The nearest and the farthest of the mixed records left: leaves that cannot have them are passed over.

What is not passed over is computed as a scan of all records would, so the result is the same, ties
included.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.mixed.leaf_bounds import lower_bounds, upper_bounds
from microagg.kernels.mixed.leaf_distances import leaf_distances
from microagg.kernels.mixed.pool import cut_again
from microagg.kernels.space.near_list import farthest_place, offer, sort_nearest
from microagg.kernels.space.scan import FARTHER_THAN_ALL, farthest_in_tile

STRETCH = 64
"""Leaves that are passed over together where none of their bounds is good enough."""

FIRST_LEAVES = 4
"""The minimum number of leaves of least bounds that are looked at before all others, so that few pass."""


@kernel
def nearest_mixed(mix, pool, query, near_distances, near_rows):
    """Find the m = near_rows.size records left that are nearest to the query, nearest first.

    OUT: near_distances float64[m], near_rows int64[m]; rows are -1 where fewer are left.
    """
    near_distances[:] = FARTHER_THAN_ALL
    near_rows[:] = -1
    if near_rows.size == 0 or pool.sizes[0] == 0:
        return
    if 2 * pool.sizes[0] < pool.sizes[1]:
        cut_again(mix, pool)
    n_leaves, bounds = pool.sizes[2], pool.bounds
    lower_bounds(mix, pool, query)
    top, looked_at = farthest_place(near_rows), 0
    while looked_at < FIRST_LEAVES or near_rows[top] < 0:
        least = least_of(bounds[:n_leaves])
        if least == FARTHER_THAN_ALL:  # all others are empty
            break
        leaf = place_of(bounds, least)
        offer_leaf(mix, pool, query, leaf, near_distances, near_rows)
        bounds[leaf] = FARTHER_THAN_ALL
        looked_at += 1
    for limit in (0.7 * near_distances[top], FARTHER_THAN_ALL):
        for first in range(0, n_leaves, STRETCH):
            stop = smaller(first + STRETCH, n_leaves)
            if least_of(bounds[first:stop]) > near_distances[top]:
                continue
            for leaf in range(first, stop):
                if bounds[leaf] <= near_distances[top] and bounds[leaf] < limit:
                    offer_leaf(mix, pool, query, leaf, near_distances, near_rows)
                    bounds[leaf] = FARTHER_THAN_ALL
    sort_nearest(near_distances, near_rows)


@inlined
def least_of(bounds):
    """Return the least bound, in a loop that a processor does several steps of at a time."""
    least = bounds[0]
    for i in range(bounds.size):
        least = smaller(least, bounds[i])
    return least


@inlined
def greatest_of(bounds):
    """Return the largest bound, in a loop that a processor does several steps of at a time."""
    most = bounds[0]
    for i in range(bounds.size):
        most = larger(most, bounds[i])
    return most


@inlined
def place_of(bounds, bound):
    """Return where a bound first stands."""
    at = 0
    while bounds[at] != bound:
        at += 1
    return at


@borrowing
def offer_leaf(mix, pool, query, leaf, near_distances, near_rows):
    """Let the records of a leaf enter, if they belong among the nearest. IN/OUT: the list."""
    first, distances, top = pool.starts[leaf], pool.distances, farthest_place(near_rows)
    leaf_distances(mix, pool, leaf, query)
    if least_of(distances[: pool.counts[leaf]]) > near_distances[top]:
        return
    for i in range(pool.counts[leaf]):
        if distances[i] <= near_distances[top]:
            offer(distances[i], pool.rows[first + i], near_distances, near_rows)


@kernel
def farthest_mixed(mix, pool, query):
    """Row of the record left that is farthest from the query, or -1 when none is left."""
    if 2 * pool.sizes[0] < pool.sizes[1]:
        cut_again(mix, pool)
    best, best_row, start = -1.0, np.int64(-1), 0
    upper_bounds(mix, pool, query)
    n_leaves, bounds = pool.sizes[2], pool.bounds
    if n_leaves > 0:  # first where the farthest is likely to be
        start = place_of(bounds, greatest_of(bounds[:n_leaves]))
        best, best_row = farthest_in_leaf(mix, pool, query, start, best, best_row)
    for first in range(0, n_leaves, STRETCH):
        stop = smaller(first + STRETCH, n_leaves)
        if greatest_of(bounds[first:stop]) < best:
            continue
        for leaf in range(first, stop):
            if leaf != start and bounds[leaf] >= best:
                best, best_row = farthest_in_leaf(mix, pool, query, leaf, best, best_row)
    return best_row


@borrowing
def farthest_in_leaf(mix, pool, query, leaf, best, best_row):
    """Best of the farthest so far and the records of a leaf."""
    first, count, distances = pool.starts[leaf], pool.counts[leaf], pool.distances
    if count == 0:
        return best, best_row
    leaf_distances(mix, pool, leaf, query)
    top = greatest_of(distances[:count])
    if top < best:
        return best, best_row
    return farthest_in_tile(pool, first, first + count, distances, top, best, best_row)
