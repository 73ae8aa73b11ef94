"""Dates, times and spans of time as numbers, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.categories import is_text
from microagg.data.date_formats import not_in_format
from microagg.data.date_text import EXCEL, DateFormat, trimmed
from microagg.errors import ParameterError, Phrase, shown, unknown_column
from microagg.typing import Floats

_SECONDS = (86400, 3600, 60, 1)
"""The usual steps of dates, in seconds: a day, an hour, a minute, a second."""


@dataclass(frozen=True)
class Calendar:
    """How the dates of a column became numbers.

    Attributes
    ----------
    kind : Arrow type
        Of the column.
    first : int
        Its first date, in the unit of the type; numbers count from there, so that float64 holds
        them.
    step : int
        The largest usual step that all dates are a multiple of: whole days where it has whole days.
    text : str, optional
        For dates that were read from text or numbers, their format.
    source : Arrow type, optional
        For dates that were read from text or numbers, the type of the column.
    """

    kind: Any
    first: int
    step: int
    text: str | None = None
    source: Any = None

    def numbers(self, column: Any) -> Floats:
        """Return an Arrow column of dates as numbers, NaN where blank."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.text is not None:
            column, _ = DateFormat(self.text).read(column)
        out = np.full(len(column), np.nan)
        whole = pc.drop_null(column.cast(_integers(column.type)).cast(pa.int64()))
        out[np.asarray(column.is_valid())] = _since(whole.to_numpy(), self.first)
        return out

    def dates(self, values: Floats) -> Any:
        """Return numbers as an Arrow array of dates, rounded to the step; NaN becomes null."""
        import pyarrow as pa

        blank = np.isnan(values)
        offset = self.first % self.step
        steps = np.rint((np.where(blank, 0.0, values) + offset) / self.step)
        whole = _reached(self.first - offset, steps, self.step)
        dates = pa.array(whole, mask=blank).cast(_integers(self.kind)).cast(self.kind)
        if self.text is None:
            return dates
        return DateFormat(self.text).written(dates).cast(self.source)


def _since(dates: NDArray[np.int64], first: int) -> Floats:
    """Return how far dates lie after the first one, also where that is more than int64 holds."""
    halves = (dates >> 1) - (first >> 1)
    return np.asarray(2.0 * halves + ((dates & 1) - (first & 1)))


def _reached(first: int, steps: Floats, step: int) -> NDArray[np.int64]:
    """Return the dates that lie whole steps after the first one, as int64."""
    if (np.abs(first + steps * step) < 2.0**62).all() and abs(first) < 2**62:
        return first + steps.astype(np.int64) * step
    ends = np.iinfo(np.int64)  # beyond half the range, only Python's integers do not wrap
    exact = [min(max(first + int(count) * step, ends.min), ends.max) for count in steps]
    return np.array(exact, dtype=np.int64)


def is_date(kind: Any) -> bool:
    """Tell whether an Arrow type holds dates, times or spans of time."""
    from pyarrow import types

    return bool(types.is_temporal(kind) and not types.is_interval(kind))


def text_as_numbers(column: Any, name: str, date_format: str) -> tuple[Floats, Calendar]:
    """Return dates that are written as text or integers as numbers, NaN where blank, and the way back.

    Raises
    ------
    DataError
        A record is neither blank nor a date of this format.
    """
    dates, wrong = DateFormat(date_format).read(column)
    if wrong.size:
        raise not_in_format(name, date_format, wrong)
    values, calendar = as_numbers(dates)
    return values, replace(calendar, text=date_format, source=column.type)


def are_in_format(column: Any, date_format: str) -> bool:
    """Tell whether all records are blank or a date of the format."""
    return not DateFormat(date_format).read(column)[1].size


def all_blank(column: Any) -> bool:
    """Tell whether a text column holds nothing but missing values and empty text."""
    return bool(trimmed(column).null_count == len(column))


def with_dates(table: Any, date_format: str | Mapping[str, str] | None) -> Any:
    """Return an Arrow table with dates in place of text or numbers that are written so.

    One format is for every text column that is wholly in it; a mapping is for the columns it names.

    Raises
    ------
    ParameterError
        A format is none, or a column is not in the table.
    DataError
        A record of a named column is neither blank nor a date of its format.
    """
    if date_format is None:
        return table
    checked = check_date_format(date_format)
    if isinstance(checked, str):
        texts = [f.name for f in table.schema if is_text(f.type)]
        chosen = {name: checked for name in texts if _is_dates(table[name], checked)}
    else:
        chosen = checked
    for name, pattern in chosen.items():
        if name not in table.column_names:
            raise unknown_column("date_format", name, table.column_names)
        dates, wrong = DateFormat(pattern).read(table[name])
        if wrong.size:
            raise not_in_format(name, pattern, wrong)
        dates = _days_if_whole(dates) if pattern == EXCEL else dates
        table = table.set_column(table.column_names.index(name), name, [dates])
    return table


def check_date_format(date_format: Any) -> str | dict[str, str]:
    """Return the 'date_format' parameter, or raise where it is no format nor formats by column."""
    if isinstance(date_format, Mapping):
        for pattern in date_format.values():
            _check_pattern(pattern)
        return dict(date_format)
    _check_pattern(date_format)
    if date_format == EXCEL:
        raise ParameterError(
            "must name the columns of serial numbers.",
            parameter="date_format",
            hint=Phrase("Write {date_format}.", date_format={"born": "excel"}),
        )
    return str(date_format)


def _check_pattern(pattern: Any) -> None:
    if not isinstance(pattern, str):
        raise ParameterError(
            f"must be a format, or map column names to formats. Got {shown(pattern)}.",
            parameter="date_format",
            hint=Phrase("Write {date_format}.", date_format={"born": "%d/%m/%Y"}),
        )
    DateFormat(pattern)


def _is_dates(column: Any, pattern: str) -> bool:
    return not all_blank(column) and are_in_format(column, pattern)


def _days_if_whole(dates: Any) -> Any:
    """Return serial numbers without times as days."""
    import pyarrow as pa
    import pyarrow.compute as pc

    days = dates.cast(pa.date32(), safe=False)
    same = pc.all(pc.equal(days.cast(dates.type), dates), min_count=0).as_py()
    return days if same else dates


def as_numbers(column: Any) -> tuple[Floats, Calendar]:
    """Return an Arrow column of dates as numbers, NaN where blank, and the way back.

    Examples
    --------
    >>> import datetime, pyarrow as pa
    >>> days = pa.chunked_array([[datetime.date(2026, 1, 1), None, datetime.date(2026, 1, 4)]])
    >>> numbers, calendar = as_numbers(days)
    >>> numbers
    array([ 0., nan,  3.])
    >>> calendar.dates(np.array([1.6]))[0].as_py()
    datetime.date(2026, 1, 3)
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    present = pc.drop_null(column.cast(_integers(column.type)).cast(pa.int64())).to_numpy()
    first = int(present.min()) if present.size else 0
    calendar = Calendar(column.type, first, _step(column.type, present))
    return calendar.numbers(column), calendar


def _integers(kind: Any) -> Any:
    """Return the type of integers that a type of dates is made of."""
    import pyarrow as pa

    narrow = kind == pa.date32() or pa.types.is_time32(kind)
    return pa.int32() if narrow else pa.int64()


def _step(kind: Any, values: NDArray[np.int64]) -> int:
    import pyarrow as pa

    if kind == pa.date32():
        return 1
    second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[getattr(kind, "unit", "ms")]
    steps = [seconds * second for seconds in _SECONDS] + [second // 10**3, second // 10**6, 1]
    return next(step for step in steps if step >= 1 and not (values % step).any())
