"""Nearest point next: a path that goes to the nearest point not yet on it, again and again."""

import numpy as np

from microagg.kernels.fixed.diameter import farthest_apart
from microagg.kernels.jit import kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import nearest_points
from microagg.kernels.space.tree import new_tree, remove_point


@kernel
def walk(points, start, ticker):
    """Numbers of the points, float64[n, d], in the order of the path from `start`.

    Ties go to the lowest number. ticker[0] counts the points passed; the loop stops early when
    ticker[1] is set.
    """
    n = points.shape[0]
    order = np.empty(n, dtype=np.int64)
    tree = new_tree(points)
    gap, item = np.empty(1), np.empty(1, dtype=np.int64)
    item[0] = start
    for i in range(n):
        if ticker[1] != 0:
            break
        order[i] = item[0]
        remove_point(tree, item[0])
        ticker[0] = i
        nearest_points(tree, points[order[i]], -1, FARTHER_THAN_ALL, gap, item)
    return order


@kernel
def near_lists(points, m, ticker):
    """The m points nearest to each, nearest first, int64[n, m]; n must be more than m."""
    n = points.shape[0]
    tree = new_tree(points)
    near, gaps = np.empty((n, m), dtype=np.int64), np.empty(m)
    for i in range(n):
        if ticker[1] != 0:
            break
        ticker[0] = i
        nearest_points(tree, points[i], i, FARTHER_THAN_ALL, gaps, near[i])
    return near


@kernel
def first_of_farthest(columns, ticker):
    """The lower row of the two records farthest apart."""
    low, _ = farthest_apart(columns, ticker)
    return low
