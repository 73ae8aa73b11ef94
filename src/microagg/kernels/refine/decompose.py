"""Decompose: dissolve a group if its records lose less in the groups nearest to them."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.order import least_above, pick, sort_values, stable_order, where_equal
from microagg.kernels.refine.groups import add_members, gap, list_members, set_members
from microagg.kernels.refine.joining import (
    Joining,
    cost_of,
    join,
    new_joining,
    nobody_joins,
    place_of,
)
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
"""By number, by decreasing error, or from the last number to the first."""

FEW = 64
"""The initial room for the members of a group."""

EXTRA = 1.25
"""Records contribute so many times their part of what a bound lacks if they can, as some cannot."""


class Scattering(NamedTuple):
    """Room to evaluate the dissolution of a group of at most m records.

    Attributes
    ----------
    rows, targets : int64[m]
        Its members, and the group that each joins.
    squares : float64[m]
        The squared distances of one member to all members.
    shares : float64[m]
        What each member adds to the error elsewhere, at least.
    joining : Joining
        The records that join each group.
    """

    rows: np.ndarray
    targets: np.ndarray
    squares: np.ndarray
    shares: np.ndarray
    joining: Joining


@kernel
def new_scattering(m, d):
    """Return room for at most m records."""
    rows = np.empty(m, dtype=np.int64)
    return Scattering(rows, np.empty_like(rows), np.empty(m), np.empty(m), new_joining(m, d))


@kernel
def decompose(groups, cache, k, cap, order, ticker):
    """Try to dissolve each group once, and do so if that reduces the error.

    Means stay fixed while the records of one group are assigned. No group grows beyond `cap`, unless
    that is 0. Returns the number of dissolved groups. IN/OUT: groups, cache.
    """
    turn = order_of_groups(groups, order)
    tell_all(cache, groups)
    dissolved, most = 0, FEW
    room = new_scattering(most, groups.means.shape[1])
    for group in turn:
        if ticker[1] != 0:
            break
        ticker[0] += 1
        if groups.sizes[group] == 0:
            continue
        hear(cache, groups, group)
        if holds(cache, groups, group, cache.kept):
            continue
        if groups.sizes[group] > most:
            most = 2 * groups.sizes[group]
            room = new_scattering(most, groups.means.shape[1])
        count = list_members(groups, group, room.rows)
        if is_kept(groups, cache, room, group, count, k):
            cache.kept[group] = ANYHOW
        elif is_worth_it(groups, cache, room, group, count, k, cap):
            scatter(groups, cache, group, room.rows[:count], room.targets[:count])
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


@borrowing
def is_kept(groups, cache, room, group, count, k):
    """Tell whether a lower bound rules out that dissolving a group reduces the error. IN/OUT: cache, room.

    The bound is the sum of what each record adds elsewhere at least. Groups are sought only as far as the
    bound needs: first for records of which nothing is known, which share what the bound lacks, and then
    for one record after the other. That is nearer than the nearest group of most records.
    """
    enough = groups.errors[group] * ROUNDING
    total, unknown = 0.0, 0
    for a in range(count):
        list_squares(groups, room, a, count)
        room.shares[a] = least_share(cache.gaps[room.rows[a]], room.squares[:count], k)
        total += room.shares[a]
        unknown += cache.gaps[room.rows[a]] < 0.0
    for turn in range(2):
        for a in range(count):
            row = room.rows[a]
            if total >= enough:
                return True
            if turn == 0 and cache.gaps[row] >= 0.0:
                continue
            more = (enough - total) * (EXTRA / unknown if unknown > 1 else 1.0)
            list_squares(groups, room, a, count)
            limit = gap_for(room.shares[a] + more, room.squares[:count], k)
            seek(cache, groups, row, limit * ROUNDING)
            share = least_share(cache.gaps[row], room.squares[:count], k)
            total += share - room.shares[a]
            room.shares[a] = share
            unknown -= turn == 0
    return total >= enough


@borrowing
def list_squares(groups, room, a, count):
    """Squared distances of one member of a group to all, in order; its own is 0. OUT: room.squares."""
    for i in range(count):
        room.squares[i] = between(groups.points, room.rows[a], room.rows[i])
    sort_values(room.squares[:count])


@inlined
def least_share(gap, squares, k):
    """The least that a record adds to the error of a group that it joins, with others or not.

    If m records join a group of s records with mean c, the error grows by
    (s sum |x - c|^2 + sum |x - y|^2) / (s + m), where the last sum is over their pairs. It is least for
    s = k, and the share of one record x is least if the others are the nearest to x.
    """
    total = k * larger(gap, 0.0)
    least = total / (k + 1)
    for m in range(2, squares.size + 1):
        total += squares[m - 1] / 2
        least = smaller(least, total / (k + m))
    return least


@inlined
def gap_for(share, squares, k):
    """The squared distance of the nearest group with which `least_share` is `share`."""
    total, gap = 0.0, share * (k + 1)
    for m in range(2, squares.size + 1):
        total += squares[m - 1] / 2
        gap = larger(gap, share * (k + m) - total)
    return gap / k


@inlined
def between(points, row, other):
    """Squared distance of two records."""
    total = 0.0
    for j in range(points.shape[1]):
        t = points[row, j] - points[other, j]
        total += t * t
    return total


@borrowing
def is_worth_it(groups, cache, room, group, count, k, cap):
    """Choose a target for each record of a group; return whether the error falls. IN/OUT: cache, room.

    Each record that joins a group adds to the error, so the answer is no as soon as the sum reaches the
    error of the group.
    """
    saved = groups.errors[group] - groups.least
    nobody_joins(room.joining)
    change = 0.0
    for i in range(count):
        row = room.rows[i]
        target = target_of(groups, cache, room.joining, row, k, cap, saved - change)
        if target >= 0:
            change += join(room.joining, groups, row, target)
        if target < 0 or change >= saved:
            return False
        room.targets[i] = target
    return True


@kernel
def scatter(groups, cache, group, rows, targets):
    """Dissolve one group: its records join their targets. IN/OUT: groups, cache."""
    set_members(groups, group, rows[:0])
    has_changed(cache, groups, group)
    target = least_above(targets, -1)
    while target >= 0:
        add_members(groups, target, pick(rows, where_equal(targets, target)))
        has_changed(cache, groups, target)
        above = least_above(targets, target)
        target = above if above > target else np.int64(-1)


@borrowing
def target_of(groups, cache, joining, row, k, cap, most):
    """Return the group of nearest mean with room for a record; -1 if there is none, or all cost `most`.

    Joining a group of s >= k records costs s / (s + 1) of the squared distance. It may cost less if other
    records have joined it before, since the mean has moved.
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
    """Tell whether a group has no room beyond the records that join it."""
    return groups.sizes[group] + joining.counts[place_of(joining, group)] >= cap


@borrowing
def nearest_with_room(groups, joining, row, cap):
    """Return the other group of nearest mean that stays within `cap`; -1 if there is none."""
    best_gap, best = FARTHER_THAN_ALL, np.int64(-1)
    for group in range(groups.sizes.size):
        if groups.sizes[group] == 0 or group == groups.labels[row]:
            continue
        if not is_full(groups, joining, group, cap):
            there = gap(groups.points, row, groups.means, group)
            if there < best_gap:
                best_gap, best = there, np.int64(group)
    return best
