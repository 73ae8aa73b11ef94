"""The groups whose means are nearest to a point, exactly as a scan over all means finds them.

This is `nearest_points` for very frequent searches. It allocates nothing, and computes exact distances only
after the last leaf has been screened: a mean is hardly ever in the cache, so each distance would be waited
for. Until then, a list of the least screened sums sets the limit.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.space.fetch import fetch_leaf, fetch_row
from microagg.kernels.space.lanes import first_bit, near_leaf
from microagg.kernels.space.leaves import BLOCK, LEAF
from microagg.kernels.space.near_list import farthest_place, offer, sort_nearest
from microagg.kernels.space.outermost import square
from microagg.kernels.space.screen import (
    ANY,
    OUTSIDE,
    TINY,
    U,
    frame_point,
    highest,
    least_of,
    screen_boxes,
)
from microagg.kernels.space.search import AHEAD, DONE, FULL, NEAR_FIRST, list_near, put_first

NONE, ONE = np.uint64(0), np.uint64(1)

MOST = 64
"""The number of means up to which the least sums are listed; beyond, only `limit` counts."""

PLACED = np.float32(1e12)
"""A sum below this belongs to a mean in its own place, not at the border of the tree."""


class SearchRoom(NamedTuple):
    """Room for a search.

    Attributes
    ----------
    q : float32[d]
        The point, as the leaves have them.
    block_gaps : float32[blocks], gaps : float32[FULL + BLOCK], leaves : int64[FULL + BLOCK]
        The distances of the blocks and of the listed leaves, and these leaves.
    screened : float32[at least BLOCK and LEAF]
        The sums of one leaf or block.
    sums : float32[g], slots : int64[g]
        The sums of the means within the limit, and their places in the tree.
    least : float32[MOST]
        The least of these sums, in order.
    """

    q: np.ndarray
    block_gaps: np.ndarray
    gaps: np.ndarray
    leaves: np.ndarray
    screened: np.ndarray
    sums: np.ndarray
    slots: np.ndarray
    least: np.ndarray


@kernel
def new_room(tree):
    """Return room for searches of a tree."""
    n, d = tree.points.shape
    return SearchRoom(
        np.empty(d, dtype=np.float32),
        np.empty(tree.block_norms.shape[1], dtype=np.float32),
        np.empty(FULL + BLOCK, dtype=np.float32),
        np.empty(FULL + BLOCK, dtype=np.int64),
        np.empty(larger(BLOCK, LEAF), dtype=np.float32),
        np.empty(n, dtype=np.float32),
        np.empty(n, dtype=np.int64),
        np.empty(MOST, dtype=np.float32),
    )


@borrowing
def nearest_means(tree, room, point, excluded, limit, near_gaps, near):
    """Find the means nearest to `point`, at most `limit` away, leaving out the group `excluded`.

    OUT: near_gaps float64[m], near int64[m], nearest first, ties to the lowest group; groups are -1 where
    fewer are near enough. `excluded` may be -1. IN/OUT: room.
    """
    near_gaps[:] = limit
    near[:] = -1
    n_blocks, own = tree.sizes[1], tree.slots[excluded] if excluded >= 0 else np.int64(-1)
    q, block_gaps, gaps, leaves = room.q, room.block_gaps, room.gaps, room.leaves
    room.least[:] = ANY
    norm = frame_point(tree, point, q)
    bound = highest(limit, tree.scale[0], norm, point.size)
    screen_boxes(tree.block_lows, tree.block_highs, 0, n_blocks, q, block_gaps)
    count = n_passing = 0
    for turn in range(-NEAR_FIRST if n_blocks > 0 else 0, n_blocks):
        block = least_of(block_gaps, n_blocks) if turn < 0 else turn
        if turn < 0 and block_gaps[block] > bound:
            break
        if block_gaps[block] <= bound:
            block_gaps[block] = DONE
            count = list_near(tree, block, q, bound, room.screened, leaves, gaps, count)
        if turn < 0 or count > FULL or turn == n_blocks - 1:
            put_first(leaves, gaps, least_of(gaps, count))
            n_passing, bound = screen_means(
                tree, room, count, norm, own, bound, near.size, n_passing
            )
            count = 0
    compute_distances(tree, room, n_passing, bound, point, near_gaps, near)


@inlined
def screen_means(tree, room, count, norm, own, bound, m, n_passing):
    """List the means of leaves that may be among the m nearest; return how many, and the new limit.

    IN/OUT: room.
    """
    tiles, counts, q = tree.tiles, tree.counts, room.q
    screened, leaves, gaps = room.screened, room.leaves, room.gaps
    sums, slots, least = room.sums, room.slots, room.least
    for turn in range(-AHEAD, count):
        if turn + AHEAD < count:
            fetch_leaf(tiles, leaves[turn + AHEAD])
        if turn < 0 or gaps[turn] > bound:
            continue
        first = leaves[turn] * LEAF
        passing = near_leaf(tiles, leaves[turn], q, bound, screened)
        while passing != NONE:
            slot = first_bit(passing)
            passing &= passing - ONE
            total = screened[slot]
            if slot >= counts[leaves[turn]] or total > bound or first + slot == own:
                continue
            sums[n_passing], slots[n_passing] = total, first + slot
            n_passing += 1
            if m <= MOST and total < least[m - 1]:
                enter(least, m, total)
                bound = tighter(bound, least[m - 1], norm, q.size)
    return n_passing, bound


@inlined
def enter(least, m, total):
    """Let a sum enter the m least. IN/OUT: least."""
    at = m - 1
    while at > 0 and least[at - 1] > total:
        least[at] = least[at - 1]
        at -= 1
    least[at] = total


@inlined
def tighter(bound, total, norm, d):
    """Return a limit for the sums of means no farther than one whose sum is `total`, at most `bound`.

    The inequalities of `screen.py` bound the distance of that mean, and then the sums of all means that
    are as near.
    """
    if not (total < PLACED and norm < OUTSIDE):
        return bound
    root = np.sqrt(total * (1 + (d + 8) * U) + TINY)
    root = (root + 4 * U * norm) * (1 + 4 * U)
    r = root * (1 + 4 * U) + 4 * U * norm
    return smaller(bound, np.float32((r * r * (1 + (d + 8) * U) + TINY) * (1 + 4 * U)))


@inlined
def compute_distances(tree, room, n_passing, bound, point, near_gaps, near):
    """Enter the means within the last limit in the list of the nearest. IN/OUT: the list, room."""
    points, items, sums, slots = tree.points, tree.items, room.sums, room.slots
    count, top = 0, farthest_place(near)
    for i in range(n_passing):
        if sums[i] <= bound:
            group = items[slots[i] // LEAF, slots[i] % LEAF]
            fetch_row(points, group)
            slots[count] = group
            count += 1
    for i in range(count):
        distance = square(points, slots[i], point)
        if distance <= near_gaps[top]:
            offer(distance, slots[i], near_gaps, near)
    sort_nearest(near_gaps, near)
