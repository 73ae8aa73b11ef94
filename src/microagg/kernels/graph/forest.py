"""The forest of nearest-neighbour edges and its decomposition (mu-Approx)."""

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.graph.cut_tree import by_lowest_row
from microagg.kernels.graph.spanning import find
from microagg.kernels.graph.ward import cost
from microagg.kernels.jit import kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import nearest_points
from microagg.kernels.space.tree import new_tree


@kernel
def nearest_forest(points, k, ticker):
    """Parents of the records of float64[n, d] in trees of at least k; -1 at the roots.

    In rounds, in row order, the root of each tree of fewer than k records gets an edge to the nearest
    record outside its tree, which is one of its k-1 nearest. ticker[0] counts the edges; the loop
    stops early when ticker[1] is set.
    """
    n = points.shape[0]
    tree = new_tree(points)
    parents, trees = np.full(n, -1, dtype=np.int64), np.arange(n)
    sizes = np.ones(n, dtype=np.int64)
    gaps, near = np.empty(k), np.empty(k, dtype=np.int64)
    joined = True
    while joined:
        joined = False
        for row in range(n):
            if parents[row] >= 0 or sizes[row] >= k or ticker[1] != 0:
                continue
            m = sizes[row]  # of that many nearest, the tree itself has one less
            nearest_points(tree, points[row], row, FARTHER_THAN_ALL, gaps[:m], near[:m])
            for other in near[:m]:
                root = find(trees, other)
                if root != row:
                    parents[row], trees[row] = other, root
                    sizes[root] += sizes[row]
                    break
            joined = True
            ticker[0] += 1
    return parents


@kernel
def decompose_forest(points, parents, k, ticker):
    """Parts of k to 3k-3 records of a forest of trees of at least k, numbered by their lowest rows.

    From the leaves up, each record gathers what its children, in row order, have left; as soon as k
    are together they are a part. What is left at a root joins a part that hangs on it. ticker[0]
    counts records; one pass needs no way to stop.
    """
    n = parents.size
    order = children_last(parents)
    parts = np.arange(n)  # links from record to record; the end of the links names the part
    count = np.zeros(n, dtype=np.int64)  # records that wait at a record, itself not included
    pending = np.full(n, -1, dtype=np.int64)  # the name of them
    hangs_on = np.full(n, -1, dtype=np.int64)  # by name of a part: the record above it
    complete = np.zeros(n, dtype=np.bool_)  # by name: whether it is a part
    for at in range(n - 1, -1, -1):
        ticker[0] = n - at
        row, above = order[at], parents[order[at]]
        if pending[row] >= 0:
            parts[pending[row]] = row
        if count[row] + 1 >= k:
            complete[row], hangs_on[row] = True, above
        elif above >= 0:
            if pending[above] >= 0:
                parts[row] = pending[above]
            else:
                pending[above] = row
            count[above] += count[row] + 1
            if count[above] >= k:
                complete[pending[above]], hangs_on[pending[above]] = True, above
                pending[above], count[above] = -1, 0
    join_rest(points, parts, complete, hangs_on)
    for row in range(n):
        parts[row] = find(parts, row)
    return by_lowest_row(parts)


@kernel
def join_rest(points, parts, complete, hangs_on):
    """Join what is left at each root with the part hanging on it that adds least error.

    Ties go to the part of the lowest name. IN/OUT: parts.
    """
    n, d = points.shape
    means, sizes = np.zeros((n, d)), np.zeros(n, dtype=np.int64)
    for row in range(n):
        name = find(parts, row)
        sizes[name] += 1
        for j in range(d):
            means[name, j] += points[row, j]
    for name in range(n):
        for j in range(d):
            means[name, j] /= larger(sizes[name], 1)
    best, least = np.full(n, -1, dtype=np.int64), np.full(n, FARTHER_THAN_ALL)
    for name in range(n):
        if complete[name] and hangs_on[name] >= 0:
            rest = find(parts, hangs_on[name])
            if not complete[rest]:
                added = cost(means, sizes, rest, name)
                if added < least[rest]:
                    best[rest], least[rest] = name, added
    for rest in range(n):
        if best[rest] >= 0:
            parts[rest] = best[rest]


@kernel
def children_last(parents):
    """Rows such that parents come before their children and siblings fall in row order.

    Read from the end, siblings come in row order.
    """
    n = parents.size
    starts = np.zeros(n + 2, dtype=np.int64)
    for row in range(n):
        starts[parents[row] + 2] += 1
    for i in range(1, n + 2):
        starts[i] += starts[i - 1]
    children, at = np.empty(n, dtype=np.int64), starts.copy()
    for row in range(n - 1, -1, -1):
        children[at[parents[row] + 1]] = row
        at[parents[row] + 1] += 1
    order, count = np.empty(n, dtype=np.int64), starts[1]
    order[:count] = children[:count]  # the roots
    for i in range(n):
        row = order[i]
        for place in range(starts[row + 1], starts[row + 2]):
            order[count] = children[place]
            count += 1
    return order
