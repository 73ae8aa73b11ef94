"""A spatial index of the records that have no group yet, which is rebuilt as records leave."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.space import ahead as aheads
from microagg.kernels.space.ahead import Ahead, new_ahead
from microagg.kernels.space.copies import GONE, Copies, copies_of, leave
from microagg.kernels.space.far_search import search_farthest
from microagg.kernels.space.pool import sum_of
from microagg.kernels.space.rim import Rim, farthest_on_rim, new_rim
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import SearchRoom, new_room, search_nearest
from microagg.kernels.space.tree import Tree, rebuild, remove_point, tree_of_rows

LOOKS = 64
"""The number of likely seeds that are considered when searches are made ahead of time."""

KEPT = 0.6
"""The tree is rebuilt when less than this share of its points is left."""


class Index(NamedTuple):
    """Records without a group, with the functions of `Pool`, but with a tree instead of scans.

    Attributes
    ----------
    tree : Tree
        The distinct records.
    copies : Copies
        The rows that have each distinct record.
    rim : Rim
        The outer records by their distance to a recent centroid.
    left : int64[1]
        The number of records that are left.
    total : float64[d]
        The sum of the records that are left, updated as they leave.
    room : SearchRoom
        Room for the searches of one thread.
    ahead : Ahead
        The results of searches made ahead of time.
    """

    tree: Tree
    copies: Copies
    rim: Rim
    left: np.ndarray
    total: np.ndarray
    room: SearchRoom
    ahead: Ahead


@kernel
def new_index(columns):
    """Return an index of all records. `columns` is float64[d, n] and stays untouched."""
    return index_of(columns, new_ahead(0, 0, 1))


@kernel
def index_that_looks_ahead(columns, k, threads):
    """Return an index of all records for groups of k that several threads search ahead of time."""
    return index_of(columns, new_ahead(columns.shape[1], k, threads))


@kernel
def index_of(columns, ahead):
    """Return an index of all records that keeps the results of early searches in `ahead`."""
    d, n = columns.shape
    copies = copies_of(columns)
    m = copies.heads.size
    points = np.empty((m, d))
    for j in range(d):
        for i in range(m):
            points[i, j] = columns[j, copies.heads[i]]
    tree = tree_of_rows(points, copies.heads, copies.following)
    left = np.full(1, n, dtype=np.int64)
    return Index(tree, copies, new_rim(m, d), left, sum_of(columns), new_room(tree), ahead)


@borrowing
def remove_from_index(index, row):
    """Take `row` out of the index. IN/OUT: index."""
    point = index.copies.points[row]
    for j in range(index.total.size):
        index.total[j] -= index.tree.points[point, j]
    index.left[0] -= 1
    if leave(index.copies, row):
        remove_point(index.tree, point)


@borrowing
def compact_index(index):
    """Rebuild the tree if too many records have left it. IN/OUT: index."""
    if index.tree.sizes[2] < KEPT * index.tree.sizes[3]:
        rebuild(index.tree)
        aheads.start_trials(index.ahead)


@borrowing
def coordinates_in_index(index, row, out):
    """Write the record of `row`, left or not. OUT: out, float64[d]."""
    for j in range(out.size):
        out[j] = index.tree.points[index.copies.points[row], j]


@borrowing
def nearest_in_index(index, point, near_distances, near_rows):
    """As `nearest_in_pool`, but return -1, since the farthest record is not seen. OUT: the last two."""
    looked = search_nearest(
        index.tree, index.room, point, -1, FARTHER_THAN_ALL, near_distances, near_rows
    )
    aheads.count_leaves(index.ahead, looked, index.tree.sizes[0])
    return np.int64(-1)


@borrowing
def nearest_within_index(index, point, limit, near_distances, near_rows):
    """As `nearest_in_index`, at most `limit` away; rows are -1 where there are fewer. OUT: both."""
    search_nearest(index.tree, index.room, point, -1, limit, near_distances, near_rows)


@borrowing
def farthest_in_index(index, point):
    """As `farthest_in_pool`."""
    room = index.room
    search_farthest(index.tree, room, point, room.far_distance, room.far_row)
    return room.far_row[0]


@borrowing
def farthest_from_mean(index, mean):
    """As `farthest_in_pool`, for the mean of the records left. IN/OUT: index."""
    return farthest_on_rim(index.rim, index.tree, mean)


@kernel
def list_in_index(index, rows, lists):
    """Write the nearest of each row of `rows` to lists[row], nearest first. OUT: lists."""
    ahead, tree, points_of = index.ahead, index.tree, index.copies.points
    done, distances = 0, np.empty(lists.shape[1])
    while done < rows.size and (ahead.rows.size == 0 or aheads.tries(ahead, tree.sizes[0])):
        row = rows[done]
        nearest_in_index(index, tree.points[points_of[row]], distances, lists[row])
        done += 1
    while done < rows.size:
        count = aheads.begin_lists(ahead, rows[done:])
        aheads.look_up(ahead, tree, points_of, 0)
        for i in range(count):
            for c in range(lists.shape[1]):
                lists[rows[done + i], c] = ahead.near[i, c]
        done += count


@kernel
def rows_in_index(index):
    """Rows of the records left, in order."""
    return np.flatnonzero(index.copies.before != GONE)


@kernel
def rows_by_leaf(index):
    """Rows of the records left, those of a leaf one after the other."""
    tree, count = index.tree, 0
    rows = np.empty(index.left[0], dtype=np.int64)
    for leaf in range(tree.sizes[0]):
        for slot in range(tree.counts[leaf]):
            row = np.int64(tree.heads[tree.items[leaf, slot]])
            while row >= 0:
                rows[count] = row
                count += 1
                row = tree.following[row]
    return rows


@borrowing
def look_ahead_in_index(index, seed, k, growth, opposite, labels):
    """Search for a seed and its likely successors, unless that has been done. IN/OUT: index."""
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
            row = np.int64(tree.heads[rim.items[at]])
            if not aheads.covers(ahead, row, k - 1, growth, labels):
                aheads.add_row(ahead, row)
            seen += 1
        at += 1
    aheads.look_up(ahead, tree, index.copies.points, k)


@borrowing
def look_ahead_opposite(index, row, k, growth, labels):
    """Search for the row opposite a seed and its likely successors. IN/OUT: index."""
    ahead = index.ahead
    if not aheads.looks_ahead(ahead, index.tree.sizes[0], k, growth):
        return
    if not aheads.covers(ahead, row, k - 1, growth, labels):
        look_up_opposite(index, row, k, growth, labels)


@kernel
def look_up_opposite(index, row, k, growth, labels):
    """Search for a row and the rows opposite the likely next seeds. IN/OUT: index."""
    ahead, tree, rim = index.ahead, index.tree, index.rim
    aheads.begin(ahead, growth, False)
    aheads.add_row(ahead, row)
    taken, count = np.empty(LOOKS, dtype=np.int64), 0
    at, seen = rim.state[0], 0
    while at < rim.state[1] and ahead.state[aheads.COUNT] < ahead.job.size and seen < LOOKS:
        if tree.slots[rim.items[at]] >= 0:
            other = aheads.recall_farthest(
                ahead, np.int64(tree.heads[rim.items[at]]), labels, taken[:count]
            )
            if other >= 0:
                taken[count] = other
                count += 1
                if not aheads.covers(ahead, other, k - 1, growth, labels):
                    aheads.add_row(ahead, other)
            seen += 1
        at += 1
    aheads.look_up(ahead, tree, index.copies.points, k)


@borrowing
def look_ahead_in_order_of_index(index, order, start, k, growth, labels):
    """Search for the next rows of an order, unless that has been done for the first. IN/OUT: index."""
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


@borrowing
def recall_in_index(index, row, labels, members):
    """Write the rows nearest to one that has left; return whether a search found them. OUT: members."""
    return aheads.recall(index.ahead, row, labels, members)


@borrowing
def recall_member_in_index(index, row, place, labels):
    """Return the member at a place of the group that grows from a row; -1 if no search found it."""
    return aheads.recall_member(index.ahead, row, place, labels)


@borrowing
def recall_farthest_in_index(index, row, labels):
    """Return the row left that is farthest from a row; -1 if no search found it."""
    return aheads.recall_farthest(index.ahead, row, labels, index.ahead.job[:0])
