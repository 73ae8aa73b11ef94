"""What a column holds, gathered over all records: its categories, its dates, whether text is numbers.

The values of a column that decide how it is read (categories, dates as text) are few, so they are collected
once, and the same functions as in memory then decide on these alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.data import dates
from microagg.data.categories import is_ordered, is_text
from microagg.data.numerals import has_leading_zeros, to_numbers
from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

MOST = 1_000_000
"""Different values of a column of categories or of text, at most: they are kept in memory."""


class TooManyValues(DataError):
    """A column has more than `MOST` different values."""


@dataclass(frozen=True, eq=False)
class Domain:
    """What some records hold in one column.

    Attributes
    ----------
    name : str
        Of the column.
    kind : Arrow type
        Its type.
    values : Arrow array, optional
        Its different values, in order of their appearance; None if they do not matter, or where
        there are too many.
    numbers, whole : bool
        Whether text contains only numbers, and these are integers.
    leading_zeros : bool
        Whether a number of a column of text has leading zeros.
    parsed : bool
        Whether text is read as numbers where it is nothing else, and its values matter all the same:
        those of a confidential column.
    first, step : int, optional
        Of dates with a type of their own, as a `Calendar` has them.
    """

    name: str
    kind: Any
    values: Any = None
    numbers: bool = False
    whole: bool = False
    leading_zeros: bool = False
    parsed: bool = False
    first: int | None = None
    step: int = 0

    def joined(self, other: Domain) -> Domain:
        """Return what both hold together."""
        firsts = [first for first in (self.first, other.first) if first is not None]
        steps = [step for step in (self.step, other.step) if step]
        return replace(
            self,
            values=self._union(other),
            numbers=self.numbers and other.numbers,
            whole=self.whole and other.whole,
            leading_zeros=self.leading_zeros or other.leading_zeros,
            first=min(firsts, default=None),
            step=min(steps, default=0),
        )

    def _union(self, other: Domain) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.values is None or other.values is None:
            return None
        union = pc.unique(pa.chunked_array([self.values, other.values]))
        if len(union) <= MOST:
            return union
        if self.numbers and other.numbers:
            return None
        raise TooManyValues(
            f"Column '{self.name}' has more than {MOST:,} different values. A file that is read piece by "
            "piece cannot have so many categories, nor so many confidential values under a limit.",
            hint="Coarsen the column first, or turn dates and numbers into columns of their own type.",
        )

    def column(self) -> Any:
        """Return an Arrow array of the column's type with each of its values once."""
        import pyarrow as pa

        if self.numbers:
            return pa.nulls(0, pa.int64() if self.whole else pa.float64())
        if self.values is None:
            return pa.nulls(0, self.kind)
        if not pa.types.is_dictionary(self.kind):
            return self.values
        indices = pa.array(range(len(self.values)), pa.int32())
        ordered = is_ordered(self.kind)
        return pa.DictionaryArray.from_arrays(indices, self.values, ordered=ordered)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return it as arrays, for the work folder."""
        import pyarrow as pa

        values = pa.nulls(0) if self.values is None else self.values
        facts = {
            "values": self.values is not None,
            **{
                what: getattr(self, what)
                for what in ("numbers", "whole", "leading_zeros", "first", "step")
            },
        }
        return {
            f"{self.name}.values": to_bytes(pa.table({"values": values})),
            f"{self.name}.facts": np.array(json.dumps(facts)),
        }

    def from_arrays(self, load: Any) -> Domain:
        """Return what `to_arrays` kept of this column; `load` returns an array by its name."""
        facts = json.loads(str(load(f"{self.name}.facts")))
        table = from_bytes(load(f"{self.name}.values"))
        values = table.column(0).combine_chunks() if facts.pop("values") else None
        return replace(self, values=values, **facts)


def to_bytes(table: pa.Table | None) -> NDArray[np.uint8]:
    """Return a table as bytes, for the work folder; none has no bytes."""
    import pyarrow as pa

    if table is None:
        return np.empty(0, dtype=np.uint8)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return np.frombuffer(sink.getvalue(), dtype=np.uint8)


def from_bytes(content: NDArray[np.uint8]) -> pa.Table:
    """Return the table that `to_bytes` has written."""
    import pyarrow as pa

    return pa.ipc.open_stream(pa.py_buffer(content.tobytes())).read_all()


def empty_domain(field: pa.Field, *, categories: bool, text_file: bool) -> Domain:
    """Return the domain of a column before any record; `categories` says that its values matter."""
    import pyarrow as pa

    kind = field.type
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if categories or is_text(kind) or pa.types.is_dictionary(kind) or pa.types.is_boolean(kind):
        numbers = text_file and not categories
        return Domain(field.name, kind, pa.nulls(0, plain), numbers=numbers, whole=numbers)
    return Domain(field.name, kind)


def domain_of(empty: Domain, column: pa.ChunkedArray, decimal: str) -> Domain:
    """Return the domain of the records of one table."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if empty.values is None:
        if dates.is_date(empty.kind) and len(column) > column.null_count:
            _, calendar = dates.as_numbers(column)
            return replace(empty, first=calendar.first, step=calendar.step)
        return empty
    parsed = to_numbers(column, decimal=decimal) if empty.numbers else None
    if pa.types.is_dictionary(empty.kind):
        dictionaries = [chunk.dictionary for chunk in column.chunks]
        values = pc.unique(pa.chunked_array([empty.values, *dictionaries]))
    else:
        values = pc.drop_null(pc.unique(column))
    whole = parsed is not None and (
        pa.types.is_integer(parsed.type) or parsed.null_count == len(parsed)
    )
    zeros = parsed is not None and has_leading_zeros(column)
    domain = replace(
        empty, numbers=parsed is not None, whole=whole, leading_zeros=zeros, values=values
    )
    return empty.joined(domain)


def joined_domains(parts: Iterable[Sequence[Domain]]) -> list[Domain]:
    """Return the domains of all records from those of parts, in order."""
    total: list[Domain] = []
    for part in parts:
        total = [a.joined(b) for a, b in zip(total, part, strict=True)] if total else [*part]
    return total
