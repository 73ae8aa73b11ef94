"""Column names, or the first record of a file without a header: what messages may show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microagg.data.numerals import MISSING_CODES
from microagg.errors import looks_like_a_record


def alike(names: Sequence[str]) -> str | None:
    """Return which columns have the same name, by number; None if all differ.

    Examples
    --------
    >>> alike(["age", "pay", "age"])
    'columns 1 and 3'
    """
    first: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if first.setdefault(name, number) < number:
            return f"columns {first[name]} and {number}"
    return None


def are_names(table: Any) -> bool:
    """Return whether the column names of a table, of which a part will do, cannot be a record.

    In a file without a header the first record stands in their place. Were there numbers in a
    column, it would have one too, and no word.

    Examples
    --------
    >>> import pyarrow as pa
    >>> are_names(pa.table({"name": ["Ann"], "age": ["41"]}))
    True
    >>> are_names(pa.table({"Ann": ["Bob"], "41": ["42"]}))
    False
    """
    names = table.column_names
    if any(looks_like_a_record(name) or name.strip().lower() in MISSING_CODES for name in names):
        return False
    return any(_holds_numbers(column) for column in table.columns)


def _holds_numbers(column: Any) -> bool:
    from pyarrow import types

    kind = column.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return True
    if types.is_temporal(kind):
        return True
    if not (types.is_string(kind) or types.is_large_string(kind)):
        return False
    texts = [text for text in column.drop_null().to_pylist() if text.strip()]
    return bool(texts) and all(map(looks_like_a_record, texts))
