"""Farthest points of a tree, exactly as a scan over all points would find them.

This is the search of `search.py` the other way round: blocks and leaves are ordered by how far a
point of theirs can be. Few points pass the screening, so each is computed at once.
"""

import numpy as np

from microagg.kernels.jit import borrowing, inlined
from microagg.kernels.space.fetch import fetch_leaf
from microagg.kernels.space.lanes import at_least, far_leaf, first_bit
from microagg.kernels.space.leaves import BLOCK
from microagg.kernels.space.near_list import farthest_place, offer, sort_nearest
from microagg.kernels.space.outermost import square
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.screen import (
    ANY,
    BEND,
    OUTSIDE,
    ZERO,
    frame_point,
    largest_of,
    lowest,
    screen_reach,
)
from microagg.kernels.space.search import AHEAD, DONE, FULL, NONE, ONE, put_first

FAR_FIRST = 16
"""So many blocks are searched one by one, the most promising first."""


@borrowing
def search_farthest(tree, room, point, far_distances, far_rows):
    """Find the rows farthest from `point`. IN/OUT: room.

    OUT: far_distances float64[m], with a minus, far_rows int64[m], farthest first, ties to the lowest row;
    rows are -1 where fewer are left. Boxes must not have grown: no point has ever been moved.
    """
    far_distances[:] = FARTHER_THAN_ALL
    far_rows[:] = -1
    n_blocks, count = tree.sizes[1], 0
    q, opposite, block_reaches = room.q, room.opposite, room.block_gaps
    reaches, leaves, screened = room.gaps, room.leaves, room.screened
    norm = frame_point(tree, point, q)
    for j in range(q.size):
        opposite[j] = -q[j] / BEND
    own = np.float32(norm * norm) if norm < OUTSIDE else ZERO
    bound = -ANY
    lows, highs, norms = tree.block_lows, tree.block_highs, tree.block_norms
    screen_reach(lows, highs, norms, 0, n_blocks, opposite, own, block_reaches)
    for turn in range(-FAR_FIRST if n_blocks > 0 else 0, n_blocks):
        block = largest_of(block_reaches, n_blocks) if turn < 0 else turn
        if turn < 0 and block_reaches[block] < bound:
            break
        if block_reaches[block] >= bound:
            block_reaches[block] = -DONE
            count = list_far(tree, block, opposite, own, bound, screened, leaves, reaches, count)
        if turn < 0 or count > FULL or turn == n_blocks - 1:
            put_first(leaves, reaches, largest_of(reaches, count))
            bound = search_far(
                tree, leaves, reaches, count, point, q, norm, bound, screened,
                far_distances, far_rows,
            )  # fmt: skip
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
        if turn + AHEAD < count and reaches[turn + AHEAD] >= bound:
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
                    row = np.int64(heads[items[leaf, slot]])
                    while row >= 0 and offer(-distance, row, far_distances, far_rows):
                        row = following[row]
                    bound = lowest(-far_distances[top], scale, norm, d)
    return bound
