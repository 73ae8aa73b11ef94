"""The reported loss of a release of mixed records, in the form that kernels use.

A group loses, over its records and columns, the weighted distance of each value to the representative
of the group: the mean of numbers, the lower median of ranks, the mode of categories, or what the user
chose instead. Missing values follow the release. One that is filled in loses the average variation of
its column, and one that stays missing loses nothing. A column that is released as missing for a whole
group loses the distance of each value to the single value that replaces all records.

Two things are left out: numbers that are rounded at release, and ties of a mode where a table of
distances tells the tied categories apart, which fall at random (the mean over them counts).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from microagg.prepare.column import Column
from microagg.prepare.gaps import StandIn, gaps_of, stand_in
from microagg.prepare.measure import ColumnMeasure
from microagg.prepare.records import Records
from microagg.typing import Floats

RULES = {"mean": 0, "median": 1, "trimmed": 2, "lower median": 3, "mode": 4}
"""Representatives, as the numbers of `kernels.mixed.objective`."""

SQUARED, ABSOLUTE, TABLE = 0, 1, 2
"""Distances, as the numbers of `kernels.mixed.objective`."""

USUAL = {"continuous": "mean", "ordinal": "median", "nominal": "mode"}
"""The default aggregate of each kind of column."""


class Entry(NamedTuple):
    """A column and the facts that determine its loss."""

    column: Column
    measure: ColumnMeasure
    stand_in: StandIn
    rule: str


def objective_arrays(records: Records) -> dict[str, Any]:
    """Return the arrays of `kernels.mixed.objective.Objective`, by name."""
    entries = _entries(records)
    means = [e for e in entries if e.rule == "mean" and not records.gower]
    modes = [e for e in entries if e.column.nominal and e.measure.table is None]
    others = [e for e in entries if not any(e is each for each in (*means, *modes))]
    every = [*means, *modes, *others]
    blank = np.array([e.column.blank for e in every]).T
    tables = [np.zeros(0) if e.measure.table is None else e.measure.table for e in others]
    sizes = [table.size for table in tables]
    return {
        "numbers": _stacked([_scaled(e) for e in means], records.n),
        "codes": _stacked([_codes(e) for e in modes], records.n).astype(np.int32),
        "listed": _stacked(
            [_codes(e) if e.column.nominal else _scaled(e) for e in others], records.n
        ),
        "weights": records.weights.copy(),
        "blank": np.ascontiguousarray(blank),
        "gaps": np.asarray(blank.any(axis=0)),
        "whole": _whole(records, every),
        "keeps": bool(records.keeps_blanks),
        "spreads": np.array([e.stand_in.spread for e in every]),
        "strengths": np.array([e.measure.strength for e in modes]),
        "slots": max((len(e.column.labels) for e in modes), default=0) + 1,
        "rules": np.array([RULES[e.rule] for e in others], dtype=np.int64),
        "forms": np.array([_form(e, records.gower) for e in others], dtype=np.int64),
        "tables": np.concatenate([np.zeros(0), *(table.ravel() for table in tables)]),
        "table_at": np.cumsum([0, *sizes], dtype=np.int64)[:-1],
        "widths": np.array([len(table) for table in tables], dtype=np.int64),
    }


def _entries(records: Records) -> list[Entry]:
    entries = []
    for j, (column, measure) in enumerate(zip(records.columns, records.measures, strict=True)):
        one = (
            records.stand_ins[j]
            if records.stand_ins
            else stand_in(column, measure, records.weights, records.gower)
        )
        rule = records.rules.get(column.name, USUAL[column.kind])
        if column.kind == "ordinal" and rule == "median":
            rule = "lower median"
        entries.append(Entry(column, measure, one, rule))
    return entries


def _form(entry: Entry, gower: bool) -> int:
    if entry.column.nominal:
        return TABLE
    return ABSOLUTE if gower else SQUARED


def _scaled(entry: Entry) -> Floats:
    """Return scaled numbers around their mean, because sums of squares of large numbers lose digits."""
    values = (entry.column.values - entry.stand_in.value) / entry.measure.scale
    return np.where(entry.column.blank, 0.0, values)


def _codes(entry: Entry) -> Floats:
    return np.where(entry.column.blank, 0.0, entry.column.values)


def _stacked(columns: Sequence[Floats], n: int) -> Floats:
    if not columns:
        return np.zeros((n, 0))
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _whole(records: Records, entries: Sequence[Entry]) -> Floats:
    """Return the loss of each value in a column that is released as missing; one row if none is."""
    if not records.keeps_blanks:
        return np.zeros((1, len(entries)))
    lost = np.zeros((records.n, len(entries)))
    for j, (column, measure, one, _) in enumerate(entries):
        present = ~column.blank
        values = column.values[present]
        gaps = gaps_of(column, measure, values, np.full(values.size, one.value), records.gower)
        lost[present, j] = records.weights[present] * gaps
    return lost
