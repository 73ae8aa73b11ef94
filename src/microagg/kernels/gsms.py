"""GSMS: of all records' candidate groups, take the one that leaves the least error.

For a candidate of sum S among n_T records left of sum S_T, SSE(group) + SSE(rest) is smallest where
|S|^2 / k + |S_T - S|^2 / (n_T - k) is largest: only sums are needed.
"""

import numpy as np

from microagg.kernels.fixed_size import place_leftovers
from microagg.kernels.jit import kernel
from microagg.kernels.pool import coordinates, new_pool, remove
from microagg.kernels.scan import nearest

SPARE = 3
"""Neighbours kept beyond the k-1 needed, as a multiple of k: spares a new search for most."""


@kernel
def gsms(columns, k, leftovers, ticker):
    """Form the best candidate group again and again, a record with its k-1 nearest left.

    Each record keeps a list of its nearest; when fewer than k-1 of them are left, it looks again.
    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    """
    d, n = columns.shape
    labels = np.full(n, -1, dtype=np.int32)
    pool = new_pool(columns)
    width = min(n - 1, k - 1 + SPARE * k)
    near = np.empty((n, width), dtype=np.int64)
    sums = np.empty((n, d))
    stale = np.ones(n, dtype=np.bool_)
    searched = np.zeros(n, dtype=np.bool_)
    enough = 2 * k if leftovers == 0 else k
    label = 0
    while pool.left[0] >= enough and ticker[1] == 0:
        for place in range(pool.left[0]):
            row = pool.rows[place]
            if stale[row]:
                refresh(pool, columns, row, k, near[row], sums[row], labels, searched)
                stale[row] = False
                if ticker[1] != 0:
                    return labels
        seed = best_candidate(pool, sums, k)
        members = candidate(seed, k, near[seed], labels)
        for row in members:
            labels[row] = label
            remove(pool, row)
        mark_stale(pool, members, k, near, labels, stale)
        label += 1
        ticker[0] = n - pool.left[0]
    if ticker[1] == 0:
        place_leftovers(columns, pool, label, leftovers, labels)
    return labels


@kernel
def refresh(pool, columns, row, k, near, total, labels, searched):
    """Bring the candidate group of a record up to date. OUT: total; IN/OUT: near, searched."""
    alive = 0
    for other in near if searched[row] else near[:0]:
        if other >= 0 and labels[other] < 0:
            alive += 1
    if alive < k - 1:
        point = np.empty(columns.shape[0])
        coordinates(pool, row, point)
        rows = np.empty(near.size + 1, dtype=np.int64)
        nearest(pool, point, np.empty(rows.size), rows)
        near[:] = rows[rows != row][: near.size]
        searched[row] = True
    total[:] = 0.0
    for member in candidate(row, k, near, labels):
        for j in range(total.size):
            total[j] += columns[j, member]


@kernel
def candidate(row, k, near, labels):
    """Rows of the candidate group of a record: itself and its k-1 nearest that are left."""
    members = np.empty(k, dtype=np.int64)
    members[0] = row
    found = 1
    for other in near:
        if found < k and other >= 0 and labels[other] < 0:
            members[found] = other
            found += 1
    return members[:found]


@kernel
def best_candidate(pool, sums, k):
    """Row of the record left whose candidate group leaves the least error."""
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


@kernel
def mark_stale(pool, members, k, near, labels, stale):
    """Mark the records left that have lost one of their k-1 nearest. IN/OUT: stale.

    A member of the group just formed is among the first k-1 alive of `near` exactly when it was
    before any k-1 others that are still left.
    """
    for place in range(pool.left[0]):
        row = pool.rows[place]
        found = 0
        for other in near[row]:
            if found == k - 1 or other < 0:
                break
            if labels[other] < 0:
                found += 1
            elif is_member(other, members):
                stale[row] = True
                break


@kernel
def is_member(row, members):
    """Tell whether `row` is one of `members`."""
    for member in members:
        if member == row:
            return True
    return False
