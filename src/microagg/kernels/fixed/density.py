"""DBA-1: the densest neighbourhood first.

The k-density of a record is 1 / SSE of its neighbourhood: itself and its k-1 nearest that are left.
"""

import numpy as np

from microagg.kernels.fixed.fixed_size import place_leftovers
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.space.neighbours import leave, look, neighbourhood, new_neighbours
from microagg.kernels.space.outermost import square
from microagg.kernels.space.queue import change_key, drop, new_queue
from microagg.kernels.space.records import compact, remove, rows_in_turn


@kernel
def density_seeded(records, columns, k, ticker):
    """Form the densest neighbourhood again and again while k records are left.

    `records` keeps all records of `columns`. ticker[0] counts the records grouped; the loop stops
    early when ticker[1] is set.
    """
    n = columns.shape[1]
    labels = np.full(n, -1, dtype=np.int32)
    neighbours = new_neighbours(n, k)
    by_density = new_queue(np.zeros(n))
    points, mean = columns.T.copy(), np.empty(columns.shape[0])
    members = np.empty(k, dtype=np.int64)
    stale, n_stale = rows_in_turn(records), n
    for label in range(n // k):
        compact(records)
        while n_stale > 0:
            n_short = 0
            for row in stale[:n_stale]:
                if neighbourhood(neighbours, row, labels, members):
                    change_key(by_density, row, -spread(points, members, mean))
                else:
                    stale[n_short] = row
                    n_short += 1
            n_stale = n_short
            if not look(neighbours, records, stale[:n_stale], ticker):
                return labels
        neighbourhood(neighbours, by_density.rows[0], labels, members)
        for row in members:
            labels[row] = label
            remove(records, row)
            drop(by_density, row)
        if records.left[0] < k:
            break
        n_stale = 0
        for row in members:
            n_stale = leave(neighbours, row, labels, stale, n_stale)
        ticker[0] = n - records.left[0]
    place_leftovers(columns, records, n // k, 1, labels)
    return labels


@borrowing
def spread(points, members, mean):
    """Sum of squared distances of some records to their mean. OUT: mean."""
    for j in range(mean.size):
        mean[j] = 0.0
        for row in members:
            mean[j] += points[row, j]
        mean[j] /= members.size
    error = 0.0
    for row in members:
        error += square(points, row, mean)
    return error
