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

DRAWN, SPACING = 33, 64
"""The maximum number of keys that are drawn to choose a pivot, and how many keys there are for each one."""


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
    """Put the `middle` smallest keys and their items first. IN/OUT: keys, items.

    A pivot is the key of about that rank in a random sample. A pass moves all keys without a branch: a
    processor would guess every other branch wrongly, which takes longer than the moves.
    """
    low, stop = 0, items.size
    sample, draw = np.empty(DRAWN), np.uint64(items.size)
    while low < middle < stop:
        count = 1 + (stop - low) // SPACING
        count = count if count < DRAWN else DRAWN
        for drawn in range(count):
            draw += STEP
            key = keys[low + np.int64(mixed(draw) >> np.uint64(33)) % (stop - low)]
            at = drawn
            while at > 0 and sample[at - 1] > key:
                sample[at] = sample[at - 1]
                at -= 1
            sample[at] = key
        pivot = sample[(middle - low) * count // (stop - low)]
        split = low
        for i in range(low, stop):
            key, item = keys[i], items[i]
            keys[i], items[i] = keys[split], items[split]
            keys[split], items[split] = key, item
            split += key < pivot
        if split == low:  # no key is smaller: those equal to the pivot come first
            for i in range(low, stop):
                key, item = keys[i], items[i]
                keys[i], items[i] = keys[split], items[split]
                keys[split], items[split] = key, item
                split += key == pivot
            low = split
        elif split < middle:
            low = split
        else:
            stop = split
