"""DBA-1: the densest neighbourhood first.

The k-density of a record is 1 / SSE of its neighbourhood: itself and its k-1 nearest that are left.
"""

import numpy as np

from microagg.kernels.fixed_size import place_leftovers
from microagg.kernels.groups import gap
from microagg.kernels.jit import kernel
from microagg.kernels.neighbours import leave, neighbourhood, new_neighbours
from microagg.kernels.pool import new_pool, remove
from microagg.kernels.scan import FARTHER_THAN_ALL


@kernel
def density_seeded(columns, k, ticker):
    """Form the densest neighbourhood again and again while k records are left.

    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    """
    n = columns.shape[1]
    labels = np.full(n, -1, dtype=np.int32)
    pool = new_pool(columns)
    neighbours = new_neighbours(n, k)
    errors = np.empty(n)
    stale, n_stale = np.arange(n), n
    for label in range(n // k):
        for row in stale[:n_stale]:
            if ticker[1] != 0:
                return labels
            errors[row] = spread(columns, neighbourhood(neighbours, pool, row, labels))
        members = neighbourhood(neighbours, pool, densest(pool, errors), labels)
        for row in members:
            labels[row] = label
            remove(pool, row)
        if pool.left[0] < k:
            break
        n_stale = 0
        for row in members:
            n_stale = leave(neighbours, row, labels, stale, n_stale)
        ticker[0] = n - pool.left[0]
    place_leftovers(columns, pool, n // k, 1, labels)
    return labels


@kernel
def spread(columns, members):
    """Sum of squared distances of some records to their mean."""
    mean = np.zeros(columns.shape[0])
    for row in members:
        for j in range(mean.size):
            mean[j] += columns[j, row]
    for j in range(mean.size):
        mean[j] /= members.size
    error = 0.0
    for row in members:
        error += gap(columns, row, mean)
    return error


@kernel
def densest(pool, errors):
    """Row of the record left whose neighbourhood has the least error; ties to the lowest row."""
    best, best_row = FARTHER_THAN_ALL, np.int64(-1)
    for place in range(pool.left[0]):
        row = pool.rows[place]
        if errors[row] < best or (errors[row] == best and row < best_row):
            best, best_row = errors[row], row
    return best_row
