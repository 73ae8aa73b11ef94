"""Nearest and farthest points of a tree, exactly as a scan over all points would find them.

Boxes and leaves are screened first; what is not passed over is computed from the points.

Arrays are taken out of the tuple before a loop, and indexed rather than cut: numba counts who holds
an array at each call and each cut, which costs more than a leaf does.
"""

import numpy as np

from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.leaves import BLOCK, LEAF
from microagg.kernels.outermost import square
from microagg.kernels.scan import insert
from microagg.kernels.screen import (
    ANY,
    BEND,
    OUTSIDE,
    ZERO,
    largest_of,
    least,
    least_of,
    lowest,
    most,
    screen_reach,
)
from microagg.kernels.screen import frame_point as frame_point
from microagg.kernels.screen import highest as highest
from microagg.kernels.screen import screen_boxes as screen_boxes
from microagg.kernels.screen import screen_leaf as screen_leaf

DONE = np.float32(3.3e38)
"""Above every limit."""

EAGER = 6
"""So many blocks are taken in the best order, which makes most of the others fail."""


@kernel
def nearest_points(tree, point, excluded, limit, near_distances, near_items):
    """Find the points nearest to `point`, at most `limit` away, leaving out `excluded`.

    OUT: near_distances float64[m], near_items int64[m], nearest first, ties to the lowest
    item; items are -1 where fewer are near enough.
    """
    near_distances[:] = limit
    near_items[:] = -1
    n_blocks = tree.sizes[1]
    if n_blocks == 0:
        return
    q, gaps = np.empty(point.size, dtype=np.float32), np.empty(n_blocks, dtype=np.float32)
    room = np.empty(BLOCK + LEAF, dtype=np.float32)
    norm = frame_point(tree, point, q)
    bound = highest(limit, tree.scale[0], norm, point.size)
    screen_boxes(tree.block_lows, tree.block_highs, 0, n_blocks, q, gaps)
    for turn in range(-EAGER, n_blocks):
        block = least_of(gaps, n_blocks) if turn < 0 else turn
        if gaps[block] <= bound:
            gaps[block] = DONE
            bound = search_block(
                tree, block, point, q, norm, excluded, bound, room, near_distances, near_items
            )


@borrowing
def search_block(tree, block, point, q, norm, excluded, bound, room, near_distances, near_items):
    """Offer the points of a block to the list of the nearest; returns the limit for sums then.

    IN/OUT: the list; OUT: room.
    """
    points, tiles, items, counts = tree.points, tree.tiles, tree.items, tree.counts
    scale, d, last = tree.scale[0], point.size, near_items.size - 1
    gaps, sums = room[:BLOCK], room[BLOCK:]
    nearest = screen_boxes(tree.lows, tree.highs, block, BLOCK, q, gaps)
    for turn in range(-1, min(BLOCK, tree.sizes[0] - block * BLOCK)):
        i = nearest if turn < 0 else turn
        if gaps[i] > bound or turn == nearest:
            continue
        leaf = block * BLOCK + i
        screen_leaf(tiles, leaf, q, sums)
        if least(sums, LEAF) > bound:
            continue
        for slot in range(counts[leaf]):
            if sums[slot] <= bound and items[leaf, slot] != excluded:
                distance = square(points, items[leaf, slot], point)
                if distance <= near_distances[last]:
                    insert(distance, items[leaf, slot], near_distances, near_items)
                    bound = highest(near_distances[last], scale, norm, d)
    return bound


@kernel
def farthest_point(tree, point):
    """Point left that is farthest from `point`, and its squared distance; ties to the lowest item.

    The item is -1 when none is left. Boxes must not have grown: no point has ever been moved.
    """
    d, n_blocks = point.size, tree.sizes[1]
    if n_blocks == 0:
        return np.int64(-1), -1.0
    q, reaches = np.empty(d, dtype=np.float32), np.empty(n_blocks, dtype=np.float32)
    opposite, room = np.empty(d, dtype=np.float32), np.empty(BLOCK + LEAF, dtype=np.float32)
    norm = frame_point(tree, point, q)
    for j in range(d):
        opposite[j] = -q[j] / BEND
    own = np.float32(norm * norm) if norm < OUTSIDE else ZERO
    best, best_item, bound = -1.0, np.int64(-1), -ANY
    lows, highs, norms = tree.block_lows, tree.block_highs, tree.block_norms
    screen_reach(lows, highs, norms, 0, n_blocks, opposite, own, reaches)
    for turn in range(-EAGER, n_blocks):
        block = largest_of(reaches, n_blocks) if turn < 0 else turn
        if reaches[block] >= bound:
            reaches[block] = -DONE
            best, best_item, bound = search_far(
                tree, block, point, q, opposite, norm, own, bound, best, best_item, room
            )
    return best_item, best


@kernel
def search_far(tree, block, point, q, opposite, norm, own, bound, best, best_item, room):
    """Best of the farthest so far and the points of a block, and the limit for sums then.

    OUT: room.
    """
    points, tiles, items, counts = tree.points, tree.tiles, tree.items, tree.counts
    scale, d = tree.scale[0], point.size
    reaches, sums = room[:BLOCK], room[BLOCK:]
    farthest = screen_reach(tree.lows, tree.highs, tree.norms, block, BLOCK, opposite, own, reaches)
    for turn in range(-1, min(BLOCK, tree.sizes[0] - block * BLOCK)):
        i = farthest if turn < 0 else turn
        if reaches[i] < bound or turn == farthest:
            continue
        leaf = block * BLOCK + i
        screen_leaf(tiles, leaf, q, sums)
        if most(sums, LEAF) < bound:
            continue
        for slot in range(counts[leaf]):
            item = items[leaf, slot]
            if sums[slot] >= bound:
                distance = square(points, item, point)
                if distance > best or (distance == best and item < best_item):
                    best, best_item = distance, item
                    bound = lowest(distance, scale, norm, d)
    return best, best_item, bound
