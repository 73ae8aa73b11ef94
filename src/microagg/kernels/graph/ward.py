"""k-Ward: Ward's merging of clusters, never of two that both have k records.

Merging two clusters of n1 and n2 records adds n1 n2 / (n1 + n2) times the squared distance of their
means to the error. Where that is forbidden it counts as infinite, and the distance stays reducible: a
merged cluster is never nearer to a third than the nearer of its two. So a chain of nearest neighbours
finds pairs that are nearest to each other, and merging these gives what merging the nearest pair
of all would, without a matrix.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.graph.cut_tree import by_lowest_row
from microagg.kernels.jit import kernel
from microagg.kernels.path.path import in_path_order
from microagg.kernels.space.leaves import BLOCK, LEAF
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.screen import frame_point, highest, least_of, screen_boxes, screen_leaf
from microagg.kernels.space.tree import move_point, new_tree, remove_point

HALF = FARTHER_THAN_ALL / 2
"""Can be divided by a half and more."""


@kernel
def k_ward(columns, k, ticker):
    """Labels of groups of k to 2k-1, numbered by their lowest rows.

    Parts of 2k and more are clustered again on their own. ticker[0] counts the records in parts that
    are done; the loop stops early when ticker[1] is set.
    """
    n = columns.shape[1]
    parts = np.zeros(n, dtype=np.int64)
    waiting = [np.arange(n)]
    while len(waiting) > 0 and ticker[1] == 0:
        rows = waiting.pop()
        if rows.size < 2 * k:
            parts[rows] = rows[0]
            ticker[0] += rows.size
            continue
        inside = cluster(in_path_order(columns, rows), k, ticker)
        by_part = np.argsort(inside, kind="mergesort")
        start = 0
        for stop in range(1, rows.size + 1):
            if stop == rows.size or inside[by_part[stop]] != inside[by_part[start]]:
                waiting.append(rows[by_part[start:stop]])
                start = stop
    return by_lowest_row(parts).astype(np.int32)


@kernel
def cluster(points, k, ticker):
    """Clusters of at least k of 2k or more points, float64[n, d]; at least two.

    The k points with the smallest sums of coordinates and the k with the largest are clusters from the
    start. Equal points are cut as they come.
    """
    n = points.shape[0]
    if all_equal(points):
        return np.minimum(np.arange(n) // k, n // k - 1)
    clusters, sizes, means = first_and_last(points, k)
    everyone, small = new_tree(means), new_tree(means)
    for i in range(n):
        if sizes[i] == 0:
            remove_point(everyone, i)
        if sizes[i] == 0 or sizes[i] >= k:
            remove_point(small, i)
    chain, length, start = np.empty(n, dtype=np.int64), 0, 0
    while ticker[1] == 0:
        if length == 0:
            while start < n and not 0 < sizes[start] < k:
                start += 1
            if start == n:
                break
            chain[0], length = start, 1
        here = chain[length - 1]
        before = chain[length - 2] if length > 1 else np.int64(-1)
        tree = everyone if sizes[here] < k else small
        other = nearest_cluster(tree, means, sizes, here, before)
        if other == before:
            length -= 2
            kept, gone = smaller(here, other), larger(here, other)
            leave_small(small, sizes, kept, gone, k)
            merge(means, sizes, clusters, kept, gone)
            remove_point(everyone, gone)
            move_point(everyone, kept)
            if sizes[kept] < k:
                move_point(small, kept)
        else:
            chain[length] = other
            length += 1
    for i in range(n):  # links go to lower points, whose own links are done
        clusters[i] = clusters[clusters[i]]
    return clusters


@kernel
def all_equal(points):
    """Tell whether all points are the same."""
    for i in range(1, points.shape[0]):
        for j in range(points.shape[1]):
            if points[i, j] != points[0, j]:
                return False
    return True


@kernel
def first_and_last(points, k):
    """Two clusters of k, and one for each other point, named by their lowest points.

    Returns the cluster of each point, and sizes and means by name; size 0 where there is none.
    """
    n, d = points.shape
    sums = np.zeros(n)
    for j in range(d):
        for i in range(n):
            sums[i] += points[i, j]
    order = np.argsort(sums, kind="mergesort")
    clusters, sizes, means = np.arange(n), np.ones(n, dtype=np.int64), points.copy()
    for members in (np.sort(order[:k]), np.sort(order[n - k :])):
        name = members[0]
        for i in members[1:]:
            clusters[i], sizes[i] = name, 0
            for j in range(d):
                means[name, j] += points[i, j]
        sizes[name] = k
        for j in range(d):
            means[name, j] /= k
    return clusters, sizes, means


@kernel
def merge(means, sizes, clusters, kept, gone):
    """Make two clusters one. IN/OUT: means, sizes, clusters."""
    size = sizes[kept] + sizes[gone]
    for j in range(means.shape[1]):
        means[kept, j] = (sizes[kept] * means[kept, j] + sizes[gone] * means[gone, j]) / size
    sizes[kept], sizes[gone] = size, 0
    clusters[gone] = kept


@kernel
def leave_small(small, sizes, kept, gone, k):
    """Take out of the tree of clusters below k what a merge will end. IN/OUT: small."""
    if sizes[gone] < k:
        remove_point(small, gone)
    if sizes[kept] < k and sizes[kept] + sizes[gone] >= k:
        remove_point(small, kept)


@kernel
def nearest_cluster(tree, means, sizes, own, before):
    """Cluster of `tree` whose merging with `own` adds least error.

    Of equals, `before` comes first, then the lowest. A cluster has at least one record, so no cluster
    in a box can cost less than a single record at the border of the box.
    """
    point, size = means[own], sizes[own]
    least = size / (size + 1)
    best, best_item = FARTHER_THAN_ALL, before
    if before >= 0:
        best = cost(means, sizes, own, before)
    d, n_blocks = point.size, tree.sizes[1]
    gaps, room = np.empty(n_blocks, dtype=np.float32), np.empty(BLOCK + LEAF, dtype=np.float32)
    leaf_gaps, sums, q = room[:BLOCK], room[BLOCK:], np.empty(d, dtype=np.float32)
    norm = frame_point(tree, point, q)
    bound = highest(smaller(best, HALF) / least, tree.scale[0], norm, d)
    screen_boxes(tree.block_lows, tree.block_highs, 0, n_blocks, q, gaps)
    first = least_of(gaps, n_blocks)
    for turn in range(-1, n_blocks):
        block = first if turn < 0 else turn
        if gaps[block] > bound or turn == first:
            continue
        screen_boxes(tree.lows, tree.highs, block, BLOCK, q, leaf_gaps)
        nearest = least_of(leaf_gaps, BLOCK)
        for inner in range(-1, smaller(BLOCK, tree.sizes[0] - block * BLOCK)):
            at = nearest if inner < 0 else inner
            leaf = block * BLOCK + at
            if leaf_gaps[at] > bound or inner == nearest:
                continue
            screen_leaf(tree.tiles, leaf, q, sums)
            for slot in range(tree.counts[leaf]):
                item = tree.items[leaf, slot]
                if sums[slot] > bound or item == own or item == before:
                    continue
                added = cost(means, sizes, own, item)
                if added < best or (added == best and best_item != before and item < best_item):
                    best, best_item = added, item
                    bound = highest(smaller(best, HALF) / least, tree.scale[0], norm, d)
    return best_item


@kernel
def cost(means, sizes, one, other):
    """Error that merging two clusters adds."""
    distance = 0.0
    for j in range(means.shape[1]):
        t = means[other, j] - means[one, j]
        distance += t * t
    return sizes[one] * sizes[other] / (sizes[one] + sizes[other]) * distance
