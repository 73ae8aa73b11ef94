"""Limits on groups besides k, for records that are grouped block by block.

t-closeness compares a group with all records. A block is a part of the records, so it comes with its own
values and with the shares of all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.partition.constrain.by_units import ways_to_group, with_enough_units
from microagg.partition.constrain.column import ConfidentialColumn, UnitColumn
from microagg.partition.constrain.enforce import Met, enforce
from microagg.partition.constrain.limits import Limits
from microagg.partition.partition import Partition
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.coordinates import coordinates
from microagg.prepare.patterns import by_pattern
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Codes, Floats

Grouper = Callable[[Prepared | Records], NDArray[np.integer]]
"""Groups records, whatever the limits."""


MOST_CLASSES = 16
"""Classes of confidential values, at most, that blocks are cut by, for up to four columns."""


def classes_of_values(columns: Sequence[ConfidentialColumn]) -> Codes:
    """Return the class of each record by its confidential values, from 0.

    Values in an order are cut into stretches of about the same share of all records. Of names, the most
    frequent are a class each, and all others one.

    Examples
    --------
    >>> pay = ConfidentialColumn("pay", np.arange(40), ordered=True)
    >>> np.bincount(classes_of_values([pay])).max()
    np.int64(3)
    """
    each = max(2, int(MOST_CLASSES ** (1 / len(columns))))
    classes = np.zeros(columns[0].codes.size, dtype=np.int64)
    for column in columns:
        if column.ordered:
            middle = np.cumsum(column.share) - column.share / 2
            of_value = np.minimum((middle * each).astype(np.int64), each - 1)
        else:
            rank = np.empty(column.values, dtype=np.int64)
            rank[np.argsort(-column.share, kind="stable")] = np.arange(column.values)
            of_value = np.minimum(rank, each - 1)
        classes = classes * each + of_value[column.codes]
    return classes


@dataclass(frozen=True, eq=False)
class RecordLimits:
    """The limits, and the columns of some records that they apply to.

    Attributes
    ----------
    limits : Limits
        The limits that each group must satisfy.
    columns : tuple of ConfidentialColumn
        The confidential columns of the records, with the shares of all.
    units : int64[n], optional
        The unit of each record, where units are counted.
    """

    limits: Limits
    columns: tuple[ConfidentialColumn, ...]
    units: Codes | None

    def subset(self, rows: NDArray[np.integer]) -> RecordLimits:
        """Return the same for some of the records."""
        units = None if self.units is None else self.units[rows]
        columns = tuple(column.subset(rows) for column in self.columns)
        return replace(self, columns=columns, units=units)

    def allow_one_group(self) -> bool:
        """Return whether a single group of all these records would satisfy the limits.

        If not, no grouping of them does: joining groups never removes a value, and the distance of a
        union is at most the largest of its parts.
        """
        columns = self._all_columns()
        codes = [np.sort(column.codes)[None, :] for column in columns]
        return bool(self.limits.violation(columns, codes)[0] <= 0)

    def classes(self) -> Codes | None:
        """Return classes of similar confidential values, which every block needs for t-closeness."""
        if self.limits.t_closeness is None:
            return None
        return classes_of_values(self.columns)

    def grouped(self, records: Prepared | Records, k: int, by: Grouper, context: Context) -> Met:
        """Return groups of at least k records that satisfy the limits.

        Where missing values stay missing, records that lack the same values are grouped with each other
        first. A pattern may be unable to satisfy the limits as a whole, but most of its groups can.
        """
        X, by = coordinates(records), _within_patterns(by, k)
        if self.units is None:
            labels = np.asarray(by(records))
        else:
            met = self._by_units(records, X, k, by, context)
            if not self.limits.on_values():
                return met
            labels = met.labels
        part = Partition(labels.astype(np.int32), k=k)
        return enforce(X, part, self._all_columns(), self.limits, None, context)

    def _by_units(
        self, records: Prepared | Records, X: Floats, k: int, by: Grouper, context: Context
    ) -> Met:
        """Return groups of at least k units, formed by the approach that loses less."""
        who = self._who()
        candidates = [
            with_enough_units(X, by(some)[place], who, k, context)
            for some, place in ways_to_group(records, X, who)
        ]
        return min(candidates, key=lambda met: error_of(X.T, met.labels))

    def _all_columns(self) -> tuple[ConfidentialColumn, ...]:
        return (*self.columns, *(() if self.units is None else (UnitColumn(self._who()),)))

    def _who(self) -> Codes:
        """Return the units numbered in the order in which they appear, whatever their numbers were."""
        assert self.units is not None
        _, first, place = np.unique(self.units, return_index=True, return_inverse=True)
        rank = np.empty(first.size, dtype=np.int64)
        rank[np.argsort(first)] = np.arange(first.size)
        return rank[place.reshape(-1)]


def _within_patterns(by: Grouper, k: int) -> Grouper:
    """Return a grouper that separates patterns of missing values where these stay missing."""

    def grouped(records: Prepared | Records) -> NDArray[np.integer]:
        patterns = None
        if isinstance(records, Records) and records.keeps_blanks:
            patterns = by_pattern(records.columns, None, k)
        if patterns is None or patterns.count == 1:
            return by(records)
        labels, count = np.empty(records.n, dtype=np.int64), 0
        for rows in patterns.members():
            labels[rows] = by(records.subset(rows)) + count
            count = int(labels[rows].max()) + 1
        return labels

    return grouped
