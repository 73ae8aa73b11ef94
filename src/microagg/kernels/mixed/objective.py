"""The loss that a release of mixed records reports, for one group at a time.

Columns come in three sorts, in this order:

- numbers whose representative is the mean and whose loss is squared: sums suffice;
- categories that are all equally far apart: the loss is what does not have the mode;
- all others, by their values in order (a category by its code): medians, trimmed means and modes of
  numbers and ranks, Gower's distance, and categories with a table of distances.

A blank that the representative fills in loses the `spread` of its column. Where blanks stay
(`keeps`), a column that one record of a group lacks is released as missing for the whole group, and
each value loses its distance to the one value that stands for all records, which `whole` holds.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined

MEAN, MEDIAN, TRIMMED, LOWER_MEDIAN, MODE = 0, 1, 2, 3, 4
"""Representatives of a column whose values are listed in order."""

SQUARED, ABSOLUTE, TABLE = 0, 1, 2
"""How far a value is from its representative: by the square, by the amount, or by a table."""

TRIM = 0.2
"""The share of weight that a trimmed mean leaves out at each end."""

ALIKE = 1e-9
"""How far, as a share, sums of weights may differ and be the same."""


class Objective(NamedTuple):
    """What decides the loss of a group. There are a means, c modes and s listed columns.

    Attributes
    ----------
    numbers : float64[n, a], codes : int32[n, c], listed : float64[n, s]
        The values of each record; 0 where blank.
    weights : float64[n]
        Of the records.
    blank : bool[n, a + c + s], gaps : bool[a + c + s]
        What each record lacks, and which columns have a blank at all.
    whole : float64[n or 1, a + c + s], keeps : bool
        What each value loses where its column is released as missing, by weight; and whether it is.
    spreads : float64[a + c + s]
        What a blank that is filled in loses.
    strengths : float64[c]
        What two different categories lose.
    slots : int
        The largest number of categories.
    rules, forms : int64[s]
        The representative and the distance of listed columns.
    tables : float64[.], table_at, widths : int64[s]
        Tables of distances row by row, where they start and how wide they are.
    """

    numbers: np.ndarray
    codes: np.ndarray
    listed: np.ndarray
    weights: np.ndarray
    blank: np.ndarray
    gaps: np.ndarray
    whole: np.ndarray
    keeps: bool
    spreads: np.ndarray
    strengths: np.ndarray
    slots: int
    rules: np.ndarray
    forms: np.ndarray
    tables: np.ndarray
    table_at: np.ndarray
    widths: np.ndarray


@inlined
def with_blanks(objective, column, lost, present, lacking, whole):
    """Return the loss of a column of a group from that of its values.

    `present` is how many of its records have a value, `lacking` the weight of the others, and `whole` what
    the values lose where the column is released as missing.
    """
    if objective.keeps:
        return whole if lacking > 0.0 else lost
    return lost + objective.spreads[column] * lacking if present > 0 else 0.0


@inlined
def listed_loss(objective, column, values, weights):
    """Return what the values of a listed column lose; they come in order."""
    total = 0.0
    for i in range(values.size):
        total += weights[i]
    rule = objective.rules[column]
    if rule == MODE:
        return mode_loss(objective, column, values, weights)
    if rule == MEAN:
        middle = mean_within(values, weights, 0.0, total)
    elif rule == TRIMMED:
        middle = mean_within(values, weights, TRIM * total, (1.0 - TRIM) * total)
    elif rule == MEDIAN:
        first = value_at(values, weights, 0.5 * total * (1.0 - ALIKE))
        middle = 0.5 * (first + value_beyond(values, weights, 0.5 * total * (1.0 + ALIKE)))
    else:
        middle = value_at(values, weights, 0.5 * total * (1.0 - ALIKE))
    lost = 0.0
    for i in range(values.size):
        lost += weights[i] * gap_of(objective, column, values[i], middle)
    return lost


@inlined
def gap_of(objective, column, value, middle):
    """Return how far a value is from what represents it."""
    if objective.forms[column] == TABLE:
        width = objective.widths[column]
        return objective.tables[
            objective.table_at[column] + np.int64(value) * width + np.int64(middle)
        ]
    t = value - middle
    return t * t if objective.forms[column] == SQUARED else abs(t)


@borrowing
def mean_within(values, weights, low, high):
    """Return the mean of the values in order whose weights lie from `low` to `high` of their sum."""
    reached, total, mass = 0.0, 0.0, 0.0
    for i in range(values.size):
        inside = smaller(reached + weights[i], high) - larger(reached, low)
        reached += weights[i]
        if inside > 0.0:
            mass += inside
            total += inside * (values[i] - values[0])
    return values[0] + total / mass


@borrowing
def value_at(values, weights, wanted):
    """Return the first value at which the weights reach `wanted`."""
    reached = 0.0
    for i in range(values.size - 1):
        reached += weights[i]
        if reached >= wanted:
            return values[i]
    return values[values.size - 1]


@borrowing
def value_beyond(values, weights, wanted):
    """Return the first value at which the weights pass `wanted`."""
    reached = 0.0
    for i in range(values.size - 1):
        reached += weights[i]
        if reached > wanted:
            return values[i]
    return values[values.size - 1]


@borrowing
def mode_loss(objective, column, values, weights):
    """Return what the values lose to their mode; the mean over all modes where there are several."""
    most, start = 0.0, 0
    while start < values.size:
        stop, mass = run_of(values, weights, start)
        most, start = larger(most, mass), stop
    lost, modes, start = 0.0, 0, 0
    while start < values.size:
        stop, mass = run_of(values, weights, start)
        if mass >= most * (1.0 - ALIKE):
            modes += 1
            for i in range(values.size):
                lost += weights[i] * gap_of(objective, column, values[i], values[start])
        start = stop
    return lost / modes


@inlined
def run_of(values, weights, start):
    """Return where the values equal to that at `start` end, and their weight."""
    stop, mass = start, 0.0
    while stop < values.size and values[stop] == values[start]:
        mass += weights[stop]
        stop += 1
    return stop, mass
