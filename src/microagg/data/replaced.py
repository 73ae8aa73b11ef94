"""New values in the caller's own types: numbers, rows of the same column, or dates."""

from __future__ import annotations

import re
from typing import Any

import narwhals as nw
import numpy as np

from microagg.errors import DataError
from microagg.typing import Floats, Rows


def with_numbers(column: nw.Series[Any], values: Floats, *, own_type: bool) -> nw.Series[Any]:
    """Return numbers in place of a column's; NaN is a blank.

    A float column keeps its own width. An integer column becomes float64, or, with `own_type`,
    keeps its type and gets the values rounded half to even.
    """
    rounded = own_type and column.dtype.is_integer()
    kind = column.dtype if rounded or column.dtype.is_float() else nw.Float64()
    numbers = np.rint(values) if rounded else values
    _require_room(column.name, kind, numbers)
    blank = np.isnan(numbers)
    with_blanks: Any = numbers
    if blank.any() and not column.implementation.is_pandas_like():  # pandas has no other blank
        with_blanks = [
            None if gone else number for gone, number in zip(blank, numbers, strict=True)
        ]
    fresh = nw.new_series(
        name=column.name, values=with_blanks, dtype=nw.Float64(), backend=column.implementation
    )
    if not column.implementation.is_pandas_like():
        return fresh.cast(kind)
    # pandas has three families of types (int64, Int64, int64[pyarrow]); stay in the column's.
    like = column if kind == column.dtype else column.cast(kind)
    return nw.from_native(fresh.to_native().astype(like.to_native().dtype), series_only=True)


_LARGEST = {"Float16": 65504.0, "Float32": float(np.finfo(np.float32).max)}


def _require_room(name: str, kind: Any, numbers: Floats) -> None:
    """Raise a DataError when a type has no room for the numbers that it is to hold."""
    low = high = _LARGEST.get(str(kind), np.inf)
    if kind.is_integer():
        bits = int(re.sub(r"\D", "", str(kind)))
        signed = not str(kind).startswith("U")
        low = 2.0 ** (bits - 1) if signed else 0.0
        high = np.nextafter(2.0 ** (bits - signed), 0.0)
    if not ((numbers >= -low) & (numbers <= high) | np.isnan(numbers)).all():
        raise DataError(
            f"Column '{name}' ({kind}) cannot store its released values: they exceed the "
            "range of the type.",
            hint="Choose a smaller step to round to, or convert the column to a wider type first.",
        )


def with_rows(column: nw.Series[Any], rows: Rows) -> nw.Series[Any]:
    """Return the column's own values at other rows."""
    if column.implementation.is_pandas_like():
        native = column.to_native()
        taken = native.iloc[rows].set_axis(native.index)
        return nw.from_native(taken, series_only=True)
    return column[rows]


def with_dates(column: nw.Series[Any], dates: Any) -> nw.Series[Any]:
    """Return an Arrow array of dates in the column's own type."""
    native, made = column.to_native(), dates
    if column.implementation.is_pandas_like():
        made = dates.to_pandas()
        made = made if native.dtype == object else made.astype(native.dtype)
        made = made.set_axis(native.index).rename(native.name)
    elif column.implementation.is_polars():
        import polars as pl

        made = pl.Series(column.name, dates).cast(native.dtype)
    else:
        import pyarrow as pa

        made = pa.chunked_array([dates])
    fresh: nw.Series[Any] = nw.from_native(made, series_only=True)
    return fresh.alias(column.name)
