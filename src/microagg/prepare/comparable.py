"""Scaled records: one matrix if all columns are complete numbers, otherwise mixed records."""

from __future__ import annotations

from collections.abc import Mapping

from microagg.prepare.column import Column
from microagg.prepare.prepared import Prepared, prepare
from microagg.prepare.records import Records, prepare_records
from microagg.settings import Settings
from microagg.typing import Floats


def comparable(
    columns: Mapping[str, Column], options: Settings, weights: Floats | None
) -> Prepared | Records:
    """Scale columns: one matrix for complete numbers without weights, otherwise mixed records.

    Examples
    --------
    >>> import numpy as np
    >>> age = Column("age", "continuous", np.array([30.0, 50.0]))
    >>> comparable({"age": age}, Settings.create(), None).columns
    array([[-1.,  1.]])
    """
    mixed = any(column.nominal or column.blank.any() for column in columns.values())
    assert options.scale is not None
    if mixed or options.gower or weights is not None:
        return prepare_records(
            list(columns.values()),
            scale=options.scale,
            gower=options.gower,
            column_weights=options.column_weights,
            weights=weights,
        )
    return prepare(
        [column.values for column in columns.values()],
        tuple(columns),
        scale=options.scale,
        column_weights=options.column_weights,
    )
