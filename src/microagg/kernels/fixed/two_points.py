"""Groups seeded by the records farthest from two fixed points, in turn (TFRP)."""

import numpy as np

from microagg.kernels.fixed.fixed_size import (
    group_totals,
    grow,
    join_nearest_group,
    nearest_mean,
    new_group,
)
from microagg.kernels.jit import kernel
from microagg.kernels.order import copy_to, stable_order, where_equal
from microagg.kernels.space.records import compact, look_ahead_in_order


@kernel
def reference_seeded(records, columns, k, references, growth, sorted_leftovers, ticker):
    """Groups of k around the record left that is farthest from references[0], [1], [0], ...

    `references` is float64[2, d]. Fewer than k records stay: with `sorted_leftovers` they join the
    group of nearest mean in order of falling distance to the second point, else the closest first.
    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    """
    n = columns.shape[1]
    labels = np.full(n, -1, dtype=np.int32)
    orders = np.empty((2, n), dtype=np.int64)
    copy_to(orders[0], farthest_first(columns, references[0]))
    copy_to(orders[1], farthest_first(columns, references[1]))
    at = np.zeros(2, dtype=np.int64)
    n_groups, group = n // k, new_group(columns.shape[0], k)
    for label in range(n_groups):
        if ticker[1] != 0:
            return labels
        compact(records)
        turn = label % 2
        while labels[orders[turn, at[turn]]] >= 0:
            at[turn] += 1
        look_ahead_in_order(records, orders[turn], at[turn], k, growth, labels)
        grow(records, orders[turn, at[turn]], label, growth, labels, group)
        ticker[0] = n - records.left[0]
    if sorted_leftovers:
        join_in_order(columns, orders[1], n_groups, labels)
    else:
        join_nearest_group(columns, where_equal(labels, -1), n_groups, labels)
    return labels


@kernel
def farthest_first(columns, point):
    """Rows by falling squared distance to `point`; ties to the lowest row."""
    distances = np.zeros(columns.shape[1])
    for j in range(columns.shape[0]):
        for i in range(distances.size):
            t = columns[j, i] - point[j]
            distances[i] += t * t
    return stable_order(distances, -1.0)


@kernel
def join_in_order(columns, order, n_groups, labels):
    """Add each record without a group to the one of nearest mean; means move. IN/OUT: labels."""
    totals, sizes = group_totals(columns, n_groups, labels)
    for row in order:
        if labels[row] < 0:
            group, _ = nearest_mean(columns, row, totals, sizes)
            labels[row] = group
            sizes[group] += 1
            for j in range(columns.shape[0]):
                totals[group, j] += columns[j, row]
