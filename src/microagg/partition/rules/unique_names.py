"""Nominal columns in which no two records agree: they tell nothing about who belongs together.

If all categories of a column differ, each two records are equally far apart in it. A group of s records
then loses s - 1 of its categories, whichever records it has, so groups of one size can be formed on the
other columns. Each record above k costs one more category: what changes sizes has to see these columns too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microagg.prepare.column import Column
from microagg.prepare.measure import ColumnMeasure
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Floats


def telling_columns(records: Records) -> list[int]:
    """Return the numbers of all columns but those in which every record has a category of its own."""
    if np.any(records.weights != records.weights[0]):
        return list(range(len(records.columns)))  # then it matters whose category a group keeps
    return [
        j
        for j, (column, measure) in enumerate(zip(records.columns, records.measures, strict=True))
        if not _all_differ(column, measure)
    ]


def with_columns(records: Records, kept: list[int]) -> Prepared | Records:
    """Return the same records with some of the columns: as numbers, if these are complete numbers."""
    columns = tuple(records.columns[j] for j in kept)
    measures = tuple(records.measures[j] for j in kept)
    if _are_numbers(records, columns):
        scaled = [(c.values - m.center) / m.scale for c, m in zip(columns, measures, strict=True)]
        matrix = np.stack(scaled)
        matrix.flags.writeable = False
        center = np.array([measure.center for measure in measures])
        return Prepared(matrix, tuple(c.name for c in columns), center, _scales(measures))
    stand_ins = tuple(records.stand_ins[j] for j in kept) if records.stand_ins else ()
    return replace(records, columns=columns, measures=measures, stand_ins=stand_ins)


def _all_differ(column: Column, measure: ColumnMeasure) -> bool:
    """Return whether no two records have the same category, and all differ by the same distance."""
    if not column.nominal or measure.table is not None or column.blank.any():
        return False
    return bool(np.bincount(column.values.astype(np.int64)).max() == 1)


def _are_numbers(records: Records, columns: tuple[Column, ...]) -> bool:
    """Return whether the columns are complete numbers that are averaged, of records of equal weight."""
    is_plain = all(
        column.kind == "continuous"
        and records.rules.get(column.name, "mean") == "mean"
        and not column.blank.any()
        for column in columns
    )
    return is_plain and not records.gower and not np.any(records.weights != 1.0)


def _scales(measures: tuple[ColumnMeasure, ...]) -> Floats:
    return np.array([measure.scale for measure in measures])
