"""Distances between values and their released values, and the single value with the least loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microagg.prepare.column import Column
from microagg.prepare.measure import ColumnMeasure
from microagg.prepare.moments import chunked_sums
from microagg.prepare.weighted_median import lower_median
from microagg.typing import Floats


class StandIn(NamedTuple):
    """The single value with the least loss if it replaces all, and its average loss."""

    value: float
    spread: float


def gaps_of(
    column: Column, measure: ColumnMeasure, one: Floats, other: Floats, gower: bool
) -> Floats:
    """Return the distance of each value to another one of the same column."""
    return (_category_gaps if column.nominal else _number_gaps)(measure, one, other, gower)


def _number_gaps(measure: ColumnMeasure, one: Floats, other: Floats, gower: bool) -> Floats:
    gap = np.abs(one - other) / measure.scale
    return gap if gower else gap**2


def _category_gaps(measure: ColumnMeasure, one: Floats, other: Floats, gower: bool) -> Floats:
    if measure.table is not None:
        gaps: Floats = measure.table[one.astype(np.int64), other.astype(np.int64)]
        return gaps
    return np.asarray(measure.strength * (one != other))


def stand_in(column: Column, measure: ColumnMeasure, weights: Floats, gower: bool) -> StandIn:
    """Return the single value with the least loss in place of all present values.

    Its spread is 1 if the values do not vary, because a value that is filled in still counts as lost.
    """
    present = ~column.blank
    values, weights = column.values[present], weights[present]
    if not values.size:
        return StandIn(0.0, 1.0)
    value = value_for_all(column, measure, values, weights, gower)
    gaps = gaps_of(column, measure, values, np.full(values.size, value), gower)
    return StandIn(value, float(np.sum(weights * gaps)) / float(weights.sum()) or 1.0)


def value_for_all(
    column: Column, measure: ColumnMeasure, values: Floats, weights: Floats, gower: bool
) -> float:
    """Return the single value with the least loss in place of some values."""
    if column.nominal:
        totals = np.bincount(values.astype(np.int64), weights, minlength=len(column.labels))
        return cheapest_category(measure, totals.astype(np.float64))
    if not gower:
        return chunked_sums(values, weights)[1]
    return lower_median(values, weights)


def cheapest_category(measure: ColumnMeasure, totals: Floats) -> float:
    """Return the category with the least loss in place of all, from the weight of each."""
    costs = -totals if measure.table is None else measure.table @ totals
    return float(np.argmin(costs))
