"""Separation: sets of records whose cut a mixture of groups violates.

A cut gives each record of a set a weight; a group in the mixture adds its share times the quotient of its
weight by a modulus, rounded down. The sum is raised by local search: two records of different weights
change places, or one gives way to a record that some group joins with another of the set.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import inlined, kernel
from microagg.kernels.splitmix import below

RAISED = 1e-9
"""By how much a change must raise the sum."""

TRIES = 30
"""Records drawn for one place of a start before the start is given up."""


class FractionalGroups(NamedTuple):
    """Groups in shares.

    Attributes
    ----------
    shares : float64[groups]
        The share of each group.
    first, groups : int64[n + 1], int64[...]
        The groups that each record is in: groups[first[i] : first[i + 1]].
    near_first, near : int64[n + 1], int64[...]
        The records that some group joins with each one.
    """

    shares: np.ndarray
    first: np.ndarray
    groups: np.ndarray
    near_first: np.ndarray
    near: np.ndarray


class GroupWeights(NamedTuple):
    """Weights of groups, all 0 between two sums, and the groups whose weight is not.

    Attributes
    ----------
    weights, touched : int64[groups]
    """

    weights: np.ndarray
    touched: np.ndarray


@kernel
def search_sets(mixture, weights, modulus, starts, stream, rows, totals, ticker):
    """Search for a set with a large sum from each start. IN/OUT: stream. OUT: rows, totals.

    A start from which no set can be drawn, and what a stop leaves, has a sum of 0.
    """
    m = mixture.shares.size
    tally = GroupWeights(np.zeros(m, dtype=np.int64), np.empty(m, dtype=np.int64))
    for at in range(starts.size):
        totals[at] = 0.0
        if ticker[1] != 0 or not draw(mixture, starts[at], stream, rows[at]):
            continue
        total, last = sum_of(mixture, weights, modulus, rows[at], tally), -1.0
        while total > last:
            last = total
            total = change_places(mixture, weights, modulus, rows[at], tally, total)
            total = change_records(mixture, weights, modulus, rows[at], tally, total)
        totals[at] = total


@kernel
def draw(mixture, start, stream, rows):
    """Draw records that groups join, from `start` on; returns whether there were enough. OUT: rows."""
    rows[0] = start
    for place in range(1, rows.size):
        rows[place] = -1
        for _ in range(TRIES):
            beside = rows[below(stream, place)]
            first, last = mixture.near_first[beside], mixture.near_first[beside + 1]
            row = mixture.near[first + below(stream, last - first)]
            if not holds(rows[:place], row):
                rows[place] = row
                break
        if rows[place] < 0:
            return False
    return True


@inlined
def holds(rows, row):
    """Tell whether a record is one of some."""
    for other in rows:
        if other == row:
            return True
    return False


@kernel
def sum_of(mixture, weights, modulus, rows, tally):
    """The sum over groups of their share times the quotient of their weight. IN/OUT: tally."""
    count = 0
    for place in range(rows.size):
        row = rows[place]
        for at in range(mixture.first[row], mixture.first[row + 1]):
            group = mixture.groups[at]
            if tally.weights[group] == 0:
                tally.touched[count] = group
                count += 1
            tally.weights[group] += weights[place]
    total = 0.0
    for at in range(count):
        group = tally.touched[at]
        total += mixture.shares[group] * (tally.weights[group] // modulus)
        tally.weights[group] = 0
    return total


@kernel
def change_places(mixture, weights, modulus, rows, tally, total):
    """Let records of different weights change places while that helps. IN/OUT: rows, tally."""
    for a in range(rows.size):
        for b in range(a):
            if weights[a] == weights[b]:
                continue
            rows[a], rows[b] = rows[b], rows[a]
            changed = sum_of(mixture, weights, modulus, rows, tally)
            if changed > total + RAISED:
                total = changed
            else:
                rows[a], rows[b] = rows[b], rows[a]
    return total


@kernel
def change_records(mixture, weights, modulus, rows, tally, total):
    """Let the best record near the others take each place. IN/OUT: rows, tally."""
    for place in range(rows.size):
        best = rows[place]
        for other in range(rows.size):
            if other == place:
                continue
            beside = rows[other]
            for at in range(mixture.near_first[beside], mixture.near_first[beside + 1]):
                if holds(rows, mixture.near[at]):
                    continue
                rows[place] = mixture.near[at]
                changed = sum_of(mixture, weights, modulus, rows, tally)
                if changed > total + RAISED:
                    total, best = changed, mixture.near[at]
        rows[place] = best
    return total
