"""Decompose: give up a group where its records lose less in the groups nearest to them."""

import numpy as np

from microagg.kernels.groups import add_members, gap, members, set_members
from microagg.kernels.jit import kernel
from microagg.kernels.near_groups import has_changed, seek
from microagg.kernels.scan import FARTHER_THAN_ALL

ORDERS = {"number": 0, "error": 1, "reverse": 2}
"""As the groups are numbered, by falling error, or from the last to the first."""


@kernel
def decompose(groups, cache, cap, order, ticker):
    """Try each group once, and give it up where that lowers the error.

    Means stay fixed while the records of one group look for theirs. No group grows beyond `cap`,
    if that is not 0. Returns how many groups were given up. IN/OUT: groups, cache.
    """
    turn = np.arange(groups.sizes.size)
    if order == 1:
        turn = np.argsort(-groups.errors, kind="mergesort")
    elif order == 2:
        turn = turn[::-1].copy()
    given_up = 0
    for group in turn:
        if ticker[1] != 0:
            break
        ticker[0] += 1
        if groups.sizes[group] > 0 and scatter(groups, cache, group, cap):
            given_up += 1
    return given_up


@kernel
def scatter(groups, cache, group, cap):
    """Give up one group if that lowers the error; tells whether it did. IN/OUT: groups, cache."""
    rows = members(groups, group)
    targets = np.empty(rows.size, dtype=np.int64)
    for i in range(rows.size):
        targets[i] = seek(cache, groups, rows[i])
        if cap > 0 and is_full(groups, targets, i, cap):
            targets[i] = nearest_with_room(groups, rows[i], targets[:i], cap)
        if targets[i] < 0:
            return False
    if change_of(groups, rows, targets) >= groups.errors[group] - groups.least:
        return False
    set_members(groups, group, rows[:0])
    has_changed(cache, groups, group)
    for target in np.unique(targets):
        add_members(groups, target, rows[targets == target])
        has_changed(cache, groups, target)
    return True


@kernel
def is_full(groups, targets, i, cap):
    """Tell whether the target of the i-th record has no room beside those before it."""
    if targets[i] < 0:
        return False
    taken = np.count_nonzero(targets[:i] == targets[i])
    return groups.sizes[targets[i]] + taken >= cap


@kernel
def nearest_with_room(groups, row, taken, cap):
    """Other group of nearest mean that stays within `cap`; -1 when none does."""
    best_gap, best = FARTHER_THAN_ALL, np.int64(-1)
    for group in range(groups.sizes.size):
        if groups.sizes[group] == 0 or group == groups.labels[row]:
            continue
        if groups.sizes[group] + np.count_nonzero(taken == group) < cap:
            there = gap(groups.columns, row, groups.means[group])
            if there < best_gap:
                best_gap, best = there, np.int64(group)
    return best


@kernel
def change_of(groups, rows, targets):
    """Error added when each of `rows` joins its target.

    A group of size n and mean c that takes the set A gains
    sum |x - c|^2 - |sum (x - c)|^2 / (n + |A|).
    """
    d = groups.columns.shape[0]
    total = np.empty(d)
    change = 0.0
    for i in range(rows.size):
        target = targets[i]
        if np.count_nonzero(targets[:i] == target) > 0:
            continue
        total[:] = 0.0
        joining = 0
        for other in range(i, rows.size):
            if targets[other] == target:
                joining += 1
                change += gap(groups.columns, rows[other], groups.means[target])
                for j in range(d):
                    total[j] += groups.columns[j, rows[other]] - groups.means[target, j]
        for j in range(d):
            change -= total[j] * total[j] / (groups.sizes[target] + joining)
    return change
