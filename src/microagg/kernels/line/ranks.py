"""Rows in the order of their values, and of equal values in their own."""

import numpy as np

from microagg.kernels.jit import kernel


@kernel
def lowest_rows_first(order, ranked):
    """Put the rows of equal values in order, in O(n). IN/OUT: order; `ranked` is values[order]."""
    n = order.size
    free, begin = np.arange(n), np.zeros(n, dtype=np.int64)
    start = 0
    for i in range(n):
        if i > 0 and ranked[i] != ranked[i - 1]:
            start = i
        begin[order[i]] = start
    for row in range(n):
        start = begin[row]
        order[free[start]] = row
        free[start] += 1
