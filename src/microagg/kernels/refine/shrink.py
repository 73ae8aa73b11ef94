"""Shrink: move records of groups larger than k to groups in which they lose less."""

import numpy as np

from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.refine.groups import gap, shift
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
    """Move the best record of each group larger than k, again and again; return the moves made.

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
    """Tell whether known distances rule out that a record of a group gains elsewhere."""
    size, row = groups.sizes[group], groups.first[group]
    while row >= 0:
        saved = gap(groups.points, row, groups.means, group) * size / (size - 1)
        if cache.gaps[row] < saved * (k + 1) / k * ROUNDING:
            return False
        row = groups.following[row]
    return True


@borrowing
def best_shift(groups, cache, group, k):
    """Return the record whose move to its nearest group gains most, and that group; -1 if none gains.

    Moving x out of a group of n saves n / (n - 1) |x - c|^2, into one of m costs
    m / (m + 1) |x - c|^2, with m >= k.
    """
    size = groups.sizes[group]
    best, best_row, best_target = -groups.least, np.int64(-1), np.int64(-1)
    row = groups.first[group]
    while row >= 0:
        saved = gap(groups.points, row, groups.means, group) * size / (size - 1)
        target = seek(cache, groups, row, (saved + best) * (k + 1) / k * ROUNDING)
        if target >= 0:
            other_size = groups.sizes[target]
            change = cache.gaps[row] * other_size / (other_size + 1) - saved
            if change < best:
                best, best_row, best_target = change, row, target
        row = groups.following[row]
    return best_row, best_target
