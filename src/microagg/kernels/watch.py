"""Records that each watch a ball around them: who watches a point is found without asking all.

The records stand on a tree and never move. A leaf knows the largest ball of its records, a block that
of its leaves, so a search leaves out whole boxes, as in `search.py`: in single precision, with the
same margins. Who is found has to be compared exactly.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.search import frame_point, highest, screen_boxes, screen_leaf
from microagg.kernels.tree import BLOCK, LEAF, Tree, new_tree

NOTHING = np.float32(-1.0)
"""The limit of a record that watches nothing: below every sum of squares."""


class Watch(NamedTuple):
    """Records on a tree, each with the radius of what it watches.

    Attributes
    ----------
    tree : Tree
        The records, by row number.
    limits : float32[leaves, LEAF]
        Largest screened sum of a point that the record in each slot watches.
    leaf_limits : float32[blocks, BLOCK]
        The largest of `limits` in each leaf.
    block_limits : float32[blocks]
        The largest of `leaf_limits` in each block.
    norm : float
        No point that is asked about is farther from the tree's centre, by its scale.
    """

    tree: Tree
    limits: np.ndarray
    leaf_limits: np.ndarray
    block_limits: np.ndarray
    norm: float


@kernel
def new_watch(points):
    """Return a watch of records, float64[n, d], which watch nothing yet."""
    tree = new_tree(points)
    n_leaves, n_blocks = tree.sizes[0], tree.sizes[1]
    # means of records are no farther out than the farthest record; the rest makes up for rounding
    norm = 1.001 * np.sqrt(np.float64(tree.block_norms.max())) + 1e-6
    return Watch(
        tree,
        np.full((n_leaves, LEAF), NOTHING),
        np.full((n_blocks, BLOCK), NOTHING),
        np.full(n_blocks, NOTHING),
        norm,
    )


@kernel
def set_ball(watch, row, distance):
    """Let a record watch all points of at most this squared distance. IN/OUT: watch.

    Below 0 it watches nothing.
    """
    tree = watch.tree
    leaf, slot = divmod(tree.slots[row], LEAF)
    limit = NOTHING
    if distance >= 0.0:
        limit = highest(distance, tree.scale[0], watch.norm, tree.centre.size)
    watch.limits[leaf, slot] = limit
    block, i = divmod(leaf, BLOCK)
    largest = limit
    for other in range(LEAF):
        largest = max(largest, watch.limits[leaf, other])
    if largest != watch.leaf_limits[block, i]:
        watch.leaf_limits[block, i] = largest
        for other in range(BLOCK):
            largest = max(largest, watch.leaf_limits[block, other])
        watch.block_limits[block] = largest


@kernel
def watchers(watch, point, found):
    """Find the records that watch a mean of records, and maybe some that nearly do.

    OUT: found, int64[n]: their rows. Returns how many.
    """
    tree, limits, leaf_limits = watch.tree, watch.limits, watch.leaf_limits
    tiles, items = tree.tiles, tree.items
    n_blocks, n_found = tree.sizes[1], 0
    q, gaps = np.empty(point.size, dtype=np.float32), np.empty(n_blocks, dtype=np.float32)
    leaf_gaps, sums = np.empty(BLOCK, dtype=np.float32), np.empty(LEAF, dtype=np.float32)
    frame_point(tree, point, q)
    screen_boxes(tree.block_lows, tree.block_highs, 0, n_blocks, q, gaps)
    for block in range(n_blocks):
        if gaps[block] > watch.block_limits[block]:
            continue
        screen_boxes(tree.lows, tree.highs, block, BLOCK, q, leaf_gaps)
        for i in range(BLOCK):
            if leaf_gaps[i] > leaf_limits[block, i]:
                continue
            leaf = block * BLOCK + i
            screen_leaf(tiles, leaf, q, sums)
            inside = 0
            for slot in range(LEAF):
                inside += sums[slot] <= limits[leaf, slot]
            if inside > 0:
                for slot in range(LEAF):
                    if sums[slot] <= limits[leaf, slot]:
                        found[n_found] = items[leaf, slot]
                        n_found += 1
    return n_found
