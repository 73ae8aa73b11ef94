"""How far a group is from the limits on its confidential values."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined
from microagg.kernels.order import sort_values

ROUNDING = 1e-12
"""Distances that exceed a limit by less are within it."""


class Confidential(NamedTuple):
    """Confidential columns and their limits.

    Attributes
    ----------
    codes : float64[c, n]
        The value of each record by number.
    ordered : bool[c]
        Whether the order of the values means something.
    fewest : int64[c], farthest : float64[c]
        How many different values a group needs, and how far it may be; negative where there is no limit.
    share, sums : float64[c, values + 1]
        The share of each value among all records, and the sums of the cumulative shares before it.
    crossing : int64[c, m + 1, m]
        The first value up to which all records have at least the share (i + 1) / size, by size and i.
    below : float64[c, values]
        The cumulative share of each value, for larger groups.
    values : int64[c]
        How many values there are.
    steps : float64[c]
        What a step from one value to the next counts.
    center : float64[c]
        The mean code of all records.
    """

    codes: np.ndarray
    ordered: np.ndarray
    fewest: np.ndarray
    farthest: np.ndarray
    share: np.ndarray
    sums: np.ndarray
    crossing: np.ndarray
    below: np.ndarray
    values: np.ndarray
    steps: np.ndarray
    center: np.ndarray


@borrowing
def violation(confidential, rows, size, out, into, room):
    """How far a group is from the limits, with the record `into` in the place of `out`. OUT: room."""
    total = 0.0
    for c in range(confidential.codes.shape[0]):
        for i in range(size):
            row = into if rows[i] == out else rows[i]
            room[i] = confidential.codes[c, row]
        sort_values(room[:size])
        total += violation_in(confidential, c, room, size)
    return total


@inlined
def violation_in(confidential, c, codes, size):
    """How far a group is from the limits on one column, by its values in order."""
    total, fewest, farthest = 0.0, confidential.fewest[c], confidential.farthest[c]
    if fewest > 1:
        distinct = 1
        for i in range(1, size):
            distinct += codes[i] != codes[i - 1]
        total += larger(fewest - distinct, 0) / fewest
    if farthest >= 0.0 and confidential.values[c] > 1:
        if confidential.ordered[c]:
            excess = ordered_distance(confidential, c, codes, size) - farthest
        else:
            excess = nominal_distance(confidential, c, codes, size) - farthest
        if excess > ROUNDING:
            total += excess
    return total


@inlined
def ordered_distance(confidential, c, codes, size):
    """Mean difference of the cumulative shares, stretch by stretch between the values of a group."""
    last, sums = confidential.values[c] - 1, confidential.sums
    total = sums[c, np.int64(codes[0])]
    for i in range(size):
        start = np.int64(codes[i])
        end = np.int64(codes[i + 1]) if i + 1 < size else last
        share = (i + 1) / size
        if size < confidential.crossing.shape[1]:
            cross = smaller(larger(confidential.crossing[c, size, i], start), end)
        else:
            cross = first_at_least(confidential.below, c, start, end, share)
        total += (cross - start) * share - (sums[c, cross] - sums[c, start])
        total += (sums[c, end] - sums[c, cross]) - (end - cross) * share
    return total / last


@inlined
def first_at_least(below, c, start, end, share):
    """Return the first value from `start` whose cumulative share is at least `share`; or else `end`."""
    while start < end:
        middle = (start + end) // 2
        if below[c, middle] < share:
            start = middle + 1
        else:
            end = middle
    return start


@inlined
def nominal_distance(confidential, c, codes, size):
    """1 less what the shares of a group and of all records have in common."""
    shared, count = 0.0, 0
    for i in range(size):
        count += 1
        if i + 1 == size or codes[i + 1] != codes[i]:
            shared += smaller(count / size, confidential.share[c, np.int64(codes[i])])
            count = 0
    return larger(1.0 - shared, 0.0)


@borrowing
def find_offsets(confidential, rows, size, offsets):
    """Find how far the mean code of a group is from that of all records, by column. OUT: offsets."""
    for c in range(confidential.codes.shape[0]):
        total = 0.0
        for i in range(size):
            total += confidential.codes[c, rows[i]]
        offsets[c] = total / size - confidential.center[c]


@inlined
def most_moved(confidential, out, into, one):
    """What an exchange of one record can take from the violation of a group, whatever its values are."""
    most = 1e-9
    for c in range(confidential.codes.shape[0]):
        if confidential.fewest[c] > 1:
            most += 1.0 / confidential.fewest[c]
        if confidential.farthest[c] >= 0.0:
            step = np.abs(confidential.codes[c, into] - confidential.codes[c, out])
            most += (step * confidential.steps[c] if confidential.ordered[c] else 1.0) * one
    return most


@borrowing
def most_gained(confidential, offsets, out, into, one, broken):
    """What an exchange can take from the violation `broken` of a group at most.

    The values of the group change by that of one record. Their distance to those of all records is
    also at least the distance of the mean codes, whatever the exchange does.
    """
    most, left = 1e-9, 0.0
    for c in range(confidential.codes.shape[0]):
        if confidential.fewest[c] > 1:
            most += 1.0 / confidential.fewest[c]
        farthest, length = confidential.farthest[c], confidential.steps[c]
        if farthest >= 0.0:
            if confidential.ordered[c]:
                step = (confidential.codes[c, into] - confidential.codes[c, out]) * one
                most += np.abs(step) * length
                left += larger(np.abs(offsets[c] + step) * length - farthest, 0.0)
            else:
                most += one
    return smaller(smaller(most, broken), broken - left + 1e-9)
