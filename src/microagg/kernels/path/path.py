"""The best cut of a path into groups of k to 2k-1 records that follow each other.

Hansen and Mukherjee's dynamic program with the error of whole records: best(e), the least error of
the first e records of the path, is the least of best(e - s) + error(e - s .. e) over the sizes s. The
error of a group is kept up to date as the group grows backwards (Welford), from differences to its
own mean, so large values with a small spread lose no digits.
"""

import numpy as np

from microagg.kernels.extremes import smaller
from microagg.kernels.jit import kernel
from microagg.kernels.line.optimal_1d import labels_of
from microagg.kernels.space.scan import FARTHER_THAN_ALL


@kernel
def cut_path(columns, order, k, ticker):
    """Labels of the records, numbered along the path, whose rows `order` gives, int64[n].

    ticker[0] counts the records passed; the loop stops early when ticker[1] is set.
    """
    n = order.size
    points = in_path_order(columns, order)
    best = np.full(n + 1, FARTHER_THAN_ALL)
    best[0] = 0.0
    starts = np.zeros(n + 1, dtype=np.int64)
    mean = np.empty(columns.shape[0])
    for end in range(k, n + 1):
        if ticker[1] != 0:
            break
        ticker[0] = end
        starts[end] = best_start(points, end, k, mean, best)
    labels = np.empty(n, dtype=np.int32)
    labels[order] = labels_of(starts)
    return labels


@kernel
def in_path_order(columns, order):
    """The records one after the other, float64[n, d]."""
    d = columns.shape[0]
    points = np.empty((order.size, d))
    for j in range(d):
        for i in range(order.size):
            points[i, j] = columns[j, order[i]]
    return points


@kernel
def best_start(points, end, k, mean, best):
    """Start of the last group of the best cut of the first `end` records; small groups first.

    OUT: best[end], mean.
    """
    mean[:] = 0.0
    error, start_of_best = 0.0, 0
    for size in range(1, smaller(2 * k - 1, end) + 1):
        start = end - size
        share = 1.0 / size
        for j in range(mean.size):
            t = points[start, j] - mean[j]
            mean[j] += t * share
            error += t * (points[start, j] - mean[j])
        if size >= k and best[start] < FARTHER_THAN_ALL and best[start] + error < best[end]:
            best[end] = best[start] + error
            start_of_best = start
    return start_of_best
