"""DBA-1: the densest neighbourhood first.

The k-density of a record is 1 / SSE of its neighbourhood: itself and its k-1 nearest that are left.
"""

import numpy as np

from microagg.kernels.fixed.fixed_size import place_leftovers
from microagg.kernels.jit import kernel
from microagg.kernels.space.neighbours import leave, neighbourhood, new_neighbours
from microagg.kernels.space.queue import change_key, drop, new_queue
from microagg.kernels.space.records import compact, remove
from microagg.kernels.space.scan import distance_to


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
    stale, n_stale = np.arange(n), n
    for label in range(n // k):
        compact(records)
        for row in stale[:n_stale]:
            if ticker[1] != 0:
                return labels
            error = spread(columns, neighbourhood(neighbours, records, row, labels))
            change_key(by_density, row, -error)
        members = neighbourhood(neighbours, records, by_density.rows[0], labels)
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
        error += distance_to(columns, row, mean)
    return error
