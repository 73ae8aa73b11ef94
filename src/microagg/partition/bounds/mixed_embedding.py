"""Mixed records as points whose squared errors are at most the loss that a release reports.

A bound on the squared errors of these points is therefore one on the loss, whatever value represents a
column in a group. For a group of m records, column by column:

- squared distances of numbers, ranks and points by a table: no value loses less than the mean, which loses
  1/m times the sum over all pairs of records;
- distances d that obey the triangle inequality (equal or not, Gower's): d(x, y) <= d(x, r) + d(r, y) for
  any representative r. The sum over all pairs is at most (m - 1) times the loss, so the loss is at least
  1/(m - 1) times that sum. The factor m / (m - 1) is largest for small groups; that of the largest size
  that a group needs to have, min(2k - 1, n - k), holds for all.

Points whose squared distances are d exist for categories (one coordinate each) and for |x - y| (one
coordinate for each step between neighbouring values). Where a table has no such points, its smallest
distance stands for all.

Groups of 2k or more records need not be looked at. With the representatives that lose least, the parts of
a group lose no more than the whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microagg.prepare.column import Column
from microagg.prepare.gaps import gaps_of, value_for_all
from microagg.prepare.measure import ColumnMeasure
from microagg.prepare.records import Records
from microagg.typing import Floats

ROUNDING = 1e-9
"""Negative eigenvalues up to this share of the largest are rounding."""


class Embedding(NamedTuple):
    """Points, and how much their squared errors may exceed the loss by rounding."""

    points: Floats
    slack: float


def has_bound(records: Records) -> bool:
    """Return whether there is a bound for records: they are complete and have no weights."""
    return is_complete(records) and bool((records.weights == records.weights[0]).all())


def is_complete(records: Records) -> bool:
    """Return whether no value is missing."""
    return not any(column.blank.any() for column in records.columns)


def embedding_of(records: Records, k: int) -> Embedding:
    """Return the points of at least 2k complete records without weights."""
    largest = min(2 * k - 1, records.n - k)
    factor = largest / (largest - 1)
    parts = [
        _points(column, measure, records.gower, factor)
        for column, measure in zip(records.columns, records.measures, strict=True)
    ]
    points = np.hstack([part.points for part in parts])
    weight = float(records.weights[0])
    slack = sum(part.slack for part in parts) * records.n / 2
    return Embedding(np.ascontiguousarray(points * np.sqrt(weight)), slack * weight)


def total_of(records: Records) -> float:
    """Return the loss where one value of each column replaces all complete records."""
    total = 0.0
    for column, measure in zip(records.columns, records.measures, strict=True):
        one = value_for_all(column, measure, column.values, records.weights, records.gower)
        everywhere = np.full(column.values.size, one)
        gaps = gaps_of(column, measure, column.values, everywhere, records.gower)
        total += float(np.sum(records.weights * gaps))
    return total


def _points(column: Column, measure: ColumnMeasure, gower: bool, factor: float) -> Embedding:
    if column.nominal:
        codes = column.values.astype(np.int64)
        apart = _between(column, measure, gower, factor)
        corners = corners_of(apart)
        if corners is None:
            corners = corners_of(_smallest_for_all(apart))
            assert corners is not None
        return Embedding(corners.points[codes], corners.slack)
    values = (column.values - measure.center) / measure.scale
    return Embedding(steps_of(values, factor) if gower else values[:, None], 0.0)


def _between(column: Column, measure: ColumnMeasure, gower: bool, factor: float) -> Floats:
    """Return the squared distances that categories must not exceed."""
    if measure.table is None:
        m = max(len(column.labels), int(column.values.max()) + 1)
        return np.asarray(measure.strength * factor * (1.0 - np.eye(m)))
    return shortest_paths(measure.table) * factor if gower else measure.table


def corners_of(squares: Floats) -> Embedding | None:
    """Return a point for each category with these squared distances; None if there are none.

    Examples
    --------
    >>> corners = corners_of(4.0 * (1.0 - np.eye(3)))
    >>> bool(abs(np.sum((corners.points[0] - corners.points[2]) ** 2) - 4.0) < 1e-12)
    True
    >>> corners_of(np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])) is None
    True
    """
    m = len(squares)
    centring = np.eye(m) - 1.0 / m
    values, vectors = np.linalg.eigh(-0.5 * centring @ squares @ centring)
    if values[0] < -ROUNDING * max(float(values[-1]), 1e-300):
        return None
    points = vectors * np.sqrt(np.maximum(values, 0.0))
    points = points[:, values > ROUNDING * float(values[-1])]
    gaps = np.sum((points[:, None] - points[None]) ** 2, axis=2) - squares
    return Embedding(points, max(float(gaps.max()), 0.0))


def shortest_paths(table: Floats) -> Floats:
    """Return distances of at most those of a table that obey the triangle inequality.

    Examples
    --------
    >>> far = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])
    >>> shortest_paths(far)[0].tolist()
    [0.0, 1.0, 2.0]
    """
    out = table.copy()
    for through in range(len(out)):
        out = np.minimum(out, out[:, through, None] + out[None, through])
    return out


def _smallest_for_all(apart: Floats) -> Floats:
    m = len(apart)
    off = apart[~np.eye(m, dtype=bool)]
    return np.asarray(float(off.min()) * (1.0 - np.eye(m)))


def steps_of(values: Floats, factor: float) -> Floats:
    """Return points whose squared distances are `factor` times the differences of some values.

    Examples
    --------
    >>> points = steps_of(np.array([0.0, 3.0, 1.0]), 2.0)
    >>> np.sum((points[0] - points[1]) ** 2).round(9)
    np.float64(6.0)
    """
    different = np.unique(values)
    lengths = np.sqrt(factor * np.diff(different))
    return np.asarray((values[:, None] >= different[1:]) * lengths)
