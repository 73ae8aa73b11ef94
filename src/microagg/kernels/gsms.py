"""GSMS: of all records' candidate groups, take the one that leaves the least error.

For a candidate of sum S among n_T records left of sum S_T, SSE(group) + SSE(rest) is smallest where
|S|^2 / k + |S_T - S|^2 / (n_T - k) is largest: only sums are needed.
"""

import numpy as np

from microagg.kernels.fixed_size import place_leftovers
from microagg.kernels.jit import kernel
from microagg.kernels.neighbours import leave, neighbourhood, new_neighbours
from microagg.kernels.pool import new_pool, remove


@kernel
def gsms(columns, k, leftovers, ticker):
    """Form the best candidate group again and again, a record with its k-1 nearest left.

    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    """
    d, n = columns.shape
    labels = np.full(n, -1, dtype=np.int32)
    pool = new_pool(columns)
    neighbours = new_neighbours(n, k)
    sums = np.empty((n, d))
    stale, n_stale = np.arange(n), n
    enough = 2 * k if leftovers == 0 else k
    label = 0
    while pool.left[0] >= enough:
        for row in stale[:n_stale]:
            if ticker[1] != 0:
                return labels
            add_up(columns, neighbourhood(neighbours, pool, row, labels), sums[row])
        members = neighbourhood(neighbours, pool, best_candidate(pool, sums, k), labels)
        for row in members:
            labels[row] = label
            remove(pool, row)
        label += 1
        n_stale = 0
        if pool.left[0] >= enough:
            for row in members:
                n_stale = leave(neighbours, row, labels, stale, n_stale)
        ticker[0] = n - pool.left[0]
    place_leftovers(columns, pool, label, leftovers, labels)
    return labels


@kernel
def add_up(columns, members, total):
    """Sum of some records. OUT: total."""
    total[:] = 0.0
    for row in members:
        for j in range(total.size):
            total[j] += columns[j, row]


@kernel
def best_candidate(pool, sums, k):
    """Row of the record left whose candidate group leaves the least error; ties to the lowest."""
    left = pool.left[0]
    best, best_row = -1.0, np.int64(-1)
    for place in range(left):
        row = pool.rows[place]
        own = rest = 0.0
        for j in range(sums.shape[1]):
            s = sums[row, j]
            t = pool.total[j] - s
            own += s * s
            rest += t * t
        value = own / k + (rest / (left - k) if left > k else 0.0)
        if value > best or (value == best and row < best_row):
            best, best_row = value, row
    return best_row
