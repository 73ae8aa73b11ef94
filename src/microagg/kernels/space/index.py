"""The records not yet grouped on a tree, which forgets those that leave and is built anew in time."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.space import ahead as aheads
from microagg.kernels.space.ahead import Ahead, new_ahead
from microagg.kernels.space.copies import GONE, Copies, copies_of, leave
from microagg.kernels.space.pool import sum_of
from microagg.kernels.space.rim import Rim, farthest_on_rim, new_rim
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import farthest_points, nearest_points
from microagg.kernels.space.tree import Tree, rebuild, remove_point, tree_of_rows

LOOKS = 64
"""So many rows that may be seeds are considered when looking ahead."""

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
    ahead : Ahead
        What was looked up ahead of time.
    """

    tree: Tree
    copies: Copies
    rim: Rim
    left: np.ndarray
    total: np.ndarray
    ahead: Ahead


@kernel
def new_index(columns):
    """Return an index of all records. `columns` is float64[d, n] and stays untouched."""
    return index_that_looks_ahead(columns, 0, 1)


@kernel
def index_that_looks_ahead(columns, k, threads):
    """Return an index of all records for groups of k, for which so many threads search."""
    d, n = columns.shape
    copies = copies_of(columns)
    m = copies.heads.size
    points = np.empty((m, d))
    for j in range(d):
        for i in range(m):
            points[i, j] = columns[j, copies.heads[i]]
    tree = tree_of_rows(points, copies.heads, copies.following)
    left = np.full(1, n, dtype=np.int64)
    ahead = new_ahead(n, k, threads)
    return Index(tree, copies, new_rim(m, d), left, sum_of(columns), ahead)


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
        aheads.start_trials(index.ahead)


@kernel
def coordinates_in_index(index, row, out):
    """Write the record of `row`, left or not. OUT: out, float64[d]."""
    for j in range(out.size):
        out[j] = index.tree.points[index.copies.points[row], j]


@kernel
def nearest_in_index(index, point, near_distances, near_rows):
    """As `nearest_in_pool`, but the farthest record is not seen: returns -1. OUT: the last two."""
    looked = nearest_points(index.tree, point, -1, FARTHER_THAN_ALL, near_distances, near_rows)
    aheads.count_leaves(index.ahead, looked, index.tree.sizes[0])
    return np.int64(-1)


@kernel
def farthest_in_index(index, point):
    """As `farthest_in_pool`."""
    row = np.empty(1, dtype=np.int64)
    farthest_points(index.tree, point, np.empty(1), row)
    return row[0]


@kernel
def farthest_from_mean(index, mean):
    """As `farthest_in_pool`, for a point that is the mean of the records left. IN/OUT: index."""
    return farthest_on_rim(index.rim, index.tree, mean)


@kernel
def rows_in_index(index):
    """Rows of the records left, in order."""
    return np.flatnonzero(index.copies.before != GONE)


@kernel
def look_ahead_in_index(index, seed, k, growth, opposite, labels):
    """Look up a seed and those that will probably follow it, unless that was done. IN/OUT: index."""
    ahead, tree, rim = index.ahead, index.tree, index.rim
    if not aheads.looks_ahead(ahead, tree.sizes[0], k, growth):
        return
    if aheads.covers(ahead, seed, k - 1, growth, labels):
        return
    aheads.begin(ahead, growth, opposite)
    aheads.add_row(ahead, seed)
    at, seen = rim.state[0], 0
    while at < rim.state[1] and ahead.state[aheads.COUNT] < ahead.job.size and seen < LOOKS:
        if tree.slots[rim.items[at]] >= 0:
            row = tree.heads[rim.items[at]]
            if not aheads.covers(ahead, row, k - 1, growth, labels):
                aheads.add_row(ahead, row)
            seen += 1
        at += 1
    aheads.look_up(ahead, tree, index.copies.points, k)


@kernel
def look_ahead_opposite(index, row, k, growth, labels):
    """Look up the row opposite a seed and those that will probably follow it. IN/OUT: index."""
    ahead, tree, rim = index.ahead, index.tree, index.rim
    if not aheads.looks_ahead(ahead, tree.sizes[0], k, growth):
        return
    if aheads.covers(ahead, row, k - 1, growth, labels):
        return
    aheads.begin(ahead, growth, False)
    aheads.add_row(ahead, row)
    taken, count = np.empty(LOOKS, dtype=np.int64), 0
    at, seen = rim.state[0], 0
    while at < rim.state[1] and ahead.state[aheads.COUNT] < ahead.job.size and seen < LOOKS:
        if tree.slots[rim.items[at]] >= 0:
            other = aheads.recall_farthest(ahead, tree.heads[rim.items[at]], labels, taken[:count])
            if other >= 0:
                taken[count] = other
                count += 1
                if not aheads.covers(ahead, other, k - 1, growth, labels):
                    aheads.add_row(ahead, other)
            seen += 1
        at += 1
    aheads.look_up(ahead, tree, index.copies.points, k)


@kernel
def look_ahead_in_order_of_index(index, order, start, k, growth, labels):
    """Look up the next rows of an order that are left, unless the first one was. IN/OUT: index."""
    ahead, tree = index.ahead, index.tree
    if not aheads.looks_ahead(ahead, tree.sizes[0], k, growth):
        return
    if aheads.covers(ahead, order[start], k - 1, growth, labels):
        return
    aheads.begin(ahead, growth, False)
    at = start
    while at < order.size and ahead.state[aheads.COUNT] < ahead.job.size and at < start + 4 * LOOKS:
        if labels[order[at]] < 0 and not aheads.covers(ahead, order[at], k - 1, growth, labels):
            aheads.add_row(ahead, order[at])
        at += 1
    aheads.look_up(ahead, tree, index.copies.points, k)


@kernel
def recall_in_index(index, row, labels, members):
    """Write the nearest of a row, which has left; tells whether they are known. OUT: members."""
    return aheads.recall(index.ahead, row, labels, members)


@kernel
def recall_member_in_index(index, row, place, labels):
    """Return the member at some place of the group that grows from a row; -1 where it is not known."""
    return aheads.recall_member(index.ahead, row, place, labels)


@kernel
def recall_farthest_in_index(index, row, labels):
    """Return the row left that is farthest from a row; -1 where it is not known."""
    return aheads.recall_farthest(index.ahead, row, labels, np.empty(0, dtype=np.int64))
