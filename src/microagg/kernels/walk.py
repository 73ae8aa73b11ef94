"""Nearest point next: a path that goes to the nearest point not yet on it, again and again."""

import numpy as np

from microagg.kernels.diameter import by_radius, farthest_pair
from microagg.kernels.jit import kernel
from microagg.kernels.scan import FARTHER_THAN_ALL
from microagg.kernels.tree import BLOCK, LEAF, NOWHERE, nearest_points, new_tree, remove_point


@kernel
def walk(points, start, ticker):
    """Numbers of the points, float64[n, d], in the order of the path from `start`.

    Ties go to the lowest number. ticker[0] counts the points passed; the loop stops early when
    ticker[1] is set.
    """
    n = points.shape[0]
    order = np.empty(n, dtype=np.int64)
    tree = new_tree(points)
    left = points_left(tree)
    gap, item = np.empty(1), np.empty(1, dtype=np.int64)
    item[0] = start
    for i in range(n):
        if ticker[1] != 0:
            break
        order[i] = item[0]
        retire(tree, left, item[0])
        ticker[0] = i
        nearest_points(tree, points[order[i]], -1, FARTHER_THAN_ALL, gap, item)
    return order


@kernel
def points_left(tree):
    """How many points each leaf holds, int64[leaves]."""
    left = np.zeros(tree.items.shape[0], dtype=np.int64)
    for leaf in range(left.size):
        for slot in range(LEAF):
            left[leaf] += tree.items[leaf, slot] >= 0
    return left


@kernel
def retire(tree, left, item):
    """Take a point out for good: a leaf or block without points is never near. IN/OUT: all."""
    remove_point(tree, item)
    leaf = tree.slots[item] // LEAF
    left[leaf] -= 1
    if left[leaf] == 0:
        tree.lows[:, leaf] = NOWHERE
        tree.highs[:, leaf] = NOWHERE
        block = leaf // BLOCK
        if left[block * BLOCK : (block + 1) * BLOCK].sum() == 0:
            tree.block_lows[:, block] = NOWHERE
            tree.block_highs[:, block] = NOWHERE


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
    rows, radii = by_radius(columns)
    low, _ = farthest_pair(np.ascontiguousarray(columns[:, rows]), rows, radii, rows.size)
    return low
