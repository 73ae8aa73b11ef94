"""A flat tree of boxes whose points can move and leave: leaves of points, blocks of leaves.

Points are cut at medians into leaves of similar points. A search compares the boxes of all blocks
at once, then those of all leaves of a block, then the points of a leaf: wide steps over packed
arrays, which a processor does eight at a time, instead of a narrow walk.

The nearest point comes out exactly as a scan over all points would give it, ties included: the
distance to a box is summed in the same order as that to a point, rounding keeps order, and a box
is passed over only when it is farther than the best so far.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import inlined, kernel
from microagg.kernels.scan import FARTHER_THAN_ALL, insert, tile_distances

LEAF = 32
"""Points a leaf, at most."""

BLOCK = 64
"""Leaves a block, at most."""

HEAD = 6
"""Attributes that are looked at for all points of a leaf at once."""

NOWHERE = 1e150
"""Coordinate of an empty slot: never near, and its square is still finite."""


class Tree(NamedTuple):
    """Points in leaves, leaves in blocks, with a box around each; boxes only grow.

    Attributes
    ----------
    leaves : float64[leaves, d, LEAF]
        The points of each leaf, one packed array per attribute.
    items : int64[leaves, LEAF]
        Which point stands in each slot of each leaf; -1 where there is none, or none any more.
    slots : int64[n]
        Where each point stands: leaf * LEAF + slot.
    lows, highs : float64[d, leaves]
        The box of each leaf.
    block_lows, block_highs : float64[d, blocks]
        The box of each block of leaves.
    """

    leaves: np.ndarray
    items: np.ndarray
    slots: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    block_lows: np.ndarray
    block_highs: np.ndarray


@kernel
def new_tree(points):
    """Return a tree of all `points`, float64[n, d], which stay untouched."""
    n, d = points.shape
    order, starts = median_order(points)
    n_leaves = starts.size - 1
    leaves = np.full((n_leaves, d, LEAF), NOWHERE)
    items = np.full((n_leaves, LEAF), -1, dtype=np.int64)
    slots = np.empty(n, dtype=np.int64)
    lows, highs = np.empty((d, n_leaves)), np.empty((d, n_leaves))
    for leaf in range(n_leaves):
        for slot in range(starts[leaf + 1] - starts[leaf]):
            item = order[starts[leaf] + slot]
            leaves[leaf, :, slot] = points[item]
            items[leaf, slot] = item
            slots[item] = leaf * LEAF + slot
        bound(points, order[starts[leaf] : starts[leaf + 1]], lows[:, leaf], highs[:, leaf])
    n_blocks = (n_leaves + BLOCK - 1) // BLOCK
    block_lows, block_highs = np.empty((d, n_blocks)), np.empty((d, n_blocks))
    for block in range(n_blocks):
        first, last = starts[block * BLOCK], starts[min((block + 1) * BLOCK, n_leaves)]
        bound(points, order[first:last], block_lows[:, block], block_highs[:, block])
    return Tree(leaves, items, slots, lows, highs, block_lows, block_highs)


@kernel
def median_order(points):
    """Cut the points at the median of their widest attribute, again and again, down to leaves.

    Returns the points in order and where each leaf starts, with the end behind the last.
    """
    n, d = points.shape
    depth = 0
    while ((n - 1) >> depth) >= LEAF:
        depth += 1
    order = np.arange(n)
    starts = np.array([0, n])
    low, high = np.empty(d), np.empty(d)
    for _ in range(depth):
        finer = np.empty(2 * starts.size - 1, dtype=np.int64)
        finer[-1] = n
        for part in range(starts.size - 1):
            items = order[starts[part] : starts[part + 1]]
            bound(points, items, low, high)
            select(points[:, np.argmax(high - low)], items, items.size // 2)
            finer[2 * part] = starts[part]
            finer[2 * part + 1] = starts[part] + items.size // 2
        starts = finer
    return order, starts


@kernel
def bound(points, items, low, high):
    """Box around some points. OUT: low, high."""
    low[:] = FARTHER_THAN_ALL
    high[:] = -FARTHER_THAN_ALL
    for item in items:
        for j in range(low.size):
            low[j] = min(low[j], points[item, j])
            high[j] = max(high[j], points[item, j])


@kernel
def select(keys, items, middle):
    """Quickselect: put the items of the smaller keys before `middle`. IN/OUT: items."""
    low, high = 0, items.size - 1
    while low < high:
        pivot = keys[items[(low + high) // 2]]
        i, j = low, high
        while i <= j:
            while keys[items[i]] < pivot:
                i += 1
            while keys[items[j]] > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel
def remove_point(tree, item):
    """Take a point out. IN/OUT: tree."""
    leaf, slot = divmod(tree.slots[item], LEAF)
    tree.items[leaf, slot] = -1
    tree.leaves[leaf, :, slot] = NOWHERE


@kernel
def move_point(tree, item, point):
    """Put a point elsewhere, or back; the boxes around it grow to hold it. IN/OUT: tree."""
    leaf, slot = divmod(tree.slots[item], LEAF)
    block = leaf // BLOCK
    tree.items[leaf, slot] = item
    for j in range(point.size):
        tree.leaves[leaf, j, slot] = point[j]
        tree.lows[j, leaf] = min(tree.lows[j, leaf], point[j])
        tree.highs[j, leaf] = max(tree.highs[j, leaf], point[j])
        tree.block_lows[j, block] = min(tree.block_lows[j, block], point[j])
        tree.block_highs[j, block] = max(tree.block_highs[j, block], point[j])


@inlined
def box_distances(lows, highs, start, stop, point, out):
    """Squared distances from `point` to boxes start..stop-1. OUT: out[0 .. stop-start-1].

    Returns which of them is nearest.
    """
    m = stop - start
    for i in range(m):
        out[i] = 0.0
    for j in range(point.size):
        p, low, high = point[j], lows[j, start:stop], highs[j, start:stop]
        for i in range(m):
            gap = max(max(low[i] - p, p - high[i]), 0.0)
            out[i] += gap * gap
    nearest = 0
    for i in range(1, m):
        if out[i] < out[nearest]:
            nearest = i
    return nearest


@kernel
def nearest_points(tree, point, excluded, limit, near_distances, near_items):
    """Find the points nearest to `point`, at most `limit` away, leaving out `excluded`.

    OUT: near_distances float64[m], near_items int64[m], nearest first, ties to the lowest
    item; items are -1 where fewer are near enough.
    """
    near_distances[:] = limit
    near_items[:] = -1
    last = near_items.size - 1
    n_blocks = tree.block_lows.shape[1]
    gaps, leaf_gaps, distances = np.empty(n_blocks), np.empty(BLOCK), np.empty(LEAF)
    nearest = box_distances(tree.block_lows, tree.block_highs, 0, n_blocks, point, gaps)
    for turn in range(-1, n_blocks):  # the nearest block first: it makes the others fail
        block = nearest if turn < 0 else turn
        if gaps[block] > near_distances[last] or turn == nearest:
            continue
        search_block(tree, block, point, excluded, leaf_gaps, distances, near_distances, near_items)


@kernel
def search_block(tree, block, point, excluded, gaps, distances, near_distances, near_items):
    """Offer the points of a block to the list of the nearest. IN/OUT: the list; OUT: the rest."""
    last = near_items.size - 1
    start, stop = block * BLOCK, min((block + 1) * BLOCK, tree.items.shape[0])
    nearest = box_distances(tree.lows, tree.highs, start, stop, point, gaps)
    for turn in range(-1, stop - start):
        leaf = nearest if turn < 0 else turn
        if gaps[leaf] > near_distances[last] or turn == nearest:
            continue
        search_leaf(tree, start + leaf, point, excluded, distances, near_distances, near_items)


@inlined
def search_leaf(tree, leaf, point, excluded, distances, near_distances, near_items):
    """Offer the points of a leaf to the list of the nearest. IN/OUT: the list; OUT: distances.

    The first attributes are enough to pass over most points; the sum then goes on in order.
    """
    last = near_items.size - 1
    values, items = tree.leaves[leaf], tree.items[leaf]
    head = min(HEAD, point.size)
    tile_distances(values, 0, LEAF, point[:head], distances)
    for slot in range(LEAF):
        distance = distances[slot]
        if distance > near_distances[last]:
            continue
        for j in range(head, point.size):
            t = values[j, slot] - point[j]
            distance += t * t
        if distance <= near_distances[last] and items[slot] >= 0 and items[slot] != excluded:
            insert(distance, items[slot], near_distances, near_items)
