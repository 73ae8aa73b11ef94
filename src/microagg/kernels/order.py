"""Sorting and choosing, in loops that compile in a fraction of the time of NumPy's own.

Numba compiles `np.argsort`, `np.unique` and the like from many small functions, anew for each type.
"""

import numpy as np

from microagg.kernels.jit import inlined, kernel


@kernel
def stable_order(keys, sign):
    """Order of sign * keys, float64[n]; of equal ones the first comes first. Merges runs of 1, 2, 4, ..."""
    n = keys.size
    values = np.empty(n)
    order, other = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        values[i], order[i] = sign * keys[i], i
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, stop = start + width, start + 2 * width
            middle, stop = (middle if middle < n else n), (stop if stop < n else n)
            a, b = start, middle
            for at in range(start, stop):
                if a < middle and (b >= stop or values[order[a]] <= values[order[b]]):
                    other[at] = order[a]
                    a += 1
                else:
                    other[at] = order[b]
                    b += 1
        order, other = other, order
        width *= 2
    return order


@inlined
def sort_values(values):
    """Sort a few values in place: Shell's method. IN/OUT: values."""
    gap = 1
    while 3 * gap < values.size:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, values.size):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 3


@inlined
def first_least(values):
    """Return where the first of the smallest values stands."""
    best = np.int64(0)
    for i in range(1, values.size):
        if values[i] < values[best]:
            best = np.int64(i)
    return best


@inlined
def first_most(values):
    """Return where the first of the largest values stands."""
    best = np.int64(0)
    for i in range(1, values.size):
        if values[i] > values[best]:
            best = np.int64(i)
    return best


@inlined
def copy_to(out, values):
    """Write values to the start of an array. OUT: out."""
    for i in range(values.size):
        out[i] = values[i]


@kernel
def where_equal(values, value):
    """Indices at which `values` has this value, in order."""
    count = 0
    for i in range(values.size):
        count += values[i] == value
    rows, at = np.empty(count, dtype=np.int64), 0
    for i in range(values.size):
        if values[i] == value:
            rows[at] = i
            at += 1
    return rows


@kernel
def pick(items, where):
    """items[where] for int64 arrays."""
    out = np.empty(where.size, dtype=np.int64)
    for i in range(where.size):
        out[i] = items[where[i]]
    return out


@kernel
def least_above(values, bound):
    """Least of the values above a bound, or the bound itself where there is none."""
    least = bound
    for value in values:
        if value > bound and (least == bound or value < least):
            least = value
    return least
