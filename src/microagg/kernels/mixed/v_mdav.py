"""V-MDAV on mixed records: the rules of `v_mdav` on the distance of `mixed`."""

import numpy as np

from microagg.kernels.extremes import smaller
from microagg.kernels.jit import kernel
from microagg.kernels.mixed.groups import REACH
from microagg.kernels.mixed.pool import new_mixed_pool, take_out
from microagg.kernels.mixed.query import distance_to, new_query, set_to_row, set_to_sums
from microagg.kernels.mixed.records import new_sums
from microagg.kernels.mixed.search import nearest_mixed
from microagg.kernels.order import stable_order, where_equal


@kernel
def mixed_v_mdav(mix, k, gamma, ticker):
    """Groups of k around the record left that is farthest from the centre of all, each extended.

    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    """
    n = mix.numbers.shape[1]
    labels = np.full(n, -1, dtype=np.int32)
    pool, query = new_mixed_pool(mix), new_query(mix, new_sums(mix))
    middle = new_query(mix, pool.sums)
    set_to_sums(mix, middle)
    distances = np.empty(n)
    for row in range(n):
        distances[row] = distance_to(mix, row, middle)
    label = 0
    for seed in stable_order(distances, -1.0):
        if labels[seed] >= 0:
            continue
        if pool.sizes[0] < k or ticker[1] != 0:
            break
        labels[seed] = label
        take_out(mix, pool, seed)
        set_to_row(mix, seed, query)
        near = np.empty(smaller(REACH * k, pool.sizes[0]), dtype=np.int64)
        gaps = np.empty(near.size)
        nearest_mixed(mix, pool, query, gaps, near)
        for row in near[: k - 1]:
            labels[row] = label
            take_out(mix, pool, row)
        extend_mixed(mix, pool, near, gaps, k, gamma, label, query, labels)
        label += 1
        ticker[0] = n - pool.sizes[0]
    if ticker[1] == 0:
        join_nearest_mixed(mix, query, labels)
    return labels


@kernel
def extend_mixed(mix, pool, near, gaps, k, gamma, label, query, labels):
    """Add up to k-1 records that are nearer to the group than gamma times to any other left.

    Of `near`, with `gaps` to the seed, the first k-1 are in the group. IN/OUT: all but mix, k.
    """
    two, two_gaps = np.empty(2, dtype=np.int64), np.empty(2)
    for member in range(k - 1):
        set_to_row(mix, near[member], query)
        for i in range(k - 1, near.size):
            gaps[i] = smaller(gaps[i], distance_to(mix, near[i], query))
    for size in range(k - 1, smaller(2 * k - 2, near.size)):
        if pool.sizes[0] < 2:
            return
        best = size
        for i in range(size + 1, near.size):
            if gaps[i] < gaps[best] or (gaps[i] == gaps[best] and near[i] < near[best]):
                best = i
        set_to_row(mix, near[best], query)
        for i in range(size, near.size):  # one that is too near spares the scan of all
            if i != best and not gaps[best] < gamma * distance_to(mix, near[i], query):
                return
        nearest_mixed(mix, pool, query, two_gaps, two)
        if not gaps[best] < gamma * two_gaps[1]:
            return
        near[size], near[best] = near[best], near[size]
        gaps[size], gaps[best] = gaps[best], gaps[size]
        labels[near[size]] = label
        take_out(mix, pool, near[size])
        for i in range(size + 1, near.size):
            gaps[i] = smaller(gaps[i], distance_to(mix, near[i], query))


@kernel
def join_nearest_mixed(mix, query, labels):
    """Add each record without a group to that of the nearest record with one. IN/OUT: labels.

    They go in row order, and those that have joined count for those after them.
    """
    for row in where_equal(labels, -1):
        set_to_row(mix, row, query)
        near, near_gap = -1, 0.0
        for i in range(labels.size):
            if labels[i] >= 0:
                gap = distance_to(mix, i, query)
                if near < 0 or gap < near_gap:
                    near, near_gap = i, gap
        labels[row] = labels[near] if near >= 0 else 0


@kernel
def mixed_neighbours(mix, rows, m, ticker):
    """Distances of some records to their m nearest others, nearest first."""
    pool, query = new_mixed_pool(mix), new_query(mix, new_sums(mix))
    gaps, near = np.empty(m + 1), np.empty(m + 1, dtype=np.int64)
    out = np.empty((rows.size, m))
    for i in range(rows.size):
        if ticker[1] != 0:
            break
        ticker[0] = i
        set_to_row(mix, rows[i], query)
        nearest_mixed(mix, pool, query, gaps, near)
        out[i] = gaps[1:]
    return out
