"""Groups of sorted values that are merged two at a time, as k-Ward does.

A group is known by the position of its lowest value. Merging groups of a and b values, whose means are
t apart, adds ``a b / (a + b) t^2`` to the sum of squares. Two groups that both hold k never merge. Of
pairs that add the same, the one of fewer values merges, then that of the lowest positions.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel


class WardGroups(NamedTuple):
    """Groups, each at the position of its lowest value.

    Attributes
    ----------
    size : int64[n]
        How many values the group at a position has; 0 where there is none.
    mean : float64[n]
        The mean of the group at a position.
    last : int64[n]
        The end of its chain of members.
    following : int64[n]
        The next member after each, or -1.
    """

    size: np.ndarray
    mean: np.ndarray
    last: np.ndarray
    following: np.ndarray


@kernel
def first_groups(values, k):
    """The first k values, the last k, and each other on its own; then those of equal values merged."""
    n = values.size
    size, mean = np.zeros(n, dtype=np.int64), values.copy()
    groups = WardGroups(size, mean, np.arange(n), np.full(n, -1, dtype=np.int64))
    size[k : n - k] = 1
    for begin in (0, n - k):
        size[begin] = k
        total = 0.0
        for i in range(begin, begin + k):
            total += values[i] - values[begin]
            groups.following[i] = i + 1 if i + 1 < begin + k else -1
        mean[begin] += total / k
        groups.last[begin] = begin + k - 1
    alone = np.flatnonzero(size)
    begin = 0
    while begin < alone.size:
        end = begin + 1
        while end < alone.size and mean[alone[end]] == mean[alone[begin]]:
            end += 1
        merge_equal(groups, alone[begin:end], k)
        begin = end
    return groups


@kernel
def merge_equal(groups, members, k):
    """Merge groups of one mean, the two smallest first, while one of them has fewer than k.

    `members` are single values but for those of k at either end. What is merged is never smaller than
    what was merged before, so that a queue is always in order.
    """
    single = members[groups.size[members] == 1]
    grouped = members[groups.size[members] > 1]
    merged = np.empty(members.size, dtype=np.int64)
    waiting = np.zeros(3, dtype=np.int64)  # how many were taken from each of the three
    added = 0
    for _ in range(members.size - 1):
        a = take_smallest(groups, single, merged[:added], grouped, waiting)
        if groups.size[a] >= k:
            return
        b = take_smallest(groups, single, merged[:added], grouped, waiting)
        merged[added] = merge(groups, a, b)
        added += 1


@kernel
def take_smallest(groups, single, merged, grouped, waiting):
    """Take the group of fewest values, then of lowest position, off the front of three queues."""
    best, source = -1, -1
    for queue in range(3):
        rows = single if queue == 0 else merged if queue == 1 else grouped
        if waiting[queue] < rows.size:
            row = rows[waiting[queue]]
            if best < 0 or (groups.size[row], row) < (groups.size[best], best):
                best, source = row, queue
    waiting[source] += 1
    return best


@inlined
def merge(groups, a, b):
    """Join two groups; returns where the new one is."""
    low, high = (a, b) if groups.mean[a] <= groups.mean[b] else (b, a)
    total = groups.size[a] + groups.size[b]
    moved = (groups.mean[high] - groups.mean[low]) * (groups.size[high] / total)
    mean = smaller(groups.mean[low] + moved, groups.mean[high])  # so that means stay in order
    kept, gone = smaller(a, b), larger(a, b)
    groups.following[groups.last[kept]] = gone
    groups.last[kept] = groups.last[gone]
    groups.mean[kept] = mean
    groups.size[kept], groups.size[gone] = total, 0
    return kept


@inlined
def added(groups, a, b):
    """What merging two groups adds to the sum of squares."""
    size_a, size_b = groups.size[a], groups.size[b]
    apart = groups.mean[a] - groups.mean[b]
    return size_a * size_b / (size_a + size_b) * (apart * apart)


@inlined
def before(groups, cost, a, b, other_cost, c, d):
    """Tell whether the pair (a, b) merges before the pair (c, d)."""
    if cost != other_cost:
        return cost < other_cost
    first, second = groups.size[a] + groups.size[b], groups.size[c] + groups.size[d]
    if first != second:
        return first < second
    if smaller(a, b) != smaller(c, d):
        return smaller(a, b) < smaller(c, d)
    return larger(a, b) < larger(c, d)
