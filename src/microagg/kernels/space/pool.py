"""The records not yet grouped, packed at the front so that scans run over dense memory."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import borrowing, kernel


class Pool(NamedTuple):
    """Records not yet grouped. Positions 0 .. left[0]-1 are alive, the rest is left-over.

    Attributes
    ----------
    values : float64[d, n]
        One packed array per attribute.
    rows : int64[n]
        The row number of the record at each position.
    places : int64[n]
        The position of each row: the inverse of `rows`.
    left : int64[1]
        How many records are left.
    total : float64[d]
        Sum of the records that are left, kept up to date as they leave.
    """

    values: np.ndarray
    rows: np.ndarray
    places: np.ndarray
    left: np.ndarray
    total: np.ndarray


@kernel
def new_pool(columns):
    """Return a pool of all records. `columns` is float64[d, n] and stays untouched."""
    n = columns.shape[1]
    left = np.full(1, n, dtype=np.int64)
    return Pool(columns.copy(), np.arange(n), np.arange(n), left, sum_of(columns))


@kernel
def sum_of(columns):
    """Sum of all records, one after the other."""
    d, n = columns.shape
    total = np.zeros(d)
    for j in range(d):
        for i in range(n):
            total[j] += columns[j, i]
    return total


@borrowing
def remove_from_pool(pool, row):
    """Take `row` out of the pool; the last record moves to its place. IN/OUT: pool."""
    place, last = pool.places[row], pool.left[0] - 1
    moved = pool.rows[last]
    for j in range(pool.values.shape[0]):
        leaving = pool.values[j, place]
        pool.total[j] -= leaving
        pool.values[j, place] = pool.values[j, last]
        pool.values[j, last] = leaving
    pool.rows[place], pool.rows[last] = moved, row
    pool.places[moved], pool.places[row] = place, last
    pool.left[0] = last


@borrowing
def compact_pool(pool):
    """Do nothing: a pool is always packed."""


@borrowing
def coordinates_in_pool(pool, row, out):
    """Write the record of `row`, in the pool or already out of it. OUT: out, float64[d]."""
    place = pool.places[row]
    for j in range(out.size):
        out[j] = pool.values[j, place]


@kernel
def rows_in_pool(pool):
    """Rows of the records left, in order."""
    rows, count = np.empty(pool.left[0], dtype=np.int64), 0
    for row in range(pool.places.size):
        if pool.places[row] < pool.left[0]:
            rows[count] = row
            count += 1
    return rows


@borrowing
def look_ahead_in_pool(pool, seed, k, growth, opposite, labels):
    """Do nothing: a pool is scanned when it is asked."""


@borrowing
def look_ahead_opposite_in_pool(pool, row, k, growth, labels):
    """Do nothing."""


@borrowing
def look_ahead_in_order_of_pool(pool, order, start, k, growth, labels):
    """Do nothing."""


@borrowing
def recall_in_pool(pool, row, labels, members):
    """Know nothing."""
    return False


@borrowing
def recall_member_in_pool(pool, row, place, labels):
    """Know nothing."""
    return np.int64(-1)


@borrowing
def recall_farthest_in_pool(pool, row, labels):
    """Know nothing."""
    return np.int64(-1)
