"""k-Ward: Ward's merging of clusters, never of two that both have k records.

Merging two clusters of n1 and n2 records adds n1 n2 / (n1 + n2) times the squared distance of their
means to the error. Where that is forbidden it counts as infinite, and the distance stays reducible: a
merged cluster is never nearer to a third than the nearer of its two. So a chain of nearest neighbours
finds pairs that are nearest to each other, and merging these gives what merging the nearest pair
of all would, without a matrix.
"""

import numpy as np

from microagg.kernels.cut_tree import by_lowest_row
from microagg.kernels.jit import kernel
from microagg.kernels.path import in_path_order
from microagg.kernels.scan import FARTHER_THAN_ALL, tile_distances
from microagg.kernels.tree import BLOCK, LEAF, box_distances, move_point, new_tree
from microagg.kernels.walk import points_left, retire


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
    left_all, left_small = points_left(everyone), points_left(small)
    for i in range(n):
        if sizes[i] == 0:
            retire(everyone, left_all, i)
        if sizes[i] == 0 or sizes[i] >= k:
            retire(small, left_small, i)
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
            kept, gone = min(here, other), max(here, other)
            leave_small(small, left_small, sizes, kept, gone, k)
            merge(means, sizes, clusters, kept, gone)
            retire(everyone, left_all, gone)
            move_point(everyone, kept, means[kept])
            if sizes[kept] < k:
                move_point(small, kept, means[kept])
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
def leave_small(small, left, sizes, kept, gone, k):
    """Take out of the tree of clusters below k what a merge will end. IN/OUT: small, left."""
    if sizes[gone] < k:
        retire(small, left, gone)
    if sizes[kept] < k and sizes[kept] + sizes[gone] >= k:
        retire(small, left, kept)


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
    n_blocks = tree.block_lows.shape[1]
    gaps, leaf_gaps, distances = np.empty(n_blocks), np.empty(BLOCK), np.empty(LEAF)
    first = box_distances(tree.block_lows, tree.block_highs, 0, n_blocks, point, gaps)
    for turn in range(-1, n_blocks):
        block = first if turn < 0 else turn
        if least * gaps[block] > best or turn == first:
            continue
        start, stop = block * BLOCK, min((block + 1) * BLOCK, tree.items.shape[0])
        nearest = box_distances(tree.lows, tree.highs, start, stop, point, leaf_gaps)
        for inner in range(-1, stop - start):
            leaf = nearest if inner < 0 else inner
            if least * leaf_gaps[leaf] > best or inner == nearest:
                continue
            items = tree.items[start + leaf]
            tile_distances(tree.leaves[start + leaf], 0, LEAF, point, distances)
            for slot in range(LEAF):
                item = items[slot]
                if item < 0 or item == own or item == before:
                    continue
                added = size * sizes[item] / (size + sizes[item]) * distances[slot]
                if added < best or (added == best and best_item != before and item < best_item):
                    best, best_item = added, item
    return best_item


@kernel
def cost(means, sizes, one, other):
    """Error that merging two clusters adds."""
    distance = 0.0
    for j in range(means.shape[1]):
        t = means[other, j] - means[one, j]
        distance += t * t
    return sizes[one] * sizes[other] / (sizes[one] + sizes[other]) * distance
