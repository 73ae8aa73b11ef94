"""Equal records as one point each, with its rows in order.

Equal records are equally far from everything. A search that looks at each point once, and at its rows
from the lowest up, therefore finds what a scan over all records finds, ties included. Without that, the
boxes of thousands of leaves would lie at the same distance, and none could be passed over.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import borrowing, kernel

GONE = -2
"""Stands for the row before one that has left."""

FACTOR = np.int64(0x1F83D9ABFB41BD6B)
"""An odd number of many bits, which spreads sums over the table."""


class Copies(NamedTuple):
    """Which records are equal.

    Attributes
    ----------
    points : int32[n]
        The point of each row; points are numbered in the order of their first rows.
    heads : int32[m]
        The lowest row left of each point; -1 when all have left.
    following, before : int32[n]
        The next and the last row left of the same point, -1 where there is none. A row that has left
        has `GONE` before it.
    """

    points: np.ndarray
    heads: np.ndarray
    following: np.ndarray
    before: np.ndarray


@kernel
def copies_of(columns):
    """Return the copies of all records of `columns`, float64[d, n]."""
    n = columns.shape[1]
    codes = hashes(columns)
    bits = 1
    while 1 << bits < 2 * n:
        bits += 1
    table = np.full(1 << bits, -1, dtype=np.int32)
    last = np.empty(n, dtype=np.int32)
    copies = Copies(
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int32),
        np.full(n, -1, dtype=np.int32),
        np.full(n, -1, dtype=np.int32),
    )
    m = 0
    for row in range(n):
        place = (codes[row] >> (64 - bits)) & (table.size - 1)
        point = table[place]
        while point >= 0 and not (
            codes[copies.heads[point]] == codes[row]
            and are_equal(columns, copies.heads[point], row)
        ):
            place = (place + 1) & (table.size - 1)
            point = table[place]
        if point < 0:
            point = table[place] = m
            copies.heads[point] = row
            m += 1
        else:
            copies.before[row] = last[point]
            copies.following[last[point]] = row
        copies.points[row] = point
        last[point] = row
    return Copies(copies.points, copies.heads[:m].copy(), copies.following, copies.before)


@kernel
def hashes(columns):
    """Return a number for each record that is the same for equal ones."""
    bits = columns.view(np.int64)
    codes = np.zeros(columns.shape[1], dtype=np.int64)
    for j in range(columns.shape[0]):
        for i in range(codes.size):
            mixed = (codes[i] ^ bits[j, i]) * FACTOR
            codes[i] = mixed ^ (mixed >> 29)
    for i in range(codes.size):
        codes[i] *= FACTOR
    return codes


@borrowing
def are_equal(columns, row, other):
    """Tell whether two records are equal."""
    for j in range(columns.shape[0]):
        if columns[j, row] != columns[j, other]:
            return False
    return True


@borrowing
def leave(copies, row):
    """Take a row out; tells whether it was the last one of its point. IN/OUT: copies."""
    before, following, point = copies.before[row], copies.following[row], copies.points[row]
    copies.before[row] = GONE
    if following >= 0:
        copies.before[following] = before
    if before >= 0:
        copies.following[before] = following
    else:
        copies.heads[point] = following
    return copies.heads[point] < 0
