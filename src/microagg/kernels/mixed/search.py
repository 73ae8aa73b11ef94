"""The nearest and the farthest of the mixed records left: leaves that cannot have them are passed over.

Bounds are computed in a different order than distances, so leaves are passed over by a margin for rounding.
What is not passed over is computed as a scan of all records would, so the result is the same, ties
included.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.mixed.pool import ANYWHERE, cut_again
from microagg.kernels.mixed.query import has_blanks, most_of, part_of
from microagg.kernels.mixed.records import has_many_slots
from microagg.kernels.space.near_list import farthest_place, offer, sort_nearest
from microagg.kernels.space.scan import FARTHER_THAN_ALL, farthest_in_tile, tile_distances

MARGIN = 1e-9
"""How much a bound may err, as a share of it; rounding errs by a millionth of that."""

FIRST_LEAVES = 6
"""How many leaves of least bounds are looked at before all others, so that few of these pass."""


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
    for _ in range(FIRST_LEAVES):
        leaf = least_bound(bounds[:n_leaves])
        if bounds[leaf] == FARTHER_THAN_ALL:  # it is empty, or was looked at
            break
        offer_leaf(mix, pool, query, leaf, near_distances, near_rows)
        bounds[leaf] = FARTHER_THAN_ALL
    top = farthest_place(near_rows)
    for limit in (0.7 * near_distances[top], FARTHER_THAN_ALL):
        for leaf in range(n_leaves):
            if bounds[leaf] <= near_distances[top] and bounds[leaf] < limit:
                offer_leaf(mix, pool, query, leaf, near_distances, near_rows)
                bounds[leaf] = FARTHER_THAN_ALL
    sort_nearest(near_distances, near_rows)


@inlined
def least_bound(bounds):
    """Return where a least bound stands, in two loops that a processor does several at a time."""
    least = bounds[0]
    for i in range(bounds.size):
        least = smaller(least, bounds[i])
    at = 0
    while bounds[at] != least:
        at += 1
    return at


@borrowing
def offer_leaf(mix, pool, query, leaf, near_distances, near_rows):
    """Let the records of a leaf enter, if they belong among the nearest. IN/OUT: the list."""
    first, distances, top = pool.starts[leaf], pool.distances, farthest_place(near_rows)
    leaf_distances(mix, pool, leaf, query)
    for i in range(pool.counts[leaf]):
        if distances[i] <= near_distances[top]:
            offer(distances[i], pool.rows[first + i], near_distances, near_rows)


@kernel
def farthest_mixed(mix, pool, query):
    """Row of the record left that is farthest from the query, or -1 when none is left."""
    if 2 * pool.sizes[0] < pool.sizes[1]:
        cut_again(mix, pool)
    best, best_row = -1.0, np.int64(-1)
    upper_bounds(mix, pool, query)
    start = 0
    for leaf in range(pool.sizes[2]):
        if pool.bounds[leaf] > pool.bounds[start]:
            start = leaf
    for step in range(-1, pool.sizes[2]):  # first where the farthest is likely to be
        leaf = start if step < 0 else step
        stop = pool.counts[leaf]
        if stop == 0 or step == start or pool.bounds[leaf] < best:
            continue
        leaf_distances(mix, pool, leaf, query)
        top = pool.distances[0]
        for i in range(1, stop):
            top = larger(top, pool.distances[i])
        if top >= best:
            first = pool.starts[leaf]
            best, best_row = farthest_in_tile(
                pool, first, first + stop, pool.distances, top, best, best_row
            )
    return best_row


@borrowing
def lower_bounds(mix, pool, query):
    """How near the records of each leaf come to the query, at least. OUT: pool.bounds."""
    n_leaves, bounds = pool.sizes[2], pool.bounds
    for leaf in range(n_leaves):
        bounds[leaf] = 0.0
    for j in range(query.point.size):
        if not query.known[j]:
            continue
        point, lows, highs = query.point[j], pool.lows[j], pool.highs[j]
        for leaf in range(n_leaves):
            gap = larger(larger(lows[leaf] - point, point - highs[leaf]), 0.0)
            bounds[leaf] += gap if mix.gower else gap * gap
    add_categories(mix, pool, query, 1.0)
    if mix.blanks:
        scale_bounds(mix, pool, query, 0.0, mix.apart)
    slack = MARGIN * MARGIN * mix.apart
    for leaf in range(n_leaves):
        bounds[leaf] = bounds[leaf] * (1.0 - MARGIN) - slack
        if pool.counts[leaf] == 0:
            bounds[leaf] = FARTHER_THAN_ALL


@borrowing
def upper_bounds(mix, pool, query):
    """How far the records of each leaf are from the query, at most. OUT: pool.bounds."""
    n_leaves, bounds = pool.sizes[2], pool.bounds
    away = 0.0
    for leaf in range(n_leaves):
        bounds[leaf] = 0.0
    for j in range(query.point.size):
        if not query.known[j]:
            continue
        point, lows, highs = query.point[j], pool.lows[j], pool.highs[j]
        away += (point - pool.centre[j]) * (point - pool.centre[j])
        for leaf in range(n_leaves):
            gap = larger(highs[leaf] - point, point - lows[leaf])
            bounds[leaf] += gap if mix.gower else gap * gap
    if not mix.gower:
        for leaf in range(n_leaves):
            square = away + pool.norms[leaf] + 2.0 * np.sqrt(away * pool.norms[leaf])
            bounds[leaf] = smaller(bounds[leaf], square)
    add_categories(mix, pool, query, -1.0)
    if mix.blanks:
        scale_bounds(mix, pool, query, ANYWHERE, ANYWHERE)
    slack = MARGIN * MARGIN * mix.apart
    for leaf in range(n_leaves):
        bounds[leaf] = bounds[leaf] * (1.0 + MARGIN) + slack
        if pool.counts[leaf] == 0:
            bounds[leaf] = -1.0


@borrowing
def scale_bounds(mix, pool, query, least, most):
    """Turn bounds on sums over what is present into bounds on distances. IN/OUT: pool.bounds.

    Where the records of a leaf have several patterns, the bound is only brought between two values: factors
    are at least 1, or there is nothing in common.
    """
    for leaf in range(pool.sizes[2]):
        pattern, bound = pool.shared[leaf], pool.bounds[leaf]
        if pattern >= 0:
            pool.bounds[leaf] = bound * query.factors[pattern] + query.addends[pattern]
        else:
            pool.bounds[leaf] = larger(smaller(bound, most), least)


@borrowing
def add_categories(mix, pool, query, sign):
    """Add what the categories of each leaf add, at least, or at most with sign -1. IN/OUT: pool.bounds."""
    c, bounds, ends = pool.slots.shape[0], pool.bounds, pool.ends
    for j in range(c):
        if has_many_slots(mix, j):
            add_one_of_many(mix, pool, query, j, sign)
            continue
        end = sign * query.slots[mix.starts[j]]
        for slot in range(mix.starts[j], mix.starts[j + 1]):
            ends[slot] = query.slots[slot]
            end = smaller(end, sign * query.slots[slot])
        ends[mix.starts[c] + j] = sign * end
        slots = pool.slots[j]
        for leaf in range(pool.sizes[2]):
            bounds[leaf] += ends[slots[leaf]]


@borrowing
def add_one_of_many(mix, pool, query, column, sign):
    """`add_categories` for a column of many slots. IN/OUT: pool.bounds."""
    c, start = pool.slots.shape[0], mix.starts[column]
    if not query.known[query.point.size + column]:
        return
    blank = mix.starts[column + 1] - 1 if has_blanks(mix, column) else -1
    end = most_of(mix, query, column) if sign < 0.0 else 0.0
    for leaf in range(pool.sizes[2]):
        slot = pool.slots[column, leaf]
        if slot == mix.starts[c] + column:
            pool.bounds[leaf] += end
        elif slot != blank:
            pool.bounds[leaf] += part_of(mix, query, column, slot - start)


@borrowing
def leaf_distances(mix, pool, leaf, query):
    """Distances of the records of a leaf to the query. OUT: pool.distances."""
    m, start = pool.counts[leaf], pool.starts[leaf]
    stop, out, d = start + m, pool.distances, query.point.size
    if mix.gower or pool.masks.shape[0] > 0 or not query.known[:d].all():
        add_any_numbers(mix, pool, start, stop, query)
    else:
        tile_distances(pool.numbers, start, stop, query.point, out)
    for b in range(pool.block_codes.shape[0]):
        joint, codes = query.joint[b], pool.block_codes[b, start:stop]
        if has_many_slots(mix, mix.blocks[b]):
            add_names(mix, pool, start, mix.blocks[b], codes, query)
        elif pool.pure[b, leaf]:
            own = joint[codes[0]]
            for i in range(m):
                out[i] += own
        else:
            for i in range(m):
                out[i] += joint[codes[i]]
    if mix.blanks:
        patterns = pool.patterns[start:stop]
        for i in range(m):
            out[i] = out[i] * query.factors[patterns[i]] + query.addends[patterns[i]]


@borrowing
def add_names(mix, pool, start, column, codes, query):
    """What a column of many slots adds to the distances of some places. IN/OUT: pool.distances."""
    j, out = query.point.size + column, pool.distances
    if query.known[j]:
        for i in range(codes.size):
            if mix.known[pool.patterns[start + i], j]:
                out[i] += part_of(mix, query, column, codes[i])


@borrowing
def add_any_numbers(mix, pool, start, stop, query):
    """What the numbers of places start..stop-1 add to distances. OUT: pool.distances."""
    out = pool.distances
    for i in range(stop - start):
        out[i] = 0.0
    for j in range(query.point.size):
        if not query.known[j]:
            continue
        values, mask = pool.numbers[j, start:stop], mix.mask_at[j]
        if mask < 0:
            add_numbers(values, query.point[j], mix.gower, out)
        else:
            add_masked(values, pool.masks[mask, start:stop], query.point[j], mix.gower, out)


@inlined
def add_numbers(values, point, gower, out):
    """Add what a column of numbers without blanks contributes. IN/OUT: out."""
    if gower:
        for i in range(values.size):
            out[i] += abs(values[i] - point)
    else:
        for i in range(values.size):
            t = values[i] - point
            out[i] += t * t


@inlined
def add_masked(values, mask, point, gower, out):
    """Add what a column of numbers contributes where it is present. IN/OUT: out."""
    if gower:
        for i in range(values.size):
            out[i] += abs((values[i] - point) * mask[i])
    else:
        for i in range(values.size):
            t = (values[i] - point) * mask[i]
            out[i] += t * t
