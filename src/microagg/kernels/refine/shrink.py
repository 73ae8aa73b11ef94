"""Shrink: let records of groups larger than k go where they cost less."""

import numpy as np

from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.refine.groups import gap, members, shift
from microagg.kernels.refine.near_groups import (
    ANYHOW,
    ROUNDING,
    WHILE_NEAR,
    has_changed,
    hear,
    holds,
    seek,
)


@kernel
def shrink(groups, cache, k, ticker):
    """Shrink each group larger than k, one best record at a time; returns how many moved.

    A record may move to the group of nearest mean. IN/OUT: groups, cache.
    """
    moved = 0
    for group in range(groups.sizes.size):
        while groups.sizes[group] > k and ticker[1] == 0:
            hear(cache, groups, group)
            if holds(cache, groups, group, cache.steady):
                break
            if is_steady(groups, cache, group, k):
                cache.steady[group] = ANYHOW
                break
            row, target = best_shift(groups, cache, group, k)
            if row < 0:
                cache.steady[group] = WHILE_NEAR
                break
            shift(groups, row, target)
            has_changed(cache, groups, group)
            has_changed(cache, groups, target)
            moved += 1
    return moved


@borrowing
def is_steady(groups, cache, group, k):
    """Tell whether no record of a group gains elsewhere, by what they know."""
    size, row = groups.sizes[group], groups.first[group]
    while row >= 0:
        saved = gap(groups.points, row, groups.means, group) * size / (size - 1)
        if cache.gaps[row] < saved * (k + 1) / k * ROUNDING:
            return False
        row = groups.following[row]
    return True


@kernel
def best_shift(groups, cache, group, k):
    """Record of the group whose move to its nearest group gains most; -1 when none gains.

    Moving x out of a group of n saves n / (n - 1) |x - c|^2, into one of m costs
    m / (m + 1) |x - c|^2, with m >= k.
    """
    size = groups.sizes[group]
    best, best_row, best_target = -groups.least, np.int64(-1), np.int64(-1)
    for row in members(groups, group):
        saved = gap(groups.points, row, groups.means, group) * size / (size - 1)
        target = seek(cache, groups, row, (saved + best) * (k + 1) / k * ROUNDING)
        if target < 0:
            continue
        other_size = groups.sizes[target]
        change = cache.gaps[row] * other_size / (other_size + 1) - saved
        if change < best:
            best, best_row, best_target = change, row, target
    return best_row, best_target
