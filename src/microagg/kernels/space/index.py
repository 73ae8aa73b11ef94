"""The records not yet grouped on a tree, which forgets those that leave and is built anew in time."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.space.copies import GONE, Copies, copies_of, leave
from microagg.kernels.space.pool import sum_of
from microagg.kernels.space.rim import Rim, farthest_on_rim, new_rim
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import farthest_point, nearest_points
from microagg.kernels.space.tree import Tree, rebuild, remove_point, tree_of_rows

KEPT = 0.6
"""The tree is built anew when less than this share of its points is left."""


class Index(NamedTuple):
    """Records not yet grouped; what `Pool` offers, with a tree instead of scans.

    Attributes
    ----------
    tree : Tree
        The different records, each once.
    copies : Copies
        Which rows these stand for.
    rim : Rim
        The outer ones by their distance to a recent centroid.
    left : int64[1]
        How many records are left.
    total : float64[d]
        Sum of the records that are left, kept up to date as they leave.
    """

    tree: Tree
    copies: Copies
    rim: Rim
    left: np.ndarray
    total: np.ndarray


@kernel
def new_index(columns):
    """Return an index of all records. `columns` is float64[d, n] and stays untouched."""
    d, n = columns.shape
    copies = copies_of(columns)
    m = copies.heads.size
    points = np.empty((m, d))
    for j in range(d):
        for i in range(m):
            points[i, j] = columns[j, copies.heads[i]]
    tree = tree_of_rows(points, copies.heads, copies.following)
    left = np.full(1, n, dtype=np.int64)
    return Index(tree, copies, new_rim(m, d), left, sum_of(columns))


@kernel
def remove_from_index(index, row):
    """Take `row` out of the index. IN/OUT: index."""
    point = index.copies.points[row]
    for j in range(index.total.size):
        index.total[j] -= index.tree.points[point, j]
    index.left[0] -= 1
    if leave(index.copies, row):
        remove_point(index.tree, point)


@kernel
def compact_index(index):
    """Build the tree anew where too many records have left it. IN/OUT: index."""
    if index.tree.sizes[2] < KEPT * index.tree.sizes[3]:
        rebuild(index.tree)


@kernel
def coordinates_in_index(index, row, out):
    """Write the record of `row`, left or not. OUT: out, float64[d]."""
    for j in range(out.size):
        out[j] = index.tree.points[index.copies.points[row], j]


@kernel
def nearest_in_index(index, point, near_distances, near_rows):
    """As `nearest_in_pool`, but the farthest record is not seen: returns -1. OUT: the last two."""
    nearest_points(index.tree, point, -1, FARTHER_THAN_ALL, near_distances, near_rows)
    return np.int64(-1)


@kernel
def farthest_in_index(index, point):
    """As `farthest_in_pool`."""
    row, _ = farthest_point(index.tree, point)
    return row


@kernel
def farthest_from_mean(index, mean):
    """As `farthest_in_pool`, for a point that is the mean of the records left. IN/OUT: index."""
    return farthest_on_rim(index.rim, index.tree, mean)


@kernel
def rows_in_index(index):
    """Rows of the records left, in order."""
    return np.flatnonzero(index.copies.before != GONE)
