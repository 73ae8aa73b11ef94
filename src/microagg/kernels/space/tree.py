"""A flat tree of boxes whose points can move and leave: leaves of points, blocks of leaves.

Points are cut at medians into leaves of similar points. A search compares the boxes of all blocks
at once, then those of all leaves of a block, then the points of a leaf: wide steps over packed
arrays, which a processor does sixteen at a time, instead of a narrow walk.

Boxes and leaves are in single precision, about a centre and divided by a scale: they only screen.
What passes is computed again from the points themselves, in double precision and in the order of
the attributes, so that what is found is exactly what a scan over all points would find, ties
included. `screen.py` has the margins that make the screening safe.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.space.leaves import BLOCK as BLOCK
from microagg.kernels.space.leaves import LEAF as LEAF
from microagg.kernels.space.leaves import cut

ABOVE_ALL = np.float32(1e9)
"""Larger than any coordinate about the centre by the scale: an empty box starts there."""

BORDER = 1e8
"""Beyond any point that is screened, and below `ABOVE_ALL`."""


FULLNESS = 0.7
"""The share of the places of leaves that must be taken for the tree to be filled anew without cuts."""


class Tree(NamedTuple):
    """Points in leaves, leaves in blocks, with a box around each.

    Attributes
    ----------
    points : float64[n, d]
        The points themselves. They are not copied: who moves one writes here, then `move_point`.
    heads : int32[n], following : int32[at least n]
        The lowest row of each point, and the next row of the same point, -1 where there is none:
        searches return rows, and ties go to the lowest. A point usually has one row, its number.
    tiles : float32[leaves, d, LEAF]
        The points of each leaf, one packed array per attribute. Slots behind the last point hold
        a point that is or was in the leaf, so that no loop has to leave them out.
    squares : float32[leaves, LEAF]
        The squared distance of each point of `tiles` to the centre.
    items : int32[leaves, LEAF]
        Which point stands in each slot; those that are left come first.
    counts : int64[leaves]
        How many points are left in each leaf.
    slots : int32[n]
        Where each point stands: leaf * LEAF + slot. For one that has left, -1 - its leaf.
    lows, highs : float32[blocks, d, BLOCK]
        The box of each leaf.
    norms : float32[blocks, BLOCK]
        The largest squared distance of a point of the leaf to the centre.
    block_lows, block_highs : float32[1, d, blocks]
        The box of each block of leaves.
    block_norms : float32[1, blocks]
        The largest of `norms` in the block.
    centre : float64[d], scale : float64[1]
        The mean of the points and a power of two not below any difference from it, when built.
    sizes : int64[4]
        How many leaves, blocks, points left, and points there were when it was built.
    """

    points: np.ndarray
    heads: np.ndarray
    following: np.ndarray
    tiles: np.ndarray
    squares: np.ndarray
    items: np.ndarray
    counts: np.ndarray
    slots: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    norms: np.ndarray
    block_lows: np.ndarray
    block_highs: np.ndarray
    block_norms: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    sizes: np.ndarray


@kernel
def new_tree(points):
    """Return a tree of all `points`, float64[n, d], each of which is one row."""
    n = points.shape[0]
    return tree_of_rows(points, numbers_to(n), np.full(n, -1, dtype=np.int32))


@kernel
def tree_of_rows(points, heads, following):
    """Return a tree of all `points`, float64[n, d], each of which has the rows that `heads` starts."""
    n, d = points.shape
    n_leaves = (n + LEAF - 1) // LEAF
    n_blocks = (n_leaves + BLOCK - 1) // BLOCK
    tree = Tree(
        points,
        heads,
        following,
        np.empty((n_leaves, d, LEAF), dtype=np.float32),
        np.empty((n_leaves, LEAF), dtype=np.float32),
        np.empty((n_leaves, LEAF), dtype=np.int32),
        np.empty(n_leaves, dtype=np.int64),
        np.empty(n, dtype=np.int32),
        np.empty((n_blocks, d, BLOCK), dtype=np.float32),
        np.empty((n_blocks, d, BLOCK), dtype=np.float32),
        np.empty((n_blocks, BLOCK), dtype=np.float32),
        np.empty((1, d, n_blocks), dtype=np.float32),
        np.empty((1, d, n_blocks), dtype=np.float32),
        np.empty((1, n_blocks), dtype=np.float32),
        np.empty(d),
        np.empty(1),
        np.zeros(4, dtype=np.int64),
    )
    build(tree, numbers_to(n))
    return tree


@kernel
def numbers_to(n):
    """Return the numbers from 0 to n-1, int32[n]."""
    numbers = np.empty(n, dtype=np.int32)
    for i in range(n):
        numbers[i] = i
    return numbers


@kernel
def rebuild(tree):
    """Fill the leaves anew with the points left, those of leaves side by side together. IN/OUT: tree.

    Cutting takes far longer, and shortens few searches: only many leaves that are half empty are cut.
    """
    order, stops = np.empty(tree.sizes[2], dtype=np.int32), np.zeros(tree.sizes[0] + 1, np.int64)
    count = n_leaves = 0
    for leaf in range(tree.sizes[0]):
        size = tree.counts[leaf]
        if n_leaves == 0 or count + size - stops[n_leaves - 1] > LEAF:
            n_leaves += 1
        for slot in range(size):
            order[count + slot] = tree.items[leaf, slot]
        count += size
        stops[n_leaves] = count
    if count < FULLNESS * LEAF * n_leaves:
        build(tree, order)
    else:
        fill_all(tree, order, stops[: n_leaves + 1])


@kernel
def build(tree, order):
    """Cut the points of `order`, which is lost, into leaves. OUT: tree."""
    n_leaves = (order.size + LEAF - 1) // LEAF
    cut(tree.points, order, n_leaves)
    stops = np.empty(n_leaves + 1, dtype=np.int64)
    for leaf in range(n_leaves + 1):
        stops[leaf] = smaller(leaf * LEAF, order.size)
    fill_all(tree, order, stops)


@kernel
def fill_all(tree, order, stops):
    """Fill each leaf with the points order[stops[leaf]:stops[leaf + 1]]. OUT: tree."""
    n_leaves = stops.size - 1
    n_blocks = (n_leaves + BLOCK - 1) // BLOCK
    tree.sizes[0], tree.sizes[1] = n_leaves, n_blocks
    tree.sizes[2] = tree.sizes[3] = order.size
    frame(tree, order)
    tree.lows[:n_blocks], tree.highs[:n_blocks] = ABOVE_ALL, -ABOVE_ALL
    tree.norms[:n_blocks] = -ABOVE_ALL
    for leaf in range(n_leaves):
        fill(tree, leaf, order[stops[leaf] : stops[leaf + 1]])
    for block in range(n_blocks):
        for j in range(tree.centre.size):
            tree.block_lows[0, j, block] = smallest(tree.lows, block, j)
            tree.block_highs[0, j, block] = largest(tree.highs, block, j)
        tree.block_norms[0, block] = largest_of(tree.norms, block)


@kernel
def frame(tree, order):
    """Set the centre and the scale for the points of `order`. OUT: tree."""
    tree.centre[:] = 0.0
    share = 1.0 / larger(order.size, 1)
    for item in order:
        for j in range(tree.centre.size):
            tree.centre[j] += tree.points[item, j] * share
    widest = 0.0
    for item in order:
        for j in range(tree.centre.size):
            widest = larger(widest, abs(tree.points[item, j] - tree.centre[j]))
    tree.scale[0] = 1.0
    if widest > 0.0:
        tree.scale[0] = 2.0 ** np.ceil(np.log2(widest) + 0.001)


@kernel
def fill(tree, leaf, members):
    """Put points into a leaf and bound them. OUT: tree."""
    block, i = divmod(leaf, BLOCK)
    tree.counts[leaf] = members.size
    for slot in range(members.size):
        tree.items[leaf, slot] = members[slot]
        tree.slots[members[slot]] = leaf * LEAF + slot
    for j in range(tree.centre.size):
        tile = tree.tiles[leaf, j]
        for slot in range(members.size):
            tile[slot] = placed(tree, j, tree.points[members[slot], j])
        tile[members.size :] = tile[0]
        tree.lows[block, j, i] = smallest(tree.tiles, leaf, j)
        tree.highs[block, j, i] = largest(tree.tiles, leaf, j)
    for slot in range(LEAF):
        square = np.float32(0.0)
        for j in range(tree.centre.size):
            square += tree.tiles[leaf, j, slot] * tree.tiles[leaf, j, slot]
        tree.squares[leaf, slot] = square
    tree.norms[block, i] = largest_of(tree.squares, leaf)


@inlined
def placed(tree, j, value):
    """Coordinate about the centre and by the scale, in single precision.

    What has moved out of all bounds stays at `BORDER`: that only makes it nearer to every point that
    is screened, so it is not passed over, and sums of squares stay finite.
    """
    return np.float32(smaller(larger((value - tree.centre[j]) / tree.scale[0], -BORDER), BORDER))


@inlined
def smallest(values, a, j):
    """Least of values[a, j]."""
    low = values[a, j, 0]
    for i in range(values.shape[2]):
        low = smaller(low, values[a, j, i])
    return low


@inlined
def largest(values, a, j):
    """Largest of values[a, j]."""
    high = values[a, j, 0]
    for i in range(values.shape[2]):
        high = larger(high, values[a, j, i])
    return high


@inlined
def largest_of(norms, a):
    """Largest of norms[a]."""
    high = norms[a, 0]
    for i in range(norms.shape[1]):
        high = larger(high, norms[a, i])
    return high


@borrowing
def remove_point(tree, item):
    """Take a point out, if it is in; boxes shrink where it stood at their border. IN/OUT: tree."""
    if tree.slots[item] < 0:
        return
    leaf, slot = divmod(tree.slots[item], LEAF)
    last = tree.counts[leaf] - 1
    moved = tree.items[leaf, last]
    tree.items[leaf, slot], tree.items[leaf, last] = moved, item
    tree.slots[moved], tree.slots[item] = leaf * LEAF + slot, -1 - leaf
    tree.counts[leaf] = last
    tree.sizes[2] -= 1
    shrink_box(tree, leaf, slot, last)


@inlined
def shrink_box(tree, leaf, slot, last):
    """Put the last point of a leaf in the slot of one that leaves, and bound the rest. IN/OUT: tree."""
    block, i = divmod(leaf, BLOCK)
    tiles, squares, lows, highs = tree.tiles, tree.squares, tree.lows, tree.highs
    norm, stop = squares[leaf, slot], LEAF if slot == 0 else last + 1
    squares[leaf, slot] = squares[leaf, last]
    for dead in range(last, stop):
        squares[leaf, dead] = squares[leaf, 0]
    for j in range(tiles.shape[1]):
        value = tiles[leaf, j, slot]
        tiles[leaf, j, slot] = tiles[leaf, j, last]
        for dead in range(last, stop):
            tiles[leaf, j, dead] = tiles[leaf, j, 0]
        if value == lows[block, j, i]:
            lows[block, j, i] = smallest(tiles, leaf, j) if last > 0 else ABOVE_ALL
            if value == tree.block_lows[0, j, block]:
                tree.block_lows[0, j, block] = smallest(lows, block, j)
        if value == highs[block, j, i]:
            highs[block, j, i] = largest(tiles, leaf, j) if last > 0 else -ABOVE_ALL
            if value == tree.block_highs[0, j, block]:
                tree.block_highs[0, j, block] = largest(highs, block, j)
    old = tree.norms[block, i]
    if norm == old or last == 0:
        tree.norms[block, i] = largest_of(squares, leaf) if last > 0 else -ABOVE_ALL
        if old == tree.block_norms[0, block]:
            tree.block_norms[0, block] = largest_of(tree.norms, block)


@borrowing
def move_point(tree, item):
    """Go where `tree.points` says now, or come back; boxes grow to hold it. IN/OUT: tree."""
    if tree.slots[item] < 0:
        leaf = -1 - tree.slots[item]
        bring_back(tree, item, leaf)
    leaf, slot = divmod(tree.slots[item], LEAF)
    block, i = divmod(leaf, BLOCK)
    norm = np.float32(0.0)
    for j in range(tree.centre.size):
        value = placed(tree, j, tree.points[item, j])
        norm += value * value
        tree.tiles[leaf, j, slot] = value
        tree.lows[block, j, i] = smaller(tree.lows[block, j, i], value)
        tree.highs[block, j, i] = larger(tree.highs[block, j, i], value)
        tree.block_lows[0, j, block] = smaller(tree.block_lows[0, j, block], value)
        tree.block_highs[0, j, block] = larger(tree.block_highs[0, j, block], value)
    tree.squares[leaf, slot] = norm
    tree.norms[block, i] = larger(tree.norms[block, i], norm)
    tree.block_norms[0, block] = larger(tree.block_norms[0, block], norm)


@borrowing
def bring_back(tree, item, leaf):
    """Give a point that has left a slot in its leaf again. IN/OUT: tree."""
    slot = tree.counts[leaf]
    other = slot
    while tree.items[leaf, other] != item:
        other += 1
    tree.items[leaf, other], tree.items[leaf, slot] = tree.items[leaf, slot], item
    tree.slots[item] = leaf * LEAF + slot
    tree.counts[leaf] += 1
    tree.sizes[2] += 1
