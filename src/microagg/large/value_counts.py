"""How often confidential values and units occur in each part of the records, counted over all splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.errors import DataError, Phrase
from microagg.large.confidential import Secrets
from microagg.large.dataset import Split
from microagg.typing import Codes, Floats

if TYPE_CHECKING:
    from microagg.large.plan import Plan


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """How often confidential values occur in each part of the records, and some units of each.

    Attributes
    ----------
    values : tuple of int64[3, m]
        For each confidential column: part, code and number of records.
    units : int64[2, m]
        Part and unit, the k lowest units of each part: enough to tell whether there are k.
    """

    values: tuple[Codes, ...]
    units: Codes

    @classmethod
    def of(
        cls, part: Codes, codes: NDArray[np.integer], units: Codes | None, k: int
    ) -> ValueCounts:
        """Count the values of some records, which are in these parts."""
        ones = np.ones(part.size, dtype=np.int64)
        values = tuple(_summed(np.stack([part, own.astype(np.int64), ones])) for own in codes)
        pairs = np.zeros((2, 0), dtype=np.int64)
        return cls(values, pairs if units is None else lowest(np.stack([part, units]), k))

    @classmethod
    def joined(cls, counted: Sequence[ValueCounts], k: int) -> ValueCounts:
        """Return the counts of several splits."""
        columns = zip(*(own.values for own in counted), strict=True)
        values = tuple(_summed(np.concatenate(own, axis=1)) for own in columns)
        return cls(values, lowest(np.concatenate([own.units for own in counted], axis=1), k))

    def to_arrays(self) -> dict[str, Codes]:
        """Return it as arrays, for the work folder."""
        columns = {f"values.{j}": own for j, own in enumerate(self.values)}
        return {**columns, "units": self.units}

    @classmethod
    def from_arrays(cls, columns: int, load: Any) -> ValueCounts:
        """Return what `to_arrays` kept; `load` returns an array by its name."""
        return cls(tuple(load(f"values.{j}") for j in range(columns)), load("units"))

    def of_parts(self, part_of: Mapping[int, int] | Codes) -> ValueCounts:
        """Return the same with other numbers of parts; `part_of` has that of each."""
        place = np.asarray(part_of, dtype=np.int64)
        values = tuple(_summed(np.stack([place[own[0]], own[1], own[2]])) for own in self.values)
        return ValueCounts(values, np.stack([place[self.units[0]], self.units[1]]))


def _summed(counted: Codes) -> Codes:
    """Return each pair of part and code once, with the sum of its counts."""
    order = np.lexsort((counted[1], counted[0]))
    counted = counted[:, order]
    fresh = np.any(counted[:2, 1:] != counted[:2, :-1], axis=0)
    firsts = np.flatnonzero(np.concatenate(([True], fresh))[: order.size])
    once = counted[:, firsts]
    if firsts.size:
        once[2] = np.add.reduceat(counted[2], firsts)
    return once


def lowest(pairs: Codes, most: int) -> Codes:
    """Return of int64[2, m] pairs of part and unit the `most` lowest different units of each part.

    Examples
    --------
    >>> lowest(np.array([[0, 0, 0, 1], [9, 4, 9, 7]]), 1)
    array([[0, 1],
           [4, 7]])
    """
    pairs = np.unique(pairs, axis=1)
    firsts = np.flatnonzero(np.diff(pairs[0], prepend=-1))
    place = np.arange(pairs.shape[1]) - np.repeat(firsts, np.diff(firsts, append=pairs.shape[1]))
    return pairs[:, place < most]


def most_units(k: int) -> int:
    """Return the number of units of a stratum that are distinguished, if strata are compared by units."""
    return max(4096, 2 * k)


def count_values(plan: Plan, split: Split, context: Context) -> None:
    """Count the confidential values and units of the released records of a split, by part."""
    step, k = f"values/{split.number}", plan.settings.k
    if plan.work.has(step):
        return
    counted = [
        ValueCounts.of(part, piece.codes, piece.units, k)
        for piece, part in plan.released_pieces(split)
    ]
    none = np.zeros(0, dtype=np.int64)
    columns = len(plan.read().secrets.columns)
    counted.append(ValueCounts.of(none, np.zeros((columns, 0), dtype=np.int64), none, k))
    plan.work.save(step, None, None, **ValueCounts.joined(counted, k).to_arrays())


def counted_values(plan: Plan) -> ValueCounts:
    """Return what `count_values` has found in all splits."""
    columns = len(plan.read().secrets.columns)
    counted = [
        ValueCounts.from_arrays(
            columns, lambda name, step=f"values/{split.number}": plan.work.load(step, name)
        )
        for split in plan.splits
    ]
    return ValueCounts.joined(counted, plan.settings.k)


def with_counts(secrets: Secrets, counted: ValueCounts) -> Secrets:
    """Return the confidential columns with the number of released records of each value."""
    columns = tuple(
        column.counted(np.bincount(own[1], own[2], column.missing + 1).astype(np.int64))
        for column, own in zip(secrets.columns, counted.values, strict=True)
    )
    return replace(secrets, columns=columns)


def holding_parts(secrets: Secrets, counted: ValueCounts, parts: int) -> NDArray[np.bool_]:
    """Tell which parts would hold the limits as one group."""
    holds = np.ones(parts, dtype=bool)
    limits = secrets.limits
    for whole in _wholes(secrets, counted, parts):
        if limits.l_diversity is not None:
            holds &= whole.distinct >= limits.l_diversity
        if limits.t_closeness is not None:
            holds &= limits.within(whole.distances)
    if limits.unit is not None:
        holds &= np.bincount(counted.units[0], minlength=parts) >= limits.unit
    return holds


def require_possible(secrets: Secrets, counted: ValueCounts, strata: int) -> None:
    """Raise where not even a whole stratum holds the limits, or where there are too few units."""
    limits = secrets.limits
    for whole in _wholes(secrets, counted, strata):
        most, least = int(whole.distinct.min()), float(whole.distances.max())
        limits.require_wholes(whole.name, most, least, strata > 1)
    if limits.unit is not None:
        count = np.unique(counted.units[1]).size
        if count < limits.unit:
            raise DataError(
                f"There are {count} different units, and k is {limits.unit}.",
                hint=Phrase("Choose a smaller {k}.", k=...),
            )


@dataclass(frozen=True, eq=False)
class _Wholes:
    """How many values each part has in one column, and how far it is from all records."""

    name: str
    distinct: Codes
    distances: Floats


def _wholes(secrets: Secrets, counted: ValueCounts, parts: int) -> list[_Wholes]:
    wholes = []
    for column, (part, code, count) in zip(secrets.columns, counted.values, strict=True):
        own = column.column(code)
        distances = np.zeros(parts)
        for number in range(parts):
            here = part == number
            share = np.bincount(own.codes[here], count[here], own.values) / count[here].sum()
            distances[number] = own.distance_of(share)
        wholes.append(_Wholes(column.name, np.bincount(part, minlength=parts), distances))
    return wholes
