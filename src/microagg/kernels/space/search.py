"""Nearest points of a tree, exactly as a scan over all points would find them.

Boxes and leaves are screened first; what is not passed over is computed from the points. The most
promising leaf and then the most promising blocks are searched one by one, which makes most of the
others fail. The leaves of those that do not are listed and then looked at together, each asked for
ahead of time: a tree of a million points does not fit in the caches, and waiting for leaves took
longer than screening them. For the same reason the points that pass are listed, and computed
together at the end. Until then, a list of the least screened sums sets the limit.

Arrays are taken out of the tuple before a loop, and indexed rather than cut: numba counts who holds
an array at each call and each cut, which costs more than a leaf does. For the same reason the steps
are inlined, and a search makes no array.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.space.fetch import fetch_leaf, fetch_row
from microagg.kernels.space.lanes import first_bit, near_boxes, near_leaf
from microagg.kernels.space.leaves import BLOCK, LEAF
from microagg.kernels.space.near_list import farthest_place, offer, sort_nearest
from microagg.kernels.space.outermost import square
from microagg.kernels.space.screen import (
    ANY,
    OUTSIDE,
    TINY,
    ZERO,
    U,
    frame_point,
    highest,
    least_of,
    screen_boxes,
)

DONE = np.float32(3.3e38)
"""Above every limit."""

NEAR_FIRST = 6
"""So many blocks are searched one by one, the most promising first."""

FULL = 1024
"""The list of leaves is searched when it holds more."""

MANY = 256
"""The list of points is computed when it holds more."""

MOST = 64
"""The number of points up to which the least sums are listed; beyond, points are computed leaf by leaf."""

PLACED = np.float32(1e12)
"""A sum below this belongs to a point in its own place, not at the border of the tree."""

NONE, ONE = np.uint64(0), np.uint64(1)

AHEAD = 2
"""A leaf is asked for so many leaves ahead."""


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
    sums : float32[MANY + LEAF], slots : int64[MANY + LEAF]
        The sums of the points within the limit, and their places in the tree.
    least : float32[MOST]
        The least of all sums so far, in order.
    opposite : float32[d]
        A point opposite q, from which far points are bounded.
    far_distance : float64[1], far_row : int64[1]
        The farthest row.
    """

    q: np.ndarray
    block_gaps: np.ndarray
    gaps: np.ndarray
    leaves: np.ndarray
    screened: np.ndarray
    sums: np.ndarray
    slots: np.ndarray
    least: np.ndarray
    opposite: np.ndarray
    far_distance: np.ndarray
    far_row: np.ndarray


@kernel
def new_room(tree):
    """Return room for searches of a tree."""
    return SearchRoom(
        np.empty(tree.centre.size, dtype=np.float32),
        np.empty(tree.block_norms.shape[1], dtype=np.float32),
        np.empty(FULL + BLOCK, dtype=np.float32),
        np.empty(FULL + BLOCK, dtype=np.int64),
        np.empty(larger(BLOCK, LEAF), dtype=np.float32),
        np.empty(MANY + LEAF, dtype=np.float32),
        np.empty(MANY + LEAF, dtype=np.int64),
        np.empty(MOST, dtype=np.float32),
        np.empty(tree.centre.size, dtype=np.float32),
        np.empty(1),
        np.empty(1, dtype=np.int64),
    )


@kernel
def nearest_points(tree, point, excluded, limit, near_distances, near_rows):
    """As `search_nearest`, with room of its own. OUT: the last two."""
    return search_nearest(tree, new_room(tree), point, excluded, limit, near_distances, near_rows)


@borrowing
def search_nearest(tree, room, point, excluded, limit, near_distances, near_rows):
    """Find the rows nearest to `point`, at most `limit` away, leaving out the point `excluded`.

    OUT: near_distances float64[m], near_rows int64[m], nearest first, ties to the lowest row; rows are -1
    where fewer are near enough. `excluded` may be -1. Returns how many leaves were screened. IN/OUT: room.
    """
    near_distances[:] = limit
    near_rows[:] = -1
    n_blocks, own = tree.sizes[1], tree.slots[excluded] if excluded >= 0 else np.int64(-1)
    q, block_gaps, gaps, leaves = room.q, room.block_gaps, room.gaps, room.leaves
    room.least[:] = ANY
    norm = frame_point(tree, point, q)
    bound = highest(limit, tree.scale[0], norm, point.size)
    screen_boxes(tree.block_lows, tree.block_highs, 0, n_blocks, q, block_gaps)
    count = n_passing = looked = 0
    first = np.int64(-1)
    for turn in range(-NEAR_FIRST if n_blocks > 0 else 0, n_blocks):
        block = least_of(block_gaps, n_blocks) if turn < 0 else turn
        if turn < 0 and block_gaps[block] > bound:
            break
        if first < 0:
            near_boxes(tree.lows, tree.highs, block, q, bound, room.screened)
            first = block * BLOCK + least_of(room.screened, BLOCK)
            leaves[0], gaps[0], count = first, ZERO, 1
        elif block_gaps[block] <= bound:
            block_gaps[block] = DONE
            count = list_near(tree, block, q, bound, first, room.screened, leaves, gaps, count)
        if turn < 0 or count > FULL or turn == n_blocks - 1:
            put_first(leaves, gaps, least_of(gaps, count))
            n_passing, bound, seen = screen_leaves(
                tree, room, count, norm, own, bound, n_passing, point, near_distances, near_rows
            )
            looked += seen
            count = 0
    compute_listed(tree, room, n_passing, bound, norm, point, near_distances, near_rows)
    sort_nearest(near_distances, near_rows)
    return looked


@inlined
def list_near(tree, block, q, bound, first, screened, leaves, gaps, count):
    """Append the leaves of a block but `first` that may hold near points; returns how many are listed then.

    OUT: screened; IN/OUT: leaves, gaps.
    """
    passing = near_boxes(tree.lows, tree.highs, block, q, bound, screened)
    while passing != NONE:
        i = first_bit(passing)
        passing &= passing - ONE
        leaf = block * BLOCK + i
        leaves[count], gaps[count] = leaf, screened[i]
        count += (leaf < tree.sizes[0]) & (leaf != first)
    return count


@inlined
def put_first(leaves, limits, at):
    """Exchange a leaf that is listed with the first. IN/OUT: leaves, limits."""
    leaves[0], leaves[at] = leaves[at], leaves[0]
    limits[0], limits[at] = limits[at], limits[0]


@inlined
def screen_leaves(tree, room, count, norm, own, bound, n_passing, point, near_distances, near_rows):
    """List the points of leaves that may be among the nearest.

    Returns how many points are listed, the limit for sums, and how many leaves were screened. IN/OUT: room,
    and the list of the nearest.
    """
    tiles, counts, q, m = tree.tiles, tree.counts, room.q, near_rows.size
    screened, leaves, gaps = room.screened, room.leaves, room.gaps
    sums, slots, least, looked = room.sums, room.slots, room.least, 0
    for turn in range(-AHEAD, count):
        if turn + AHEAD < count and gaps[turn + AHEAD] <= bound:
            fetch_leaf(tiles, leaves[turn + AHEAD])
        if turn < 0 or gaps[turn] > bound:
            continue
        looked += 1
        first, tight = leaves[turn] * LEAF, False
        passing = near_leaf(tiles, leaves[turn], q, bound, screened)
        while passing != NONE:
            slot = first_bit(passing)
            passing &= passing - ONE
            if slot < counts[leaves[turn]] and first + slot != own:
                sums[n_passing], slots[n_passing] = screened[slot], first + slot
                n_passing += 1
                if m <= MOST and screened[slot] < least[m - 1]:
                    enter(least, m, screened[slot])
                    tight = True
        if tight:
            bound = tighter(bound, least[m - 1], norm, q.size)
        if n_passing > MANY or (m > MOST and n_passing > 0):
            bound = compute_listed(
                tree, room, n_passing, bound, norm, point, near_distances, near_rows
            )
            n_passing = 0
    return n_passing, bound, looked


@inlined
def enter(least, m, total):
    """Let a sum enter the m least. IN/OUT: least."""
    for at in range(m - 1, 0, -1):
        least[at] = larger(least[at - 1], smaller(least[at], total))
    least[0] = smaller(least[0], total)


@inlined
def tighter(bound, total, norm, d):
    """Return a limit for the sums of points no farther than one whose sum is `total`, at most `bound`.

    The inequalities of `screen.py` bound the distance of that point, and then the sums of all points that
    are as near.
    """
    if not (total < PLACED and norm < OUTSIDE):
        return bound
    root = np.sqrt(total * (1 + (d + 8) * U) + TINY)
    root = (root + 4 * U * norm) * (1 + 4 * U)
    r = root * (1 + 4 * U) + 4 * U * norm
    return smaller(bound, np.float32((r * r * (1 + (d + 8) * U) + TINY) * (1 + 4 * U)))


@inlined
def compute_listed(tree, room, n_passing, bound, norm, point, near_distances, near_rows):
    """Compute the listed points; return the limit for sums then. IN/OUT: room, the list."""
    enter_rows(
        tree.points, tree.items, tree.heads, tree.following, room.sums, room.slots, n_passing,
        bound, point, near_distances, near_rows,
    )  # fmt: skip
    worst = near_distances[farthest_place(near_rows)]
    return smaller(bound, highest(worst, tree.scale[0], norm, point.size))


@borrowing
def enter_rows(
    points, items, heads, following, sums, slots, n_passing, bound, point, near_distances, near_rows
):  # fmt: skip
    """Enter the rows of points within the limit in the list of the nearest. IN/OUT: slots, the list."""
    count, top = 0, farthest_place(near_rows)
    for i in range(n_passing):
        if sums[i] <= bound:
            item = items[slots[i] // LEAF, slots[i] % LEAF]
            fetch_row(points, item)
            slots[count] = item
            count += 1
    for i in range(count):
        distance = square(points, slots[i], point)
        if distance <= near_distances[top]:
            row = np.int64(heads[slots[i]])
            while row >= 0 and offer(distance, row, near_distances, near_rows):
                row = following[row]
