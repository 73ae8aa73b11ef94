"""The keys of both files as the same numbers, decided once for all records.

Categories, dates as text and text in general are decided by the functions that do so in memory, on the
different values of each column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.data import dates
from microagg.data.categories import decoded, is_text, with_nulls
from microagg.data.frames import Frame
from microagg.data.labels import has_value_labels
from microagg.data.number_checks import check_finite
from microagg.errors import DataError
from microagg.large.columns import padded
from microagg.large.domains import Domain, domain_of, empty_domain
from microagg.measure.exact import is_number
from microagg.measure.keys import floats, read_keys
from microagg.prepare.column import Column
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.typing import Floats

if TYPE_CHECKING:
    import pyarrow as pa

Tables = Iterator[tuple["pa.Table", "pa.Table"]]


@dataclass(frozen=True, eq=False)
class Mapped:
    """The number of each value of a column that has few different ones."""

    name: str
    values: Any
    codes: Floats

    def numbers(self, column: Any) -> Floats:
        """Return the number of each record, NaN if missing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = with_nulls(decoded(column))
        values = with_nulls(pa.chunked_array([self.values])).combine_chunks()
        place = pc.index_in(column, value_set=values.cast(column.type)).fill_null(-1).to_numpy()
        place = np.asarray(place, dtype=np.int64)
        blank = np.asarray(column.is_null())
        if bool((~blank & (place < 0)).any()):
            raise DataError(f"Column '{self.name}' changed while it was read.", hint="Try again.")
        return np.where(blank, np.nan, np.append(self.codes, np.nan)[place])


@dataclass(frozen=True, eq=False)
class Key:
    """How one key is read from both files.

    Attributes
    ----------
    column : Column
        The key without records.
    mapped : pair of Mapped, optional
        The numbers of its values in each file, where they are categories or text.
    calendar : Calendar, optional
        How dates become numbers.
    kind : Arrow type
        Of the original.
    """

    column: Column
    mapped: tuple[Mapped, Mapped] | None
    calendar: dates.Calendar | None
    kind: Any

    def numbers(self, column: Any, file: int) -> Floats:
        """Return the records of the original (0) or of the release (1) as numbers."""
        if self.mapped is not None:
            return self.mapped[file].numbers(column)
        if self.calendar is not None:
            return self.calendar.numbers(column.cast(self.kind, safe=False))
        values = floats(column)
        try:
            check_finite(self.column.name, np.where(np.isnan(values), 0.0, values))
        except DataError as error:
            hint = error.hint
        else:
            return values
        raise DataError(f"Column '{self.column.name}' has a value that is not finite.", hint=hint)


@dataclass(frozen=True, eq=False)
class PairedKeys:
    """How all keys are read.

    Attributes
    ----------
    keys : mapping of str to Key
        By name.
    distinct : pair of Frame
        Of both files, the different values of the columns that are categories or text.
    """

    keys: Mapping[str, Key]
    distinct: tuple[Frame, Frame]

    @property
    def columns(self) -> dict[str, Column]:
        """The keys without records."""
        return {name: key.column for name, key in self.keys.items()}

    def numbers(self, table: pa.Table, file: int) -> Floats:
        """Return the keys of a table of the original (0) or of the release (1), float64[d, m]."""
        rows = [key.numbers(table[name], file) for name, key in self.keys.items()]
        return np.array(rows).reshape(len(rows), table.num_rows)

    @classmethod
    def of(
        cls,
        fields: tuple[pa.Schema, pa.Schema],
        tables: Tables | None,
        schema: Schema,
        settings: Settings,
    ) -> PairedKeys:
        """Decide how keys are read; `tables` are all records, where `must_collect` says so."""
        names = schema.quasi_identifiers
        domains = domains_of(fields, names, schema, settings)
        for both in tables or ():
            for own, table in zip(domains, both, strict=True):
                for name, domain in own.items():
                    own[name] = domain.joined(domain_of(_empty(domain), table[name], "."))
        frames = _frames(domains, fields, names)
        columns, released = read_keys(*frames, schema, settings)
        keys = {}
        for name in names:
            before, after = (own[name] for own in domains)
            mapped = calendar = None
            if before.values is not None and after.values is not None:
                codes = columns[name].values, released[name]
                both_mapped = [
                    Mapped(name, domain.values, code[: len(domain.values)])
                    for domain, code in zip((before, after), codes, strict=True)
                ]
                mapped = both_mapped[0], both_mapped[1]
            elif dates.is_date(before.kind):
                calendar = dates.Calendar(before.kind, before.first or 0, before.step or 1)
            column = replace(columns[name], values=np.empty(0))
            keys[name] = Key(column, mapped, calendar, before.kind)
        return cls(keys, frames)


def domains_of(
    fields: tuple[pa.Schema, pa.Schema], names: Sequence[str], schema: Schema, settings: Settings
) -> tuple[dict[str, Domain], dict[str, Domain]]:
    """Return the domains of the keys of both files, before any record."""
    named = {
        *(name for name, kind in schema.kinds.items() if kind != "continuous"),
        *schema.orders,
        *settings.date_format,
    }
    domains: tuple[dict[str, Domain], dict[str, Domain]] = ({}, {})
    for name in names:
        both = [schema_of_file.field(name) for schema_of_file in fields]
        few = name in named or has_value_labels(both[0]) or not _alike(both[0].type, both[1].type)
        for own, field in zip(domains, both, strict=True):
            own[name] = empty_domain(field, categories=few, text_file=False)
    return domains


def must_collect(
    fields: tuple[pa.Schema, pa.Schema], names: Sequence[str], schema: Schema, settings: Settings
) -> bool:
    """Return whether the values of a key matter, and not only its type."""
    return any(
        domain.values is not None or dates.is_date(domain.kind)
        for own in domains_of(fields, names, schema, settings)
        for domain in own.values()
    )


def _empty(domain: Domain) -> Domain:
    return replace(domain, values=None if domain.values is None else domain.values.slice(0, 0))


def _alike(one: Any, other: Any) -> bool:
    """Return whether both types are numbers, dates, or neither: what is compared as it is."""
    return all(test(one) == test(other) for test in (is_number, dates.is_date, is_text))


def _frames(
    domains: tuple[dict[str, Domain], dict[str, Domain]],
    fields: tuple[pa.Schema, pa.Schema],
    names: Sequence[str],
) -> tuple[Frame, Frame]:
    """Return the different values of each column as two tables, with nulls below."""
    import pyarrow as pa

    frames = []
    for own, file in zip(domains, fields, strict=True):
        columns = {name: own[name].column() for name in names}
        longest = max(1, *map(len, columns.values()))
        table = {name: padded(column, longest) for name, column in columns.items()}
        kept = [file.field(name).with_type(table[name].type) for name in names]
        frames.append(Frame(pa.table(list(table.values()), schema=pa.schema(kept))))
    return frames[0], frames[1]
