"""GSMS: of all records' candidate groups, take the one that leaves the least error.

For a candidate of sum S among n_T records left of sum S_T, SSE(group) + SSE(rest) is smallest where
|S|^2 / k + |S_T - S|^2 / (n_T - k) is largest: only sums are needed. That is, but for a constant and
the factor n_T / (k (n_T - k)), the squared distance of S to k times the mean of the records left:
so few candidates have to be looked at.
"""

import numpy as np

from microagg.kernels.fixed.fixed_size import place_leftovers
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.space.neighbours import leave, look, neighbourhood, new_neighbours
from microagg.kernels.space.outermost import ROUNDING, candidates, enter, new_outermost, point_moved
from microagg.kernels.space.queue import drop
from microagg.kernels.space.records import compact, remove, rows_in_turn


@kernel
def gsms(records, columns, k, leftovers, ticker):
    """Form the best candidate group again and again, a record with its k-1 nearest left.

    `records` keeps all records of `columns`. ticker[0] counts the records grouped; the loop stops
    early when ticker[1] is set.
    """
    d, n = columns.shape
    labels = np.full(n, -1, dtype=np.int32)
    neighbours = new_neighbours(n, k)
    points, sums, outer = columns.T.copy(), np.empty((n, d)), new_outermost(n, d)
    members = np.empty(k, dtype=np.int64)
    stale, n_stale = rows_in_turn(records), n
    enough = 2 * k if leftovers == 0 else k
    label = 0
    while records.left[0] >= enough:
        compact(records)
        while n_stale > 0:
            n_short = 0
            for row in stale[:n_stale]:
                if neighbourhood(neighbours, row, labels, members):
                    add_up(points, members, sums[row])
                    if label > 0:
                        point_moved(outer, sums, row)
                else:
                    stale[n_short] = row
                    n_short += 1
            n_stale = n_short
            if not look(neighbours, records, stale[:n_stale], ticker):
                return labels
        if label == 0:
            enter(outer, sums, np.arange(n), middle(records, k))
        best = best_candidate(records, sums, outer, k)
        neighbourhood(neighbours, best, labels, members)
        for row in members:
            labels[row] = label
            remove(records, row)
            drop(outer.queue, row)
        label += 1
        n_stale = 0
        if records.left[0] >= enough:
            for row in members:
                n_stale = leave(neighbours, row, labels, stale, n_stale)
        ticker[0] = n - records.left[0]
    place_leftovers(columns, records, label, leftovers, labels)
    return labels


@borrowing
def add_up(points, members, total):
    """Sum of some records. OUT: total."""
    for j in range(total.size):
        total[j] = 0.0
        for row in members:
            total[j] += points[row, j]


@kernel
def middle(records, k):
    """Sum of k records that were all at the mean of the records left."""
    return records.total * (k / records.left[0])


@borrowing
def gain(records, sums, row, k):
    """What is to be largest: |S|^2 / k + |S_T - S|^2 / (n_T - k)."""
    left = records.left[0]
    own = rest = 0.0
    for j in range(sums.shape[1]):
        s = sums[row, j]
        t = records.total[j] - s
        own += s * s
        rest += t * t
    return own / k + (rest / (left - k) if left > k else 0.0)


@kernel
def best_candidate(records, sums, outer, k):
    """Row of the record left whose candidate group leaves the least error; ties to the lowest.

    A gain is rounded to within `ROUNDING` of itself for each attribute, so candidates nearer to the
    middle by more than that can be passed over. IN/OUT: outer.
    """
    left = records.left[0]
    if left == k:  # one group, whoever is asked
        return outer.queue.rows[0]
    centre = middle(records, k)
    spare = gain(records, sums, outer.queue.rows[0], k) * k * (left - k) / left
    for j in range(centre.size):  # the middle itself is rounded
        spare += centre[j] * centre[j]
    spare *= 4 * (centre.size + 8) * ROUNDING
    best, best_row = -1.0, np.int64(-1)
    for row in candidates(outer, sums, centre, spare):
        value = gain(records, sums, row, k)
        if value > best or (value == best and row < best_row):
            best, best_row = value, row
    return best_row
