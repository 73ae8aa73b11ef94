"""As `linkage`, for many records without categories: a tree screens them in single precision.

The tree passes over what cannot be among the two nearest; distances that count are computed and rounded as
in `linkage`, so the results are the same.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.measure.linkage import FARTHER_THAN_ALL, note, rounded, two_below
from microagg.kernels.space.lanes import first_bit, near_boxes_by, near_leaf_by
from microagg.kernels.space.leaves import BLOCK, LEAF
from microagg.kernels.space.screen import OUTSIDE, ZERO, highest

NONE, ONE = np.uint64(0), np.uint64(1)

LARGEST = 1e300
"""Below what a factor near 1 could make infinite."""

WIDER = 1 + 1e-7
"""More than `rounded` can take from a distance."""


@kernel
def two_nearest_by_tree(tree, points, home, reach, enough, columns, near, ties, ticker):
    """Two smallest distances of each point to the points of a tree, and how many of these have them.

    Parameters
    ----------
    tree : Tree
        The records.
    points : float64[m, d]
        Whose nearest records are sought.
    home : int64[m]
        A leaf that is likely near each point; its block is looked at first.
    reach, enough, columns, near, ties, ticker
        As in `two_nearest`.
    """
    n_blocks = tree.sizes[1]
    q, gaps = np.empty(columns.size, dtype=np.float32), np.empty(n_blocks, dtype=np.float32)
    boxes, leaf = np.empty(BLOCK, dtype=np.float32), np.empty(LEAF, dtype=np.float32)
    for row in range(points.shape[0]):
        if ticker[1]:
            return
        near[row, :] = FARTHER_THAN_ALL
        ties[row, :] = 0
        norm = frame_some(tree, points, row, columns, q)
        screen_blocks(tree.block_lows, tree.block_highs, columns, q, gaps)
        first = home[row] // BLOCK
        for turn in range(-1, n_blocks):
            block = first if turn < 0 else turn
            limit = limit_of(near, ties, row, reach[row], tree.scale[0], norm, q.size)
            if (turn < 0 or block != first) and gaps[block] <= limit:
                search_block(
                    tree, block, points, row, reach[row], enough[row], columns, q, norm,
                    boxes, leaf, near, ties,
                )  # fmt: skip
                if two_below(near, ties, row, enough[row]):
                    break
        if ties[row, 0] > 1:
            near[row, 1], ties[row, 1] = FARTHER_THAN_ALL, 0
        ticker[0] += 1


@inlined
def frame_some(tree, points, row, columns, q):
    """As `frame_point`, for some attributes. OUT: q."""
    square = 0.0
    for i in range(columns.size):
        j = columns[i]
        a = (points[row, j] - tree.centre[j]) / tree.scale[0]
        square += smaller(a * a, FARTHER_THAN_ALL / columns.size)
    norm = np.sqrt(square)
    for i in range(columns.size):
        j = columns[i]
        a = (points[row, j] - tree.centre[j]) / tree.scale[0] if norm < OUTSIDE else 0.0
        q[i] = np.float32(a)
    return norm


@inlined
def screen_blocks(lows, highs, columns, q, out):
    """Squared distances to the boxes of all blocks. OUT: out."""
    for i in range(out.size):
        out[i] = ZERO
    for at in range(columns.size):
        j, p = columns[at], q[at]
        for i in range(out.size):
            gap = larger(larger(lows[0, j, i] - p, p - highs[0, j, i]), ZERO)
            out[i] += gap * gap


@inlined
def limit_of(near, ties, row, reach, scale, norm, d):
    """Largest screened sum of a record that may count."""
    bound = smaller(near[row, 0] if ties[row, 0] > 1 else near[row, 1], reach)
    return highest(smaller(bound, LARGEST) * WIDER, scale, norm, d)


@inlined
def search_block(
    tree, block, points, row, reach, enough, columns, q, norm, boxes, leaf_sums, near, ties
):
    """Take the records of a block into the two smallest distances. OUT: both rooms; IN/OUT: near, ties.

    It ends early once two records are nearer than `enough`.
    """
    tiles, items, counts = tree.tiles, tree.items, tree.counts
    scale, records = tree.scale[0], tree.points
    limit = limit_of(near, ties, row, reach, scale, norm, q.size)
    waiting = near_boxes_by(tree.lows, tree.highs, block, q, columns, limit, boxes)
    while waiting != NONE and not two_below(near, ties, row, enough):
        i = first_bit(waiting)
        waiting &= waiting - ONE
        if boxes[i] > limit:
            continue
        leaf = block * BLOCK + i
        passing = near_leaf_by(tiles, leaf, q, columns, limit, leaf_sums)
        while passing != NONE:
            slot = first_bit(passing)
            passing &= passing - ONE
            if slot >= counts[leaf] or leaf_sums[slot] > limit:
                continue
            total = 0.0
            for at in range(columns.size):
                j = columns[at]
                t = records[items[leaf, slot], j] - points[row, j]
                total += t * t
            note(rounded(total), near[row], ties[row])
            limit = limit_of(near, ties, row, reach, scale, norm, q.size)
