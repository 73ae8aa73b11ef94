"""The keys of two files as comparable numbers: amounts, ranks or codes, by kind.

Kinds are those that `protect` assigns to the original. A column of amounts whose release contains
other values, such as intervals as text, is treated as categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from microagg.data import dates
from microagg.data.categories import decoded, is_ordered, is_text, text_of
from microagg.data.date_formats import date_format_of
from microagg.data.frames import Frame
from microagg.data.number_checks import check_finite
from microagg.data.values import values_of
from microagg.errors import DataError
from microagg.measure.exact import is_number
from microagg.prepare.column import Column
from microagg.prepare.read import kind_of, read_categories
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.typing import Floats


def read_keys(
    before: Frame, after: Frame, schema: Schema, options: Settings
) -> tuple[dict[str, Column], dict[str, Floats]]:
    """Return the keys of the original, and those of the release on the same scale."""
    columns: dict[str, Column] = {}
    released: dict[str, Floats] = {}
    for name in schema.quasi_identifiers:
        kind = _kind(before, after, name, schema)
        if kind == "continuous":
            values, released[name] = _amounts(before, after, name, options.date_format.get(name))
            columns[name] = Column(name, kind, values)
        else:
            order = schema.orders.get(name)
            columns[name], released[name] = _categories(before, after, name, kind, order, options)
    return columns, released


def _kind(before: Frame, after: Frame, name: str, schema: Schema) -> str:
    kind = kind_of(before, name, schema, numerals=True)
    if kind != "continuous" or name in schema.kinds:
        return kind
    alike = after.is_numeric(name) if before.is_numeric(name) else _is_date(after, name)
    return kind if alike and not before.has_value_labels(name) else "nominal"


def _is_date(frame: Frame, name: str) -> bool:
    return dates.is_date(frame.arrow(name).type)


def _amounts(before: Frame, after: Frame, name: str, form: str | None) -> tuple[Floats, Floats]:
    if before.is_text(name) and after.is_text(name):
        form = form or date_format_of(before.arrow(name), name)
        if form is not None and dates.are_in_format(after.arrow(name), form):
            values, calendar = dates.text_as_numbers(before.arrow(name), name, form)
            return values, calendar.numbers(after.arrow(name))
    if before.is_numeric(name) or not _is_date(before, name):
        return _numbers(before, name), _numbers(after, name)
    column = before.arrow(name)
    values, calendar = dates.as_numbers(column)
    return values, calendar.numbers(after.arrow(name).cast(column.type, safe=False))


def _numbers(frame: Frame, name: str) -> Floats:
    if not frame.is_numeric(name):
        return frame.numbers(name)  # which says why not
    values = floats(frame.arrow(name))
    check_finite(name, np.where(np.isnan(values), 0.0, values))
    return values


def floats(column: Any) -> Floats:
    """Return an Arrow column of numbers as float64, NaN if missing."""
    import pyarrow as pa

    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(values, dtype=np.float64)


def _categories(
    before: Frame,
    after: Frame,
    name: str,
    kind: str,
    order: Sequence[Any] | None,
    options: Settings,
) -> tuple[Column, Floats]:
    import pyarrow as pa

    one, other = before.arrow(name), after.arrow(name)
    if kind == "ordinal" and order is None and is_ordered(one.type):
        order = values_of(one.unify_dictionaries().chunk(0).dictionary)
    both = [_plain(column) for column in (one, other)]
    if both[0].type != both[1].type:
        numeric = before.is_numeric(name) and after.is_numeric(name)
        both = [c.cast(pa.float64()) if numeric else _as_text(c) for c in both]
    joined = pa.chunked_array([chunk for column in both for chunk in column.chunks])
    coded = read_categories(joined, name, kind, order, options)
    return coded.filled(coded.values[: before.n]), coded.values[before.n :]


def _plain(column: Any) -> Any:
    """Return a column of categories as its values, with text in one type."""
    import pyarrow as pa

    column = decoded(column)
    return column.cast(pa.string()) if is_text(column.type) else column


def _as_text(column: Any) -> Any:
    import pyarrow as pa

    values = (None if value is None else text_of(value) for value in values_of(column))
    return pa.chunked_array([pa.array(values, pa.string())])


def default_keys(before: Frame, after: Frame, excepted: Iterable[Any] = ()) -> list[str]:
    """Return the columns that differ, or all common columns, without those in `excepted`."""
    out = set(excepted)
    shared = [name for name in before.names if name in after.names and name not in out]
    if not shared:
        raise DataError(
            "The two files have no columns in common.",
            hint="Columns are matched by name. Is this the right file?",
        )
    one, other = before.select(shared), after.select(shared)
    return [name for name in shared if not same_values(one[str(name)], other[str(name)])] or shared


def same_values(before: Any, after: Any) -> bool:
    """Return whether two Arrow columns have the same values in the same order, numbers by value."""
    import pyarrow as pa

    if not (is_number(before.type) and is_number(after.type)):
        return _texts(before) == _texts(after)
    if not np.array_equal(floats(before), floats(after), equal_nan=True):
        return False
    both = before, after
    return all(pa.types.is_floating(c.type) for c in both) or _exact(before) == _exact(after)


def _exact(column: Any) -> list[Any]:
    """Return numbers as Python numbers, which are compared without rounding; None if missing."""
    return [None if value != value else value for value in values_of(column)]


_MISSING = "missing"
"""A text that is different from all values, which begin with an equals sign."""


def _texts(column: Any) -> list[str]:
    """Return values as text; a missing value becomes a text that no other value has."""
    return [_MISSING if value is None else f"={value}" for value in values_of(column)]
