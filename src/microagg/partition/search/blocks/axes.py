"""Where records lie, one row an axis: what the cuts into blocks go by.

Numbers are on the axis of their scaled column. A nominal column of m categories has log2 m axes, one for
each binary digit of a category's number, so that a cut never parts records of one category on it, and
different categories are about as far apart as their distance says. A missing value lies at 0. Nothing
here depends on which other records there are.
"""

from __future__ import annotations

import numpy as np

from microagg.prepare.column import Column
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import ColumnMeasure, Records
from microagg.typing import Floats


def axes_of(records: Prepared | Records) -> Floats:
    """Return the records as float64[axes, n].

    Examples
    --------
    >>> from microagg.prepare.records import prepare_records
    >>> sex = Column("sex", "nominal", np.array([0.0, 1.0, 1.0, 0.0]), ("f", "m"))
    >>> axes_of(prepare_records([sex]))
    array([[-1.,  1.,  1., -1.]])
    """
    if isinstance(records, Prepared):
        return records.columns
    pairs = zip(records.columns, records.measures, strict=True)
    return np.concatenate([_axes(column, measure) for column, measure in pairs])


def _axes(column: Column, measure: ColumnMeasure) -> Floats:
    present = ~column.blank
    if not column.nominal:
        scaled = (column.values - measure.center) / measure.scale
        return np.where(present, scaled, 0.0)[None, :]
    digits = max(len(column.labels) - 1, 1).bit_length()
    codes = np.where(present, column.values, 0).astype(np.int64)
    strength = measure.strength if measure.table is None else float(measure.table.mean())
    # Two numbers differ in half of several digits, on average, and in the only one.
    length = np.sqrt(strength / (4.0 if digits == 1 else 2.0 * digits))
    signs = np.stack([2.0 * ((codes >> digit) & 1) - 1.0 for digit in range(digits)])
    return np.where(present, signs * length, 0.0)
