"""Nearest and farthest points of a tree, exactly as a scan over all points would find them.

Boxes and leaves are screened first; what is not passed over is computed from the points. The most
promising blocks are searched one by one, which makes most of the others fail. The leaves of those
that do not are listed and then looked at together, each asked for ahead of time: a tree of a
million points does not fit in the caches, and waiting for leaves took longer than screening them.

Arrays are taken out of the tuple before a loop, and indexed rather than cut: numba counts who holds
an array at each call and each cut, which costs more than a leaf does. For the same reason the steps
are inlined.
"""

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.space.fetch import fetch_leaf
from microagg.kernels.space.lanes import at_least, far_leaf, first_bit, near_boxes, near_leaf
from microagg.kernels.space.leaves import BLOCK, LEAF
from microagg.kernels.space.near_list import farthest_place, offer, sort_nearest
from microagg.kernels.space.outermost import square
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.screen import (
    ANY,
    BEND,
    OUTSIDE,
    ZERO,
    frame_point,
    highest,
    largest_of,
    least_of,
    lowest,
    screen_boxes,
    screen_reach,
)

DONE = np.float32(3.3e38)
"""Above every limit."""

NEAR_FIRST, FAR_FIRST = 6, 16
"""So many blocks are searched one by one, the most promising first."""

FULL = 1024
"""The list of leaves is searched when it holds more."""

NONE, ONE = np.uint64(0), np.uint64(1)

AHEAD = 2
"""A leaf is asked for so many leaves ahead."""


@kernel
def nearest_points(tree, point, excluded, limit, near_distances, near_rows):
    """Find the rows nearest to `point`, at most `limit` away, leaving out the point `excluded`.

    OUT: near_distances float64[m], near_rows int64[m], nearest first, ties to the lowest
    row; rows are -1 where fewer are near enough. Returns how many leaves were looked at, about.
    """
    near_distances[:] = limit
    near_rows[:] = -1
    n_blocks = tree.sizes[1]
    looked = 0
    if n_blocks == 0:
        return looked
    q, block_gaps = np.empty(point.size, dtype=np.float32), np.empty(n_blocks, dtype=np.float32)
    room, gaps = np.empty(larger(BLOCK, LEAF), np.float32), np.empty(FULL + BLOCK, np.float32)
    leaves, count = np.empty(FULL + BLOCK, dtype=np.int64), 0
    norm = frame_point(tree, point, q)
    bound = highest(limit, tree.scale[0], norm, point.size)
    screen_boxes(tree.block_lows, tree.block_highs, 0, n_blocks, q, block_gaps)
    for turn in range(-NEAR_FIRST, n_blocks):
        block = least_of(block_gaps, n_blocks) if turn < 0 else turn
        if turn < 0 and block_gaps[block] > bound:
            break
        if block_gaps[block] <= bound:
            block_gaps[block] = DONE
            count = list_near(tree, block, q, bound, room, leaves, gaps, count)
        if turn < 0 or count > FULL or turn == n_blocks - 1:
            put_first(leaves, gaps, least_of(gaps, count))
            bound = search_near(
                tree, leaves, gaps, count, point, q, norm, excluded, bound, room,
                near_distances, near_rows,
            )  # fmt: skip
            looked += count
            count = 0
    sort_nearest(near_distances, near_rows)
    return looked


@inlined
def list_near(tree, block, q, bound, room, leaves, gaps, count):
    """Append the leaves of a block that may hold near points; returns how many are listed then.

    OUT: room; IN/OUT: leaves, gaps.
    """
    passing = near_boxes(tree.lows, tree.highs, block, q, bound, room)
    while passing != NONE:
        i = first_bit(passing)
        passing &= passing - ONE
        leaves[count], gaps[count] = block * BLOCK + i, room[i]
        count += block * BLOCK + i < tree.sizes[0]
    return count


@inlined
def put_first(leaves, limits, at):
    """Exchange a leaf that is listed with the first. IN/OUT: leaves, limits."""
    leaves[0], leaves[at] = leaves[at], leaves[0]
    limits[0], limits[at] = limits[at], limits[0]


@inlined
def search_near(
    tree, leaves, gaps, count, point, q, norm, excluded, bound, room, near_distances, near_rows
):
    """Offer the points of leaves to the list of the nearest; returns the limit for sums then.

    IN/OUT: the list; OUT: room.
    """
    points, tiles, items, counts = tree.points, tree.tiles, tree.items, tree.counts
    heads, following, top = tree.heads, tree.following, farthest_place(near_rows)
    scale, d = tree.scale[0], point.size
    for turn in range(-AHEAD, count):
        if turn + AHEAD < count:
            fetch_leaf(tiles, leaves[turn + AHEAD])
        if turn < 0 or gaps[turn] > bound:
            continue
        leaf = leaves[turn]
        passing = near_leaf(tiles, leaf, q, bound, room)
        while passing != NONE:
            slot = first_bit(passing)
            passing &= passing - ONE
            if slot < counts[leaf] and room[slot] <= bound and items[leaf, slot] != excluded:
                distance = square(points, items[leaf, slot], point)
                if distance <= near_distances[top]:
                    row = heads[items[leaf, slot]]
                    while row >= 0 and offer(distance, row, near_distances, near_rows):
                        row = following[row]
                    bound = highest(near_distances[top], scale, norm, d)
    return bound


@kernel
def farthest_point(tree, point):
    """Return the row left that is farthest from `point`; -1 when none is left. Ties to the lowest row."""
    row = np.empty(1, dtype=np.int64)
    farthest_points(tree, point, np.empty(1), row)
    return row[0]


@kernel
def farthest_points(tree, point, far_distances, far_rows):
    """Find the rows farthest from `point`.

    OUT: far_distances float64[m], with a minus, far_rows int64[m], farthest first, ties to the lowest row;
    rows are -1 where fewer are left. Boxes must not have grown: no point has ever been moved.
    """
    far_distances[:] = FARTHER_THAN_ALL
    far_rows[:] = -1
    d, n_blocks = point.size, tree.sizes[1]
    if n_blocks == 0:
        return
    q, block_reaches = np.empty(d, dtype=np.float32), np.empty(n_blocks, dtype=np.float32)
    room, reaches = np.empty(larger(BLOCK, LEAF), np.float32), np.empty(FULL + BLOCK, np.float32)
    leaves, count = np.empty(FULL + BLOCK, dtype=np.int64), 0
    norm = frame_point(tree, point, q)
    opposite = -q / BEND
    own = np.float32(norm * norm) if norm < OUTSIDE else ZERO
    bound = -ANY
    lows, highs, norms = tree.block_lows, tree.block_highs, tree.block_norms
    screen_reach(lows, highs, norms, 0, n_blocks, opposite, own, block_reaches)
    for turn in range(-FAR_FIRST, n_blocks):
        block = largest_of(block_reaches, n_blocks) if turn < 0 else turn
        if turn < 0 and block_reaches[block] < bound:
            break
        if block_reaches[block] >= bound:
            block_reaches[block] = -DONE
            count = list_far(tree, block, opposite, own, bound, room, leaves, reaches, count)
        if turn < 0 or count > FULL or turn == n_blocks - 1:
            put_first(leaves, reaches, largest_of(reaches, count))
            bound = search_far(
                tree, leaves, reaches, count, point, q, norm, bound, room, far_distances, far_rows
            )
            count = 0
    sort_nearest(far_distances, far_rows)


@inlined
def list_far(tree, block, opposite, own, bound, room, leaves, reaches, count):
    """Append the leaves of a block that may hold far points; returns how many are listed then.

    OUT: room; IN/OUT: leaves, reaches.
    """
    screen_reach(tree.lows, tree.highs, tree.norms, block, BLOCK, opposite, own, room)
    passing = at_least(room, bound)
    while passing != NONE:
        i = first_bit(passing)
        passing &= passing - ONE
        leaves[count], reaches[count] = block * BLOCK + i, room[i]
        count += block * BLOCK + i < tree.sizes[0]
    return count


@inlined
def search_far(tree, leaves, reaches, count, point, q, norm, bound, room, far_distances, far_rows):
    """Offer the points of leaves to the list of the farthest; returns the limit for sums then.

    IN/OUT: the list; OUT: room.
    """
    points, tiles, items, counts = tree.points, tree.tiles, tree.items, tree.counts
    heads, following, top = tree.heads, tree.following, farthest_place(far_rows)
    scale, d = tree.scale[0], point.size
    for turn in range(-AHEAD, count):
        if turn + AHEAD < count:
            fetch_leaf(tiles, leaves[turn + AHEAD])
        if turn < 0 or reaches[turn] < bound:
            continue
        leaf = leaves[turn]
        passing = far_leaf(tiles, leaf, q, bound, room)
        while passing != NONE:
            slot = first_bit(passing)
            passing &= passing - ONE
            if slot < counts[leaf] and room[slot] >= bound:
                distance = square(points, items[leaf, slot], point)
                if -distance <= far_distances[top]:
                    row = heads[items[leaf, slot]]
                    while row >= 0 and offer(-distance, row, far_distances, far_rows):
                        row = following[row]
                    bound = lowest(-far_distances[top], scale, norm, d)
    return bound
