"""Records that each watch a ball around them: who watches a point is found without asking all.

The records stand on a tree and never move. A leaf knows the largest ball of its records, so a search
leaves out whole leaves, as in `search.py`: in single precision, with the same margins. Who is found
has to be compared exactly.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.search import frame_point, highest, screen_boxes, screen_leaf
from microagg.kernels.tree import BLOCK, LEAF, Tree, new_tree

NOTHING = np.float32(-1.0)
"""The limit of a record that watches nothing: below every sum of squares."""

NONE = np.float32(0.0)


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
    norm : float
        No point that is asked about is farther from the tree's centre, by its scale.
    """

    tree: Tree
    limits: np.ndarray
    leaf_limits: np.ndarray
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
    watch.leaf_limits[block, i] = largest


@kernel
def watchers(watch, block, points, rows, which):
    """Find who in a block of the tree watches which of some means, and maybe some that nearly do.

    Leaves come first and means second, so that a leaf is in the cache for all. `points` is
    float64[m, d]. OUT: rows and which, int64[m * BLOCK * LEAF]: pairs of a record and a mean. Returns
    how many.
    """
    tree, limits, leaf_limits = watch.tree, watch.limits, watch.leaf_limits
    tiles, items, (m, d) = tree.tiles, tree.items, points.shape
    q, gaps = np.empty((m, d), dtype=np.float32), np.empty((m, BLOCK), dtype=np.float32)
    sums = np.empty(LEAF, dtype=np.float32)
    for p in range(m):
        frame_point(tree, points[p], q[p])
        screen_boxes(tree.lows, tree.highs, block, BLOCK, q[p], gaps[p])
    found = 0
    for i in range(BLOCK):
        leaf = block * BLOCK + i
        for p in range(m):
            if gaps[p, i] > leaf_limits[block, i]:
                continue
            screen_leaf(tiles, leaf, q[p], sums)
            least = sums[0] - limits[leaf, 0]
            for slot in range(LEAF):
                least = min(least, sums[slot] - limits[leaf, slot])
            if least <= NONE:
                for slot in range(LEAF):
                    if sums[slot] <= limits[leaf, slot]:
                        rows[found], which[found] = items[leaf, slot], p
                        found += 1
    return found
