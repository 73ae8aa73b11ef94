"""The minimum spanning tree of points, by Boruvka's rounds over a tree of boxes.

In each round every part of the forest takes its shortest edge to another part. A point keeps the
nearest point of another part that it has found: as parts only grow, that stays the nearest until it
is in the point's own part, and no nearer one can turn up. So few points have to search again, and a
search passes over leaves that lie wholly in the point's own part.

Edges are ordered by length, then by their lower and higher point: with no two alike there is
exactly one minimum spanning tree, ties or not.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import kernel
from microagg.kernels.space.leaves import BLOCK, LEAF
from microagg.kernels.space.outermost import square
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.screen import frame_point, highest, least_of, screen_boxes, screen_leaf
from microagg.kernels.space.tree import new_tree


@kernel
def spanning_tree(points, ticker):
    """Edges of the minimum spanning tree of float64[n, d]: lower ends, higher ends, squares.

    ticker[0] counts the edges found; the loop stops early when ticker[1] is set.
    """
    n = points.shape[0]
    lows, highs = np.zeros(n - 1, dtype=np.int64), np.zeros(n - 1, dtype=np.int64)
    squares = np.zeros(n - 1)
    tree = new_tree(points)
    parts, near, gaps = np.arange(n), np.full(n, -1, dtype=np.int64), np.zeros(n)
    count = 0
    while count < n - 1 and ticker[1] == 0:
        chosen = shortest_edges(tree, points, parts, near, gaps, ticker)
        for part in range(n):
            row = chosen[part]
            if row >= 0 and find(parts, row) != find(parts, near[row]):
                parts[find(parts, row)] = find(parts, near[row])
                lows[count], highs[count] = smaller(row, near[row]), larger(row, near[row])
                squares[count] = gaps[row]
                count += 1
        for row in range(n):
            parts[row] = find(parts, row)
        ticker[0] = count
    return lows, highs, squares


@kernel
def find(parts, row):
    """The part of a point: follow the links, and shorten them. IN/OUT: parts."""
    while parts[row] != row:
        parts[row] = parts[parts[row]]
        row = parts[row]
    return row


@kernel
def shortest_edges(tree, points, parts, near, gaps, ticker):
    """For each part the point whose edge to `near` is its shortest; -1 where there is no part.

    IN/OUT: near and gaps, the nearest point known in another part; a gap is never more than the
    true one, so points that cannot have the shortest edge do not search.
    """
    n = parts.size
    chosen = np.full(n, -1, dtype=np.int64)
    whole_leaf, whole_block = whole_parts(tree, parts)
    for row in range(n):  # what is still known comes first, and makes the limits short
        if near[row] >= 0 and parts[near[row]] != parts[row]:
            offer(chosen, parts, near, gaps, row)
        else:
            near[row] = -1
    for row in range(n):
        if near[row] >= 0:
            continue
        if ticker[1] != 0:
            return np.full(n, -1, dtype=np.int64)
        best = chosen[parts[row]]
        limit = FARTHER_THAN_ALL if best < 0 else gaps[best]
        if gaps[row] <= limit:
            search(tree, points, parts, whole_leaf, whole_block, row, limit, near, gaps)
            if near[row] >= 0:
                offer(chosen, parts, near, gaps, row)
    return chosen


@kernel
def offer(chosen, parts, near, gaps, row):
    """Make a point's edge that of its part if it comes first. IN/OUT: chosen."""
    best = chosen[parts[row]]
    if best < 0 or gaps[row] < gaps[best]:
        chosen[parts[row]] = row
    elif gaps[row] == gaps[best]:
        low, high = smaller(row, near[row]), larger(row, near[row])
        best_low, best_high = smaller(best, near[best]), larger(best, near[best])
        if low < best_low or (low == best_low and high < best_high):
            chosen[parts[row]] = row


@kernel
def whole_parts(tree, parts):
    """The part that all points of a leaf, and of a block, belong to; -1 where there are several."""
    n_leaves = tree.sizes[0]
    leaf_part = np.empty(n_leaves, dtype=np.int64)
    block_part = np.full(tree.sizes[1], -2, dtype=np.int64)
    for leaf in range(n_leaves):
        part = parts[tree.items[leaf, 0]]
        for item in tree.items[leaf, : tree.counts[leaf]]:
            if parts[item] != part:
                part = np.int64(-1)
                break
        leaf_part[leaf] = part
        block = leaf // BLOCK
        if block_part[block] == -2:
            block_part[block] = part
        elif block_part[block] != part:
            block_part[block] = -1
    return leaf_part, block_part


@kernel
def search(tree, points, parts, whole_leaf, whole_block, row, limit, near, gaps):
    """Find the nearest point of another part, at most `limit` away. OUT: near[row], gaps[row].

    Ties go to the lowest point. Where there is none, gaps[row] becomes `limit`: no point is nearer.
    """
    point, own, d = points[row], parts[row], points.shape[1]
    items, counts, n_blocks = tree.items, tree.counts, tree.sizes[1]
    block_gaps, room = (
        np.empty(n_blocks, dtype=np.float32),
        np.empty(BLOCK + LEAF, dtype=np.float32),
    )
    leaf_gaps, sums, q = room[:BLOCK], room[BLOCK:], np.empty(d, dtype=np.float32)
    norm = frame_point(tree, point, q)
    best, best_item = limit, np.int64(-1)
    bound = highest(best, tree.scale[0], norm, d)
    screen_boxes(tree.block_lows, tree.block_highs, 0, n_blocks, q, block_gaps)
    first = least_of(block_gaps, n_blocks)
    for turn in range(-1, n_blocks):
        block = first if turn < 0 else turn
        if block_gaps[block] > bound or turn == first or whole_block[block] == own:
            continue
        screen_boxes(tree.lows, tree.highs, block, BLOCK, q, leaf_gaps)
        nearest = least_of(leaf_gaps, BLOCK)
        for inner in range(-1, smaller(BLOCK, tree.sizes[0] - block * BLOCK)):
            at = nearest if inner < 0 else inner
            leaf = block * BLOCK + at
            if leaf_gaps[at] > bound or inner == nearest or whole_leaf[leaf] == own:
                continue
            screen_leaf(tree.tiles, leaf, q, sums)
            for slot in range(counts[leaf]):
                item = items[leaf, slot]
                if sums[slot] > bound or parts[item] == own:
                    continue
                distance = square(points, item, point)
                if distance < best or (distance == best and (best_item < 0 or item < best_item)):
                    best, best_item = distance, item
                    bound = highest(best, tree.scale[0], norm, d)
    near[row], gaps[row] = best_item, best
