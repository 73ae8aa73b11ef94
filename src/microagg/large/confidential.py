"""Limits on units and confidential values, of records that are read piece by piece.

How far the values of a group are from those of all records depends on how often each value occurs among
all. So the different values of a confidential column are collected and coded as in memory, and counted,
before records are routed. Units may be very many; they are known by a hash of 63 bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.data.categories import with_nulls
from microagg.data.frames import Frame
from microagg.data.numerals import to_numbers
from microagg.data.text_columns import parse_columns
from microagg.errors import DataError, Phrase
from microagg.large.dataset import Split
from microagg.large.domains import Domain
from microagg.large.work import Records as DiskRecords
from microagg.mask.constrained import ordered_codes_in_words
from microagg.measure.exact import coded
from microagg.measure.exposure_in_pieces import hashes_of
from microagg.partition.constrain.column import ConfidentialColumn
from microagg.partition.constrain.limits import Limits
from microagg.partition.constrain.record_limits import RecordLimits
from microagg.prepare.read import unit_name
from microagg.settings import Settings
from microagg.typing import Codes, Floats

if TYPE_CHECKING:
    import pyarrow as pa

    from microagg.large.plan import Plan

_SIGN = np.uint64(2**63 - 1)


@dataclass(frozen=True, eq=False)
class ConfidentialValues:
    """The different values of a confidential column, and the code of each.

    Attributes
    ----------
    name : str
        Of the column.
    values : Arrow array
        Each value once, as files have it; a missing one is not among them.
    codes : int64[m]
        The code of each, in the order of the values; several texts may stand for one number.
    ordered : bool
        Whether the order of the codes means something.
    counts : int64[codes + 1], optional
        How many released records have each code, once they are counted; the last is that of missing
        values.
    """

    name: str
    values: Any
    codes: Codes
    ordered: bool
    counts: Codes | None = None

    @classmethod
    def of(cls, domain: Domain, kind: str | None, decimal: str) -> ConfidentialValues:
        """Code the values of a domain as `protect` does those of a frame that `read_file` has read."""
        import pyarrow as pa

        if domain.values is None:
            raise DataError(
                f"Confidential column '{domain.name}' has too many different values for limits on them, "
                "in a file that is read piece by piece.",
                hint="Round its numbers first, or leave the limit out.",
            )
        table = pa.table({domain.name: pa.chunked_array([domain.values])})
        frame = Frame(parse_columns(table, None, decimal=decimal) if domain.parsed else table)
        codes, ordered = coded(frame, domain.name, kind)
        return cls(domain.name, domain.values, codes, ordered)

    @property
    def missing(self) -> int:
        """The code of a missing value, which comes after all others."""
        return int(self.codes.max(initial=-1)) + 1

    def coded(self, column: pa.ChunkedArray) -> Codes:
        """Return the code of each record's value."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_floating(column.type):
            column = with_nulls(column)
        if not self.codes.size:
            return np.full(len(column), self.missing, dtype=np.int64)
        values = self.values.cast(column.type)
        place = pc.index_in(column, value_set=values).fill_null(-1).to_numpy()
        place = np.asarray(place, dtype=np.int64)
        if bool((np.asarray(column.is_valid()) & (place < 0)).any()):
            raise DataError(
                f"Column '{self.name}' has a value that was not there when it was read before.",
                hint="Try again.",
            )
        return np.where(place < 0, self.missing, self.codes[place])

    @property
    def distinct(self) -> int:
        """How many different values the released records have."""
        return int(self.occurring.size)

    def counted(self, counts: Codes) -> ConfidentialValues:
        """Return the same with the number of released records of each code."""
        return replace(self, counts=counts)

    @property
    def occurring(self) -> Codes:
        """The number of released records that have each value, of those that occur."""
        assert self.counts is not None  # which `count_values` has found
        return self.counts[self.counts > 0]

    def column(self, codes: Codes) -> ConfidentialColumn:
        """Return the column of some records, with the shares of all released ones."""
        assert self.counts is not None
        rank = np.cumsum(self.counts > 0) - 1
        share = self.occurring / self.counts.sum()
        return ConfidentialColumn(self.name, rank[codes], self.ordered, share)


@dataclass(frozen=True, eq=False)
class Secrets:
    """What the limits are about: confidential columns, and the column that names the unit.

    Attributes
    ----------
    limits : Limits
        What each group must hold.
    columns : tuple of ConfidentialValues
        The confidential columns, where a limit is about their values.
    unit : str, optional
        The column that names the unit of a record.
    """

    limits: Limits
    columns: tuple[ConfidentialValues, ...] = ()
    unit: str | None = None

    @property
    def names(self) -> list[str]:
        """The columns that are read for limits."""
        return [*(c.name for c in self.columns), *([] if self.unit is None else [self.unit])]

    def codes(self, frame: Frame) -> NDArray[np.int32]:
        """Return the codes of a frame's confidential values, int32[c, m]."""
        codes = [column.coded(frame.arrow(column.name)) for column in self.columns]
        return np.array(codes, dtype=np.int32).reshape(len(codes), frame.n)

    @property
    def given(self) -> bool:
        """Whether there are limits at all."""
        return bool(self.limits.as_dict())

    def classes(self, codes: NDArray[np.integer]) -> Codes | None:
        """Return the classes that blocks are cut by, of records with these codes; mostly there are none."""
        return self.of_records(codes, None).classes()

    def of_disk(self, records: DiskRecords) -> RecordLimits:
        """Return the limits for records of the work folder."""
        names = records.dtype.names or ()
        codes = records["codes"].T if "codes" in names else np.zeros((0, records.size), np.int64)
        return self.of_records(codes, records["unit"].copy() if "unit" in names else None)

    def of_records(self, codes: NDArray[np.integer], units: Codes | None) -> RecordLimits:
        """Return the limits for records with these codes, int[c, m], and units."""
        columns = tuple(
            column.column(own.astype(np.int64))
            for column, own in zip(self.columns, codes, strict=True)
        )
        return RecordLimits(self.limits, columns, units)


def ordered_as_codes(secrets: Secrets, looks: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Say which confidential columns are compared by order although they look like codes."""
    if secrets.limits.t_closeness is None:
        return ()
    names = (
        column.name
        for column in secrets.columns
        if column.ordered and column.distinct > 2 and column.name not in settings.kinds
    )
    return ordered_codes_in_words([name for name in names if name in looks])


def secrets_of(settings: Settings, domains: Mapping[str, Domain], decimal: str) -> Secrets:
    """Return what limits are about, from what all records hold in these columns."""
    limits = Limits.of(settings)
    columns = tuple(
        ConfidentialValues.of(domains[name], settings.kinds.get(name), decimal)
        for name in limited_columns(settings)
    )
    return Secrets(limits, columns, settings.unit)


def with_kinds(
    settings: Settings, domains: Sequence[Domain], looks: Sequence[str], decimal: str
) -> Settings:
    """Return settings that say which confidential columns of a text file are amounts, and which codes.

    `looks` are those that look like codes. In text, numbers have no type that would tell.
    """
    kinds = dict(settings.kinds)
    for domain in domains:
        if domain.name in limited_columns(settings) and domain.name not in kinds:
            values = None if domain.values is None else pa_chunked(domain.values)
            if values is not None and to_numbers(values, decimal=decimal, asked=False) is not None:
                kinds[domain.name] = "nominal" if domain.name in looks else "continuous"
    return replace(settings, kinds=kinds)


def pa_chunked(values: Any) -> Any:
    """Return an Arrow array as a chunked one."""
    import pyarrow as pa

    return pa.chunked_array([values])


def limited_columns(settings: Settings) -> tuple[str, ...]:
    """Return the confidential columns whose values a limit is about."""
    limited = Limits.of(settings).on_values()
    if limited and not settings.confidential:
        Limits.of(settings).require_columns([])
    return tuple(settings.confidential) if limited else ()


def units_of(frame: Frame, name: str, where: Any) -> Codes:
    """Return the unit of each record as a hash of 63 bits, or raise where a record names none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = with_nulls(frame.arrow(name))
    blank = np.asarray(pc.is_null(column))
    if frame.is_text(name):
        encoded = pc.dictionary_encode(column.cast(pa.string()).combine_chunks())
        names = pa.array(list(map(unit_name, encoded.dictionary.to_pylist())), pa.string())
        column = pa.chunked_array([names.take(encoded.indices)])
        blank |= np.asarray(pc.equal(column, "").fill_null(True))
    if blank.any():
        raise DataError(
            f"A record names no unit in column '{name}', in {where(int(np.argmax(blank)))}.",
            hint="Remove such records, or name the unit of each.",
        )
    return (hashes_of(column) & _SIGN).astype(np.int64)


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
    """Return how many units of a stratum are told apart, where strata are compared by their units."""
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
