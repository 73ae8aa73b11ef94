"""Records as points, which determine near groups when groups are changed for a limit."""

from __future__ import annotations

import numpy as np

from microagg.prepare.column import Column
from microagg.prepare.measure import ColumnMeasure
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Codes, Floats

MOST = 100
"""Coordinates of a nominal column, at most: one for each of 100,000 names would take 80 GB."""

BLANKED = 50.0
"""What a blank adds to the squared distance from records that have the value, where it would blank theirs.

It is in units of the average variation of the column. The reported loss counts hardly anything for a
blanked value that most records share, so it cannot be left to decide. On 6,000 records of Adult, k = 5,
10 suffices for l-diversity of 2, but not for t-closeness of 0.08, which needs large groups.
"""


ROUNDING = 1e-9
"""The squared distance of a category that is attributed to rounding, as a share of the largest."""


def coordinates(prepared: Prepared | Records) -> Floats:
    """Return the records as float64[n, m] points, at about the distances that methods see.

    A nominal column becomes one coordinate a category, and at most MOST: of more categories, several share
    a coordinate. The categories of a table or hierarchy become points at its distances, also with at most
    MOST coordinates. A blank lies at the mean. Where a blank of one record blanks the values of its group,
    whether the value is blank is one more coordinate, so that records that lack the same values are near
    each other. That decides which groups are near, not whether a limit holds.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from microagg.prepare.column import Column
    >>> from microagg.prepare.records import prepare_records
    >>> records = prepare_records([Column("pay", "continuous", np.array([1.0, 3.0, np.nan]))])
    >>> coordinates(records).shape, coordinates(replace(records, keeps_blanks=True)).shape
    ((3, 1), (3, 2))
    """
    if isinstance(prepared, Prepared):
        return prepared.columns.T
    parts = []
    for column, measure in zip(prepared.columns, prepared.measures, strict=True):
        present = ~column.blank
        part = _points(column, measure)
        part[~present] = part[present].mean(axis=0) if present.any() else 0.0
        parts.append(part)
        if prepared.keeps_blanks and not present.all():
            apart = np.sqrt(BLANKED * (measure.average or 1.0))
            parts.append(np.where(present, 0.0, apart)[:, None])
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def _points(column: Column, measure: ColumnMeasure) -> Floats:
    """Return the coordinates of a column; those of missing values are arbitrary."""
    if not column.nominal:
        return ((column.values - measure.center) / measure.scale)[:, None]
    codes = np.where(column.blank, 0, column.values).astype(np.int64)
    if measure.table is not None:
        occurring, codes = np.unique(codes, return_inverse=True)
        return _corners(measure.table[np.ix_(occurring, occurring)])[codes]
    corner = np.sqrt((measure.strength or 1.0) / 2.0)
    codes = _folded(codes)
    points = np.zeros((codes.size, int(codes.max()) + 1))
    points[np.arange(codes.size), codes] = corner
    return points


def _corners(squares: Floats) -> Floats:
    """Return a point for each category, at these squared distances from each other or nearly so.

    This is a Cholesky decomposition of the scalar products of the points. Each further coordinate is chosen
    for the category that the coordinates before describe worst.

    Examples
    --------
    >>> corners = _corners(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]))
    >>> np.abs(corners - corners[0]).ravel().round(9).tolist()
    [0.0, 1.0, 2.0]
    """
    products = -0.5 * (squares - squares.mean(axis=0))
    products -= products.mean(axis=1, keepdims=True)
    least = ROUNDING * products.diagonal().max()
    points: list[Floats] = [np.zeros(len(squares))]
    for _ in range(min(len(squares), MOST)):
        left = products.diagonal()
        worst = int(np.argmax(left))
        if left[worst] <= least:
            break
        point = products[worst] / np.sqrt(left[worst])
        products = products - point[:, None] * point
        points.append(point)
    return np.stack(points[1:] or points, axis=1)


def _folded(codes: Codes) -> Codes:
    """Return codes below MOST: unchanged, or folded in order of decreasing frequency.

    Examples
    --------
    >>> _folded(np.array([3, 0, 3, 1])).tolist()
    [3, 0, 3, 1]
    >>> int(_folded(np.arange(10_000)).max())
    99
    """
    counts = np.bincount(codes)
    if counts.size <= MOST:
        return codes
    rank = np.empty(counts.size, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
    return np.asarray(rank[codes] % MOST)
