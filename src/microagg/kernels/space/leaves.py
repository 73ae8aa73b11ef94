"""Points cut at medians, again and again, into full leaves of similar points; leaves in blocks."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import kernel
from microagg.kernels.splitmix import STEP, mixed

LEAF = 32
"""Points a leaf, at most."""

BLOCK = 64
"""Leaves a block, at most."""

SAMPLE = 64
"""Points that are looked at to choose the attribute to cut, about."""


@kernel
def cut(points, order, n_leaves):
    """Cut at the median of the widest attribute, again and again, down to leaves. IN/OUT: order.

    All leaves but the last are full, and a block is never cut before those around it.
    """
    keys = np.empty(order.size)
    waiting, top = np.empty((64, 2), dtype=np.int64), 1
    waiting[0, 0], waiting[0, 1] = 0, n_leaves
    while top > 0:
        top -= 1
        first, stop = waiting[top]
        if stop - first < 2:
            continue
        unit = BLOCK if stop - first > BLOCK else 1
        middle = first + (stop - first + unit - 1) // unit // 2 * unit
        items = order[first * LEAF : smaller(stop * LEAF, order.size)]
        widest = widest_attribute(points, items)
        for i in range(items.size):
            keys[i] = points[items[i], widest]
        select(keys[: items.size], items, (middle - first) * LEAF)
        waiting[top, 0], waiting[top, 1] = first, middle
        waiting[top + 1, 0], waiting[top + 1, 1] = middle, stop
        top += 2


@kernel
def widest_attribute(points, items):
    """Attribute of largest variance, by some of the points."""
    step = larger(1, items.size // SAMPLE)
    best, widest = 0, -1.0
    for j in range(points.shape[1]):
        origin, total, squares, count = points[items[0], j], 0.0, 0.0, 0
        for i in range(0, items.size, step):
            t = points[items[i], j] - origin
            total += t
            squares += t * t
            count += 1
        if squares - total * total / count > widest:
            best, widest = j, squares - total * total / count
    return best


@kernel
def select(keys, items, middle):
    """Quickselect: put the smaller keys and their items before `middle`. IN/OUT: keys, items.

    Pivots are drawn at random: keys that rise and then fall, as the distances of a straight line to its
    mean do, would take quadratic time with the pivot in the middle.
    """
    low, high = 0, items.size - 1
    draw = np.uint64(items.size)
    while low < high:
        draw += STEP
        pivot = keys[low + np.int64(mixed(draw) >> np.uint64(33)) % (high - low + 1)]
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return
