"""Decompose: give up a group where its records lose less in the groups nearest to them."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.order import least_above, pick, sort_values, stable_order, where_equal
from microagg.kernels.refine.groups import add_members, gap, members, set_members
from microagg.kernels.refine.joining import cost_of, join, new_joining, place_of
from microagg.kernels.refine.near_groups import (
    ANYHOW,
    ROUNDING,
    WHILE_NEAR,
    has_changed,
    hear,
    holds,
    seek,
    tell_all,
)
from microagg.kernels.space.scan import FARTHER_THAN_ALL

ORDERS = {"number": 0, "error": 1, "reverse": 2}
"""As the groups are numbered, by falling error, or from the last to the first."""


@kernel
def decompose(groups, cache, k, cap, order, ticker):
    """Try each group once, and give it up where that lowers the error.

    Means stay fixed while the records of one group look for theirs. No group grows beyond `cap`,
    if that is not 0. Returns how many groups were given up. IN/OUT: groups, cache.
    """
    turn = order_of_groups(groups, order)
    tell_all(cache, groups)
    dissolved = 0
    for group in turn:
        if ticker[1] != 0:
            break
        ticker[0] += 1
        if groups.sizes[group] == 0:
            continue
        hear(cache, groups, group)
        if holds(cache, groups, group, cache.kept):
            continue
        if is_kept(groups, cache, group, k):
            cache.kept[group] = ANYHOW
        elif scatter(groups, cache, group, k, cap):
            dissolved += 1
        else:
            cache.kept[group] = WHILE_NEAR
    return dissolved


@kernel
def order_of_groups(groups, order):
    """Groups in one of the `ORDERS`."""
    if order == 1:
        return stable_order(groups.errors, -1.0)
    n_groups = groups.sizes.size
    turn = np.empty(n_groups, dtype=np.int64)
    for group in range(n_groups):
        turn[group] = n_groups - 1 - group if order == 2 else group
    return turn


@kernel
def is_kept(groups, cache, group, k):
    """Tell whether a group is not worth to be given up, by what its records know."""
    rows = members(groups, group)
    return least_cost(groups, cache, rows, k) >= groups.errors[group] * ROUNDING


@kernel
def least_cost(groups, cache, rows, k):
    """Error that the records of a group add elsewhere, at least, wherever they go.

    If m of them join a group of s records and mean c, that adds
    (s sum |x - c|^2 + sum |x - y|^2) / (s + m), the last sum over their pairs. That is least with
    s = k and, for the share of one record x, with those y that are nearest to x.
    """
    total, squares = 0.0, np.empty(rows.size)
    for row in rows:
        for i in range(rows.size):
            squares[i] = between(groups.points, row, rows[i])
        sort_values(squares)
        share = k * larger(cache.gaps[row], 0.0)
        least = share / (k + 1)
        for m in range(2, rows.size + 1):
            share += squares[m - 1] / 2  # squares[0] is that of x itself
            least = smaller(least, share / (k + m))
        total += least
    return total


@inlined
def between(points, row, other):
    """Squared distance of two records."""
    total = 0.0
    for j in range(points.shape[1]):
        t = points[row, j] - points[other, j]
        total += t * t
    return total


@kernel
def scatter(groups, cache, group, k, cap):
    """Give up one group if that lowers the error; tells whether it did. IN/OUT: groups, cache.

    Each record that joins a group adds to the error, so it is settled as soon as those that have
    joined cost what the group would save.
    """
    saved = groups.errors[group] - groups.least
    rows = members(groups, group)
    targets = np.empty(rows.size, dtype=np.int64)
    joining = new_joining(rows.size, groups.means.shape[1])
    change = 0.0
    for i in range(rows.size):
        targets[i] = target_of(groups, cache, joining, rows[i], k, cap, saved - change)
        if targets[i] >= 0:
            change += join(joining, groups, rows[i], targets[i])
        if targets[i] < 0 or change >= saved:
            return False
    set_members(groups, group, rows[:0])
    has_changed(cache, groups, group)
    target = least_above(targets, -1)
    while target >= 0:
        add_members(groups, target, pick(rows, where_equal(targets, target)))
        has_changed(cache, groups, target)
        above = least_above(targets, target)
        target = above if above > target else np.int64(-1)
    return True


@borrowing
def target_of(groups, cache, joining, row, k, cap, most):
    """Group of nearest mean that has room for a record; -1 when none has, or all cost `most`.

    To join a group of s >= k records costs s / (s + 1) of the squared distance. It may cost less to
    join one that other records have joined before: their mean is not that of the group.
    """
    target = seek(cache, groups, row, most * (k + 1) / k * ROUNDING)
    if target < 0:
        for at in range(joining.size[0]):
            if cost_of(joining, groups, row, joining.targets[at]) < most:
                target = seek(cache, groups, row, FARTHER_THAN_ALL)
    if target >= 0 and cap > 0 and is_full(groups, joining, target, cap):
        target = nearest_with_room(groups, joining, row, cap)
    return target


@borrowing
def is_full(groups, joining, group, cap):
    """Tell whether a group has no room beside those that join it."""
    return groups.sizes[group] + joining.counts[place_of(joining, group)] >= cap


@borrowing
def nearest_with_room(groups, joining, row, cap):
    """Other group of nearest mean that stays within `cap`; -1 when none does."""
    best_gap, best = FARTHER_THAN_ALL, np.int64(-1)
    for group in range(groups.sizes.size):
        if groups.sizes[group] == 0 or group == groups.labels[row]:
            continue
        if not is_full(groups, joining, group, cap):
            there = gap(groups.points, row, groups.means, group)
            if there < best_gap:
                best_gap, best = there, np.int64(group)
    return best
