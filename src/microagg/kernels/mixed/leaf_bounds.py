"""Bounds on the distances of the records of each leaf to a query.

They are computed in a different order than distances, so they have a margin for rounding.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined
from microagg.kernels.mixed.pool import ANYWHERE
from microagg.kernels.mixed.query import has_blanks, most_of, part_of
from microagg.kernels.mixed.records import has_many_slots
from microagg.kernels.space.scan import FARTHER_THAN_ALL

MARGIN = 1e-9
"""How much a bound may err, as a share of it; rounding errs by a millionth of that."""


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
            gap = (
                gap if highs[leaf] < ANYWHERE else 0.0
            )  # blanks; see `scale_bounds` for part of them
            bounds[leaf] += gap if mix.gower else gap * gap
    if not mix.gower:
        away, radii = np.sqrt(away), pool.radii
        for leaf in range(n_leaves):
            reach = away + radii[leaf]
            bounds[leaf] = smaller(bounds[leaf], reach * reach)
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
        if query.own[j] >= 0:
            add_others(mix, pool, query.own[j], j, sign)
            continue
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
def add_others(mix, pool, own, column, sign):
    """`add_categories` for a query of one category. IN/OUT: pool.bounds; pool.slots is restored."""
    bounds, slots, strength = pool.bounds, pool.slots[column], mix.strengths[column]
    several = mix.starts[pool.slots.shape[0]] + column
    blank = mix.starts[column + 1] - 1 if has_blanks(mix, column) else own
    if sign > 0.0:  # in the loop, a leaf that has it among others counts as if it had no other
        mark_holders(pool, slots, own, own)
        mark_holders(pool, slots, blank, own)
    for leaf in range(pool.sizes[2]):
        bounds[leaf] += 0.0 if slots[leaf] == own or slots[leaf] == blank else strength
    if sign > 0.0:
        mark_holders(pool, slots, own, several)
        mark_holders(pool, slots, blank, several)


@inlined
def mark_holders(pool, slots, slot, mark):
    """Write a mark for each leaf of several categories that has this one. OUT: slots."""
    for i in range(pool.holder_starts[slot], pool.holder_starts[slot + 1]):
        slots[pool.holders[i]] = mark


@borrowing
def add_one_of_many(mix, pool, query, column, sign):
    """`add_categories` for a column of many slots. IN/OUT: pool.bounds."""
    c, start = pool.slots.shape[0], mix.starts[column]
    if not query.known[query.point.size + column]:
        return
    blank = mix.starts[column + 1] - 1 if has_blanks(mix, column) else -1
    latest, part = np.int64(-1), 0.0
    for leaf in range(pool.sizes[2]):
        slot = pool.slots[column, leaf]
        if slot != latest:  # mostly, the leaf before has the same
            latest = slot
            if slot == mix.starts[c] + column:
                part = most_of(mix, query, column) if sign < 0.0 else 0.0
            else:
                part = 0.0 if slot == blank else part_of(mix, query, column, slot - start)
        pool.bounds[leaf] += part
