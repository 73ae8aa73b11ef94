"""kWD: k-Ward that looks at neighbours only. O(n log n) time but for long runs, O(n) memory.

Groups lie in the order of their means, then sizes, then positions. Let b lie between a and c, and both
(a, b) and (b, c) be allowed to merge: then one of them adds less than (a, c) does. So the pair that merges
is one of neighbours, or a group of fewer than k and one beyond a run of groups that hold k.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import inlined, kernel
from microagg.kernels.line.ward_groups import added, before, first_groups, merge


class Line(NamedTuple):
    """Where each group lies; -1 is none.

    Attributes
    ----------
    left, right : int64[n]
        The groups beside it.
    small_left, small_right : int64[n]
        The next groups of fewer than k, for one that is so itself.
    partner, cost : int64[n], float64[n]
        Whom a group of fewer than k merges with, and what that adds.
    heap, place : int64[n]
        Groups of fewer than k, the first to merge on top, and where each is in the heap.
    """

    left: np.ndarray
    right: np.ndarray
    small_left: np.ndarray
    small_right: np.ndarray
    partner: np.ndarray
    cost: np.ndarray
    heap: np.ndarray
    place: np.ndarray


@kernel
def merge_neighbours(values, k, ticker):
    """Merge until every group of the sorted values holds k; returns the groups."""
    groups = first_groups(values, k)
    order = in_order(groups)
    line = new_line(values.size, order, groups.size[order] < k)
    waiting = 0
    for a in order:
        if groups.size[a] < k:
            waiting = join(groups, line, a, k, waiting)
    touched = np.empty(5, dtype=np.int64)
    while waiting > 0 and ticker[1] == 0:
        a, b = line.heap[0], line.partner[line.heap[0]]
        if comes_before(groups, b, a):
            a, b = b, a
        waiting = merge_pair(groups, line, a, b, k, waiting, touched)
        for c in touched:
            if c >= 0 and 0 < groups.size[c] < k and line.place[c] < 0:
                waiting = join(groups, line, c, k, waiting)
    return groups


@kernel
def in_order(groups):
    """Groups by mean, then size, then position; only those of equal means are out of order."""
    order = np.flatnonzero(groups.size)
    for i in range(1, order.size):
        a = order[i]
        j = i
        while j > 0 and comes_before(groups, a, order[j - 1]):
            order[j] = order[j - 1]
            j -= 1
        order[j] = a
    return order


@kernel
def new_line(n, order, small):
    """Link the groups, and those that are small among themselves."""
    none = np.full(n, -1, dtype=np.int64)
    line = Line(
        none.copy(),
        none.copy(),
        none.copy(),
        none.copy(),
        none.copy(),
        np.zeros(n),
        none.copy(),
        none.copy(),
    )
    before_all = small_before = -1
    for i in range(order.size):
        link(line.left, line.right, before_all, order[i])
        before_all = order[i]
        if small[i]:
            link(line.small_left, line.small_right, small_before, order[i])
            small_before = order[i]
    return line


@inlined
def comes_before(groups, a, b):
    """Tell whether group a lies before group b."""
    if groups.mean[a] != groups.mean[b]:
        return groups.mean[a] < groups.mean[b]
    return (groups.size[a], a) < (groups.size[b], b)


@inlined
def link(left, right, a, b):
    """Make a and b neighbours; -1 is none."""
    if a >= 0:
        right[a] = b
    if b >= 0:
        left[b] = a


@inlined
def unlink(left, right, a):
    """Take a out of its row."""
    link(left, right, left[a], right[a])


@inlined
def insert(groups, left, right, a, near, far):
    """Put a into its row: between `near` and `far`, or where its place is from there."""
    while far >= 0 and comes_before(groups, far, a):
        near, far = far, right[far]
    while near >= 0 and comes_before(groups, a, near):
        near, far = left[near], near
    link(left, right, near, a)
    link(left, right, a, far)


@kernel
def merge_pair(groups, line, a, b, k, waiting, touched):
    """Merge a before b; returns how many wait. OUT: touched, those of fewer than k around them.

    Whoever's merger may change leaves the heap while it is still in order.
    """
    touched[:] = -1
    for i, c in enumerate((a, b)):
        if groups.size[c] < k:
            touched[2 * i], touched[2 * i + 1] = line.small_left[c], line.small_right[c]
    for c in (a, b, touched[0], touched[1], touched[2], touched[3]):
        if c >= 0:
            waiting = leave(groups, line, c, waiting)
    near, far = line.left[a], line.right[a] if line.right[a] != b else line.right[b]
    small_near, small_far = line.small_left[a], line.small_right[b]
    for c in (a, b):
        unlink(line.left, line.right, c)
        if groups.size[c] < k:
            unlink(line.small_left, line.small_right, c)
    merged = merge(groups, a, b)
    insert(groups, line.left, line.right, merged, near, far)
    if groups.size[merged] < k:
        insert(groups, line.small_left, line.small_right, merged, small_near, small_far)
        touched[4] = merged
    return waiting


@kernel
def look_around(groups, line, a, k):
    """Find whom a group of fewer than k merges with at least cost. OUT: line.partner[a], line.cost[a]."""
    line.partner[a] = -1
    for row in (line.right, line.left):
        b = row[a]
        while b >= 0:
            apart = groups.mean[a] - groups.mean[b]
            bound = groups.size[a] * k / (groups.size[a] + k) * (apart * apart)
            if groups.size[b] >= k and line.partner[a] >= 0 and bound > line.cost[a]:
                break
            price = added(groups, a, b)
            if line.partner[a] < 0 or before(groups, price, a, b, line.cost[a], a, line.partner[a]):
                line.partner[a], line.cost[a] = b, price
            if groups.size[b] < k:
                break
            b = row[b]


@inlined
def first(groups, line, a, b):
    """Tell whether a merges before b does."""
    return before(groups, line.cost[a], a, line.partner[a], line.cost[b], b, line.partner[b])


@kernel
def rise(groups, line, place):
    """Move what is at `place` up the heap to where it belongs."""
    a = line.heap[place]
    while place > 0:
        above = (place - 1) // 2
        if not first(groups, line, a, line.heap[above]):
            break
        settle(line, place, line.heap[above])
        place = above
    settle(line, place, a)


@kernel
def sink(groups, line, place, waiting):
    """Move what is at `place` down the heap of `waiting` to where it belongs."""
    a = line.heap[place]
    while 2 * place + 1 < waiting:
        below = 2 * place + 1
        other = below + 1
        if other < waiting and first(groups, line, line.heap[other], line.heap[below]):
            below = other
        if not first(groups, line, line.heap[below], a):
            break
        settle(line, place, line.heap[below])
        place = below
    settle(line, place, a)


@inlined
def settle(line, place, a):
    """Put a at a place of the heap."""
    line.heap[place] = a
    line.place[a] = place


@kernel
def join(groups, line, a, k, waiting):
    """Put a, of fewer than k, into the heap; returns how many wait."""
    look_around(groups, line, a, k)
    settle(line, waiting, a)
    rise(groups, line, waiting)
    return waiting + 1


@kernel
def leave(groups, line, a, waiting):
    """Take a out of the heap if it is there; returns how many wait."""
    if line.place[a] < 0:
        return waiting
    place, last = line.place[a], line.heap[waiting - 1]
    line.place[a] = -1
    if last != a:
        settle(line, place, last)
        rise(groups, line, place)
        sink(groups, line, line.place[last], waiting - 1)
    return waiting - 1
