"""Limits on units and confidential values, of records that are read piece by piece.

How far the values of a group are from those of all records depends on how often each value occurs among
all. So the different values of a confidential column are collected and coded as in memory, and counted,
before records are routed. Units may be very many; they are known by a hash of 63 bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.categories import decoded, is_text, with_nulls
from microagg.data.frames import Frame
from microagg.data.numerals import to_numbers
from microagg.data.text_columns import parse_columns
from microagg.errors import DataError
from microagg.large.domains import Domain
from microagg.large.work import Records as DiskRecords
from microagg.mask.constrained import ordered_codes_in_words
from microagg.measure.diversity.present_values import absent
from microagg.measure.exact import coded
from microagg.measure.exposure_in_pieces import hashes_of
from microagg.partition.constrain.column import ConfidentialColumn
from microagg.partition.constrain.limits import Limits
from microagg.partition.constrain.record_limits import RecordLimits
from microagg.prepare.folded import unit_called
from microagg.prepare.read import FILL_IN_UNITS
from microagg.settings import Settings
from microagg.typing import Codes

if TYPE_CHECKING:
    import pyarrow as pa


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

    @cached_property
    def absent(self) -> NDArray[np.bool_]:
        """Which codes are missing values or words for one, such as NA."""
        import pyarrow as pa

        mask = np.zeros(self.missing + 1, dtype=bool)
        mask[self.missing] = True
        mask[self.codes[absent(pa.chunked_array([self.values]))]] = True
        return mask

    def coded(self, column: pa.ChunkedArray) -> Codes:
        """Return the code of each record's value."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = decoded(column)
        if pa.types.is_floating(column.type):
            column = with_nulls(column)
        if not self.codes.size:
            return np.full(len(column), self.missing, dtype=np.int64)
        values = self.values.cast(column.type)
        place = pc.index_in(column, value_set=values).fill_null(-1).to_numpy()
        place = np.asarray(place, dtype=np.int64)
        if bool((np.asarray(column.is_valid()) & (place < 0)).any()):
            raise DataError(
                f"Column '{self.name}' has a value that it did not have when it was first read.",
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
    def has_limits(self) -> bool:
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

    column = with_nulls(decoded(frame.arrow(name)))
    blank = np.asarray(pc.is_null(column))
    if is_text(column.type):
        encoded = pc.dictionary_encode(column.cast(pa.string()).combine_chunks())
        names = pa.array(list(map(unit_called, encoded.dictionary.to_pylist())), pa.string())
        column = pa.chunked_array([names.take(encoded.indices)])
        blank |= np.asarray(pc.equal(column, "").fill_null(True))
    if blank.any():
        raise DataError(
            f"A record has no unit in column '{name}', in {where(int(np.argmax(blank)))}.",
            hint=FILL_IN_UNITS,
        )
    return (hashes_of(column) & _SIGN).astype(np.int64)
