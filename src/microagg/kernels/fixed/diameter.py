"""Groups seeded by the two records farthest apart (MD, DBFS), without looking at all pairs.

The distance from a record to the one farthest from it only falls as records leave. So what was found
once bounds it for good, and only the record with the largest bound has to look again: when its
farthest is still there, the two are the pair.
"""

import numpy as np

from microagg.kernels.fixed.fixed_size import grow, new_group, place_leftovers
from microagg.kernels.jit import kernel
from microagg.kernels.space.pool import new_pool
from microagg.kernels.space.queue import change_key, drop, new_queue
from microagg.kernels.space.records import centroid, compact, coordinates, farthest, rows_left
from microagg.kernels.space.screen import UNDERFLOW

SLACK = 1 + 1e-9
"""Keeps a first bound, which is rounded, above what it bounds."""


@kernel
def diameter_seeded(records, columns, k, growth, leftovers, ticker):
    """Groups around both ends of the longest distance among the records left.

    `records` keeps all records of `columns`. ticker[0] counts the records grouped; the loop stops
    early when ticker[1] is set.
    """
    n = columns.shape[1]
    labels = np.full(n, -1, dtype=np.int32)
    bounds = new_queue(first_bounds(records, columns))
    partners = np.full(n, -1, dtype=np.int64)
    label, group = 0, new_group(columns.shape[0], k)
    enough = 2 * k if leftovers == 0 else k
    while records.left[0] >= enough and ticker[1] == 0:
        compact(records)
        first, second = farthest_pair(records, bounds, partners, labels, ticker)
        if ticker[1] != 0:
            break
        grow(records, first, label, growth, labels, group)
        label += 1
        if records.left[0] >= enough:
            if labels[second] >= 0:  # all distances are equal: it joined the first group
                second = rows_left(records)[0]
            grow(records, second, label, growth, labels, group)
            label += 1
        ticker[0] = n - records.left[0]
    if ticker[1] == 0:
        place_leftovers(columns, records, label, leftovers, labels)
    return labels


@kernel
def farthest_apart(columns, ticker):
    """Rows of the two records farthest apart, the lower first; equal where all records are alike."""
    n = columns.shape[1]
    records = new_pool(columns)
    bounds = new_queue(first_bounds(records, columns))
    partners, labels = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int32)
    return farthest_pair(records, bounds, partners, labels, ticker)


@kernel
def first_bounds(records, columns):
    """Squared distance of each record that no other can exceed: both by way of the mean."""
    d, n = columns.shape
    mean, squares = np.empty(d), np.zeros(n)
    centroid(records, mean)
    for j in range(d):
        for i in range(n):
            t = columns[j, i] - mean[j]
            squares[i] += t * t
    longest = np.sqrt(squares.max() + UNDERFLOW)
    for i in range(n):
        squares[i] = (np.sqrt(squares[i] + UNDERFLOW) + longest) ** 2 * SLACK
    return squares


@kernel
def farthest_pair(records, bounds, partners, labels, ticker):
    """Rows of the pair farthest apart, the lower first; ties to the lowest rows.

    Whoever stands first and knows its partner has the lowest row of all pairs so far apart: any
    other has at most that bound or stands behind. IN/OUT: bounds, partners.
    """
    point = np.empty(records.total.size)
    while ticker[1] == 0:
        row = bounds.rows[0]
        if labels[row] >= 0:
            drop(bounds, row)
            continue
        if partners[row] >= 0 and labels[partners[row]] < 0:
            return row, partners[row]
        coordinates(records, row, point)
        partners[row] = farthest(records, point)
        change_key(bounds, row, separation(records, point, partners[row]))
    return np.int64(-1), np.int64(-1)


@kernel
def separation(records, point, row):
    """Squared distance of a record to a point."""
    other = np.empty(point.size)
    coordinates(records, row, other)
    total = 0.0
    for j in range(point.size):
        t = other[j] - point[j]
        total += t * t
    return total
