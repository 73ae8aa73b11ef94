"""Dates, times and spans of time as numbers, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.arrow_types import type_name
from microagg.data.categories import is_text
from microagg.data.date_formats import not_in_format
from microagg.data.date_text import EXCEL, DateFormat, trimmed
from microagg.errors import DataError, ParameterError, Phrase, shown, unknown_column
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
        """Return an Arrow column of dates as numbers, NaN if missing.

        The resolution of the dates may differ from that of the dates that the calendar was made from.

        Examples
        --------
        >>> import pyarrow as pa
        >>> hours = pa.chunked_array([pa.array([36], pa.int64()).cast(pa.timestamp("s"))])
        >>> Calendar(pa.timestamp("ms"), first=6_000, step=1).numbers(hours)
        array([30000.])
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.text is not None:
            column, _ = DateFormat(self.text).read(column)
        out = np.full(len(column), np.nan)
        whole = pc.drop_null(column.cast(_integers(column.type)).cast(pa.int64()))
        ratio = _per_second(self.kind) / _per_second(column.type)
        out[np.asarray(column.is_valid())] = _since_in(whole.to_numpy(), self.first, ratio)
        return out

    def require_comparable(self, column: Any, name: str) -> None:
        """Raise if the values of an Arrow column cannot be compared with the dates of the calendar."""
        if self.text is not None and is_text(column.type) == is_text(self.source):
            wrong = DateFormat(self.text).read(column)[1]
            if wrong.size:
                raise not_in_format(name, self.text, wrong)
            return
        own = self.kind if self.source is None else self.source
        if self.text is not None or _sort_of(column.type) != _sort_of(own):
            raise DataError(
                f"Column '{name}' contains {type_name(column.type)} values, which cannot be compared with "
                f"those of the fitted records ({type_name(own)}).",
                hint="Convert the column to the type of the fitted records.",
            )

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


def _since_in(dates: NDArray[np.int64], first: int, ratio: Fraction) -> Floats:
    """Return the same in the unit of `first`, of which `ratio` make one unit of the dates.

    Examples
    --------
    >>> _since_in(np.array([3]), 2_500, Fraction(1000)), _since_in(np.array([3_250]), 2, Fraction(1, 1000))
    (array([500.]), array([1.25]))
    """
    if ratio >= 1:
        whole, rest = divmod(first, int(ratio))
        return _since(dates, whole) * float(ratio) - rest
    finer = int(1 / ratio)
    return _since(dates // finer, first) + dates % finer / finer


def _reached(first: int, steps: Floats, step: int) -> NDArray[np.int64]:
    """Return the dates that lie whole steps after the first one, as int64."""
    if (np.abs(first + steps * step) < 2.0**62).all() and abs(first) < 2**62:
        return first + steps.astype(np.int64) * step
    ends = np.iinfo(np.int64)  # beyond half the range, only Python's integers do not wrap
    exact = [min(max(first + int(count) * step, ends.min), ends.max) for count in steps]
    return np.array(exact, dtype=np.int64)


def is_date(kind: Any) -> bool:
    """Return whether an Arrow type holds dates, times or spans of time."""
    from pyarrow import types

    return bool(types.is_temporal(kind) and not types.is_interval(kind))


def text_as_numbers(column: Any, name: str, date_format: str) -> tuple[Floats, Calendar]:
    """Return dates that are written as text or integers as numbers, NaN if missing, and the way back.

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
    """Return whether all records are blank or a date of the format."""
    return not DateFormat(date_format).read(column)[1].size


def all_blank(column: Any) -> bool:
    """Return whether a text column contains only missing values and empty text."""
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
    """Return an Arrow column of dates as numbers, NaN if missing, and the way back.

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


def _sort_of(kind: Any) -> str:
    """Return a name of the types with which a type can be compared, whatever the resolution is."""
    from pyarrow import types

    if types.is_date(kind) or types.is_timestamp(kind):
        return "aware" if getattr(kind, "tz", None) else "naive"
    return "time" if types.is_time(kind) else type_name(kind).partition("[")[0]


def _integers(kind: Any) -> Any:
    """Return the type of integers that a type of dates is made of."""
    import pyarrow as pa

    narrow = kind == pa.date32() or pa.types.is_time32(kind)
    return pa.int32() if narrow else pa.int64()


def _per_second(kind: Any) -> Fraction:
    """Return the number of units of a type of dates in a second; date64 has milliseconds."""
    import pyarrow as pa

    if kind == pa.date32():
        return Fraction(1, 86400)
    return Fraction({"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[getattr(kind, "unit", "ms")])


def _step(kind: Any, values: NDArray[np.int64]) -> int:
    import pyarrow as pa

    if kind == pa.date32():
        return 1
    second = int(_per_second(kind))
    steps = [seconds * second for seconds in _SECONDS] + [second // 10**3, second // 10**6, 1]
    return next(step for step in steps if step >= 1 and not (values % step).any())
