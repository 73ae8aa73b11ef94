"""Cut the longest edges of a spanning tree as long as both sides keep k records."""

import numpy as np

from microagg.kernels.fixed.diameter import diameter_seeded
from microagg.kernels.fixed.fixed_size import centroid_seeded
from microagg.kernels.jit import kernel
from microagg.kernels.space.pool import new_pool

SPLIT = {"diameter": 0, "centroid": 1, "mdav": 2}
"""How parts of 2k records and more are split: as dbfs-nc and cbfs-nc do, the leftovers one by one to
the nearest group, or as mdav does."""


@kernel
def cut_longest(lows, highs, squares, k, ticker):
    """Parts of the tree, int64[n], numbered by their lowest row.

    An edge that leaves fewer than k on a side stays: later cuts only make sides smaller, so one pass
    in order of falling length is enough. Of equally long edges that with the lowest rows is first.
    ticker[0] counts edges; the loop stops early when ticker[1] is set.
    """
    n = lows.size + 1
    order, parents, edges = rooted(lows, highs, n)
    sizes = np.ones(n, dtype=np.int64)
    for i in range(n - 1, 0, -1):
        sizes[parents[order[i]]] += sizes[order[i]]
    below = np.empty(n - 1, dtype=np.int64)  # the lower end of each edge in the rooted tree
    for row in range(n):
        if edges[row] >= 0:
            below[edges[row]] = row
    by_rows = np.argsort(lows * n + highs, kind="mergesort")
    for edge in by_rows[np.argsort(-squares[by_rows], kind="mergesort")]:
        if ticker[1] != 0:
            break
        ticker[0] += 1
        child = below[edge]
        if sizes[child] < k:
            continue
        top = child
        while parents[top] >= 0:
            top = parents[top]
        if sizes[top] - sizes[child] >= k:
            above = parents[child]
            while above >= 0:
                sizes[above] -= sizes[child]
                above = parents[above]
            parents[child] = -1
    return parts_of(order, parents)


@kernel
def rooted(lows, highs, n):
    """The tree seen from row 0: rows from the root on, their parents, and the edges to these."""
    starts, ends, numbers = adjacency(lows, highs, n)
    parents, edges = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    order = np.zeros(n, dtype=np.int64)
    count = 1
    for i in range(n):
        row = order[i]
        for at in range(starts[row], starts[row + 1]):
            if ends[at] != parents[row]:
                parents[ends[at]], edges[ends[at]] = row, numbers[at]
                order[count] = ends[at]
                count += 1
    return order, parents, edges


@kernel
def adjacency(lows, highs, n):
    """Neighbours of each row: where its list starts, the rows, and the numbers of the edges."""
    starts = np.zeros(n + 2, dtype=np.int64)
    for edge in range(lows.size):
        starts[lows[edge] + 2] += 1
        starts[highs[edge] + 2] += 1
    for row in range(2, n + 2):
        starts[row] += starts[row - 1]
    ends, numbers = np.empty(2 * lows.size, np.int64), np.empty(2 * lows.size, np.int64)
    for edge in range(lows.size):
        for here, there in ((lows[edge], highs[edge]), (highs[edge], lows[edge])):
            at = starts[here + 1]
            ends[at], numbers[at] = there, edge
            starts[here + 1] += 1
    return starts, ends, numbers


@kernel
def parts_of(order, parents):
    """Number the trees of a forest by their lowest rows; `order` has parents before children."""
    roots = np.empty(order.size, dtype=np.int64)
    for row in order:
        roots[row] = row if parents[row] < 0 else roots[parents[row]]
    return by_lowest_row(roots)


@kernel
def by_lowest_row(parts):
    """Number parts, given as any integers from 0 to n-1, in the order of their lowest rows."""
    n = parts.size
    numbers = np.full(n, -1, dtype=np.int64)
    out, count = np.empty(n, dtype=np.int64), 0
    for row in range(n):
        if numbers[parts[row]] < 0:
            numbers[parts[row]] = count
            count += 1
        out[row] = numbers[parts[row]]
    return out


@kernel
def split_parts(columns, parts, k, rule, ticker):
    """Labels: parts of 2k and more are split by a fixed-size heuristic, smaller ones stay.

    ticker[0] counts the records done; the loop stops early when ticker[1] is set.
    """
    n = parts.size
    labels = np.empty(n, dtype=np.int32)
    by_part = np.argsort(parts, kind="mergesort")
    label, start = 0, 0
    while start < n and ticker[1] == 0:
        stop = start
        while stop < n and parts[by_part[stop]] == parts[by_part[start]]:
            stop += 1
        rows = by_part[start:stop]
        if rows.size < 2 * k:
            inside = np.zeros(rows.size, dtype=np.int32)
        else:
            inside = split_one(np.ascontiguousarray(columns[:, rows]), k, rule, ticker)
        for i in range(rows.size):
            labels[rows[i]] = label + inside[i]
        label += inside.max() + 1
        start = stop
        ticker[0] = start
    return labels


@kernel
def split_one(columns, k, rule, ticker):
    """Labels of some records as a fixed-size heuristic groups them."""
    pool = new_pool(columns)
    if rule == 0:
        return diameter_seeded(pool, columns, k, 1, 1, ticker)
    if rule == 1:
        return centroid_seeded(pool, columns, k, False, 1, 1, ticker)
    return centroid_seeded(pool, columns, k, True, 0, 0, ticker)
