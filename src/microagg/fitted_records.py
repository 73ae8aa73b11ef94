"""`FittedRecords`: what a fitted `Microaggregator` keeps of mixed records, and how it places others.

The released rows are one frame with a row for each group, in the caller's own types. A record of the
training data gets the row of its group, and any other the row of the nearest group. That depends on each
record alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microagg.aggregate.by_kind import rules_of
from microagg.data import categories as coded
from microagg.data.dates import Calendar
from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.mask.groups import Replacing, replaced
from microagg.measure.loss.information_loss import InformationLoss, loss_of
from microagg.partition.driver import group
from microagg.partition.partition import Partition
from microagg.pipeline.read import rows_with
from microagg.prepare.column import Column
from microagg.prepare.comparable import comparable
from microagg.prepare.gaps import gaps_of
from microagg.prepare.missing import refuse
from microagg.prepare.read import read_columns
from microagg.prepare.records import Records, prepare_records
from microagg.settings import Settings
from microagg.typing import Floats, Labels, Rows

UNSEEN = -1.0
"""The number of a category that the training data does not have; in distances it counts as missing."""

CELLS = 10_000_000
"""Distances that are computed at a time."""


@dataclass(frozen=True, eq=False)
class FittedRecords:
    """Groups of mixed training records, without these.

    Attributes
    ----------
    measures : Records
        How columns enter the distance; it has no records.
    calendars : mapping of str to Calendar
        The way from dates to numbers.
    middles : mapping of str to float64[g]
        The released numbers of each group, NaN if missing.
    released : Frame
        The released row of each group.
    complete : bool
        Whether records must have all values.
    """

    measures: Records
    calendars: Mapping[str, Calendar]
    middles: Mapping[str, Floats]
    released: Frame
    complete: bool

    def rows(self, labels: Labels) -> Any:
        """Return the released rows of some groups, in the caller's type."""
        return self.released.rows(labels.astype(np.int64)).to_native()

    def numbers_of(self, frame: Frame) -> Floats:
        """Return other records of the same columns as numbers, float64[d, m], UNSEEN for new categories."""
        if frame.n == 0:
            raise DataError("There are no records.", hint="Pass at least one record.")
        values = [self._numbers(frame, column) for column in self.measures.columns]
        if self.complete:
            blanks = zip(self.measures.columns, values, strict=True)
            refuse([replace(column, values=own) for column, own in blanks])
        return np.stack(values)

    def _numbers(self, frame: Frame, column: Column) -> Floats:
        if frame.missing(column.name) == frame.n:
            return np.full(frame.n, np.nan)  # such a column may have any type
        if column.kind == "continuous":
            if column.name in self.calendars:
                calendar, dates = self.calendars[column.name], frame.arrow(column.name)
                calendar.require_comparable(dates, column.name)
                return calendar.numbers(dates)
            return frame.numbers(column.name, blanks=True)
        own = coded.categories(frame.arrow(column.name), column.name)
        number = {label: float(code) for code, label in enumerate(column.labels)}
        codes = np.array([*(number.get(label, UNSEEN) for label in own.labels), np.nan])
        return np.asarray(codes[np.nan_to_num(own.codes, nan=-1.0).astype(np.int64)])

    def nearest(self, values: Floats) -> Labels:
        """Return the group whose released row is nearest to each record, the first of equals."""
        at_once = max(CELLS // len(next(iter(self.middles.values()))), 1)
        parts = [
            np.argmin(self._distances(values[:, start : start + at_once]), axis=1)
            for start in range(0, values.shape[1], at_once)
        ]
        return np.concatenate(parts).astype(np.int32)

    def _distances(self, values: Floats) -> Floats:
        shape = values.shape[1], len(next(iter(self.middles.values())))
        total, shares = np.zeros(shape), np.zeros(shape)
        whole = sum(measure.share for measure in self.measures.measures) or 1.0
        for column, measure, own in zip(
            self.measures.columns, self.measures.measures, values, strict=True
        ):
            middle = self.middles[column.name]
            own = _seen(column, own)
            both = ~np.isnan(own)[:, None] & ~np.isnan(middle)
            one, other = np.broadcast_arrays(np.nan_to_num(own)[:, None], np.nan_to_num(middle))
            total += gaps_of(column, measure, one, other, False) * both
            shares += measure.share * both
        shares /= whole
        apart = total / np.where(shares > 0, shares, 1.0)
        return np.where(shares > 0, apart, self.measures.apart)

    def loss(self, values: Floats, labels: Labels) -> InformationLoss:
        """Return the loss of the released rows of some groups."""
        columns = tuple(
            column.filled(_seen(column, own))
            for column, own in zip(self.measures.columns, values, strict=True)
        )
        records = replace(self.measures, columns=columns, weights=np.ones(labels.size))
        return loss_of(records, {name: own[labels] for name, own in self.middles.items()})


def _seen(column: Column, values: Floats) -> Floats:
    """Return values with NaN for categories that the training data does not have."""
    return values if column.kind == "continuous" else np.where(values == UNSEEN, np.nan, values)


def fit_records(frame: Frame, settings: Settings) -> tuple[FittedRecords, Partition, Floats]:
    """Group the records of a frame; return what is kept of them, the groups, and the records as numbers."""
    columns, calendars = read_columns(frame, settings.schema, settings)
    if settings.missing == "error":
        refuse(list(columns.values()))
    keeps = settings.missing == "keep"
    rules = rules_of(columns, settings.aggregate)
    records = prepare_records(list(columns.values()), scale=settings.scale)
    seen = comparable(columns, settings, None)
    if isinstance(seen, Records):
        seen = records = replace(records, rules=rules, keeps_blanks=keeps)
    part = group(
        seen,
        settings.k,
        settings.method,
        refine=settings.refine,
        seed=settings.seed,
        parameters=settings.parameters,
    )
    values = np.stack([column.values for column in columns.values()])
    labels = with_equal_rows_together(records, part.labels, part.k)
    part = replace(part, labels=labels)
    how = Replacing(rules, {}, settings.seed, keep_blanks=keeps)
    numbers = replaced(columns, part, how)
    first = np.unique(part.labels, return_index=True)[1]
    released = Frame(frame.with_columns(_values(columns, calendars, numbers)))
    fitted = FittedRecords(
        records.subset(first[:0]),
        calendars,
        {name: own[first] for name, own in numbers.items()},
        released.rows(first),
        settings.missing == "error",
    )
    return fitted, part, values


def _values(
    columns: Mapping[str, Column], calendars: Mapping[str, Calendar], numbers: Mapping[str, Floats]
) -> dict[str, Any]:
    """Return released numbers as `Frame.with_columns` takes them."""
    values: dict[str, Any] = {}
    for name, new in numbers.items():
        if name in calendars:
            values[name] = calendars[name].dates(new)
        else:
            is_number = columns[name].kind == "continuous"
            values[name] = new if is_number else rows_with(columns[name], new)
    return values


def with_equal_rows_together(records: Records, labels: Labels, k: int) -> Labels:
    """Return groups of at least k in which equal records share a group.

    Equal records go to the group that has most of them, the first one in a tie. Groups with fewer than k
    remaining records are dissolved, smallest first: each of their records goes to the group of the nearest
    other record.
    """
    keys = np.stack([np.where(c.blank, np.inf, c.values) for c in records.columns])
    record = np.unique(keys + 0.0, axis=1, return_inverse=True)[1].ravel()
    pairs, counts = np.unique(np.stack([record, labels]), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -counts, pairs[0]))
    first = order[np.unique(pairs[0][order], return_index=True)[1]]
    together = pairs[1][first][record].astype(np.int64)
    while (sizes := np.bincount(together))[sizes > 0].min() < k:
        smallest = int(np.argmin(np.where(sizes > 0, sizes, sizes.max() + 1)))
        others = np.flatnonzero(together != smallest)
        for row in np.flatnonzero(together == smallest):
            together[row] = together[others[np.argmin(_gaps(records, others, int(row)))]]
    return np.unique(together, return_inverse=True)[1].astype(np.int32)


def _gaps(records: Records, rows: Rows, one: int) -> Floats:
    """Return the distances of some records to one; a missing value is far from any other."""
    total = np.zeros(rows.size)
    for column, measure in zip(records.columns, records.measures, strict=True):
        values, blank = np.nan_to_num(column.values), column.blank
        here = np.full(rows.size, values[one])
        gaps = gaps_of(column, measure, values[rows], here, False)
        lacking = blank[rows] | blank[one]
        total += np.where(lacking, 2 * measure.average * (blank[rows] != blank[one]), gaps)
    return total
