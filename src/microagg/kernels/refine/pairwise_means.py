"""Pairwise means: the records of two near groups are divided anew by their means, pair after pair."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.order import copy_to
from microagg.kernels.refine.groups import members, set_members
from microagg.kernels.refine.swap_shift import is_stale
from microagg.kernels.space.leaves import select
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import search_nearest

ENOUGH = 0.001
"""A pass that lowers the error by a smaller share is the last."""


@kernel
def pairwise_means(groups, k, width, ticker):
    """Divide each group and its `width` nearest anew until a pass gains little; returns how often.

    A group is looked at again only when it or one of those near it has changed since. IN/OUT: groups.
    """
    n_groups = groups.sizes.size
    changed = np.zeros(n_groups, dtype=np.int64)
    looked = np.full(n_groups, -1, dtype=np.int64)
    near, near_gaps = np.full((n_groups, width), -1, dtype=np.int64), np.empty(width)
    changes, error, before = 0, total(groups.errors), FARTHER_THAN_ALL
    while error < before * (1 - ENOUGH) and ticker[1] == 0:
        before = error
        for group in range(n_groups):
            if groups.sizes[group] == 0 or not is_stale(group, looked, near[group], changed):
                continue
            since, looked[group] = looked[group], changes
            mean, others = groups.means[group], near[group]
            search_nearest(
                groups.tree, groups.room, mean, group, FARTHER_THAN_ALL, near_gaps, others
            )
            for other in others:
                if other < 0 or ticker[1] != 0 or larger(changed[group], changed[other]) <= since:
                    continue
                if divide(groups, group, other, k):
                    changes += 1
                    changed[group] = changed[other] = changes
            ticker[0] = changes
        error = total(groups.errors)
    return changes


@inlined
def total(values):
    """Sum of values, one after the other."""
    result = 0.0
    for value in values:
        result += value
    return result


@kernel
def divide(groups, group, other, k):
    """Divide the records of two groups by which mean is nearer, if that gains. IN/OUT: groups.

    Both keep k to 2k-1 records, and of records that are as near, the first join `group`.
    """
    ours, theirs = members(groups, group), members(groups, other)
    rows = np.empty(ours.size + theirs.size, dtype=np.int64)
    copy_to(rows, ours)
    copy_to(rows[ours.size :], theirs)
    keys, middle = along(groups, rows, group, other)
    most = larger(2 * k - 1, (rows.size + 1) // 2)
    size = 0
    for key in keys:
        size += key <= middle
    size = larger(smaller(size, smaller(rows.size - k, most)), larger(k, rows.size - most))
    stay, leave = parts(rows, keys, size)
    gain = groups.errors[group] + groups.errors[other]
    gain -= error_of(groups.points, stay) + error_of(groups.points, leave)
    if gain <= groups.least:
        return False
    set_members(groups, group, stay)
    set_members(groups, other, leave)
    return True


@kernel
def along(groups, rows, group, other):
    """Where rows lie on the way from one mean to the other, and where the middle is."""
    d = groups.means.shape[1]
    way, middle = np.empty(d), 0.0
    for j in range(d):
        way[j] = groups.means[other, j] - groups.means[group, j]
        middle += way[j] * (groups.means[other, j] + groups.means[group, j]) / 2
    keys = np.empty(rows.size)
    for i in range(rows.size):
        keys[i] = 0.0
        for j in range(d):
            keys[i] += groups.points[rows[i], j] * way[j]
    return keys, middle


@kernel
def parts(rows, keys, size):
    """The `size` rows of smallest key, the first of equals, and the others, both in order."""
    sorted_keys, scratch = keys.copy(), rows.copy()
    select(sorted_keys, scratch, size)
    border = sorted_keys[0]
    for key in sorted_keys[:size]:
        border = larger(border, key)
    equal = size
    for key in keys:
        equal -= key < border
    low, high = np.empty(size, dtype=np.int64), np.empty(rows.size - size, dtype=np.int64)
    n_low = n_high = 0
    for i in range(rows.size):
        if keys[i] < border or (keys[i] == border and equal > 0):
            equal -= keys[i] == border
            low[n_low] = rows[i]
            n_low += 1
        else:
            high[n_high] = rows[i]
            n_high += 1
    return low, high


@kernel
def error_of(points, rows):
    """Sum of squared distances of some rows to their mean."""
    d = points.shape[1]
    mean = np.zeros(d)
    for row in rows:
        for j in range(d):
            mean[j] += points[row, j]
    for j in range(d):
        mean[j] /= rows.size
    error = 0.0
    for row in rows:
        gap = 0.0
        for j in range(d):
            t = points[row, j] - mean[j]
            gap += t * t
        error += gap
    return error
