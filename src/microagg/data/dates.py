"""Dates, times and spans of time as numbers, and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
        For dates as text, what stands between date and time: nothing where there is no time.
    """

    kind: Any
    first: int
    step: int
    text: str | None = None

    def numbers(self, column: Any) -> Floats:
        """Return an Arrow column of dates as numbers, NaN where blank."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.text is not None:
            column = _parsed(column, self.kind)
        out = np.full(len(column), np.nan)
        whole = pc.drop_null(column.cast(_integers(column.type)).cast(pa.int64()))
        out[np.asarray(column.is_valid())] = _since(whole.to_numpy(), self.first)
        return out

    def dates(self, values: Floats) -> Any:
        """Return numbers as an Arrow array of dates, rounded to the step; NaN becomes null."""
        import pyarrow as pa
        import pyarrow.compute as pc

        blank = np.isnan(values)
        offset = self.first % self.step
        steps = np.rint((np.where(blank, 0.0, values) + offset) / self.step)
        whole = _reached(self.first - offset, steps, self.step)
        found = pa.array(whole, mask=blank).cast(_integers(self.kind)).cast(self.kind)
        if self.text is None:
            return found
        return pc.replace_substring(found.cast(pa.string()), " ", self.text)


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


_DAY = r"\d{4}-\d{2}-\d{2}"
_FORMS = {
    "": f"^{_DAY}$",
    " ": f"^{_DAY} \\d{{2}}:\\d{{2}}:\\d{{2}}$",
    "T": f"^{_DAY}T\\d{{2}}:\\d{{2}}:\\d{{2}}$",
}
"""ISO 8601 as text, by what stands between date and time."""


def text_form(column: Any) -> str | None:
    """Return what stands between date and time where all text of a column is ISO dates, or None.

    Examples
    --------
    >>> import pyarrow as pa
    >>> text_form(pa.chunked_array([["2026-01-31", "", None]]))
    ''
    >>> text_form(pa.chunked_array([["2026-02-31"]])) is None
    True
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pc.drop_null(_no_empty(column))
    for between, form in _FORMS.items():
        if len(known) and pc.all(pc.match_substring_regex(known, form)).as_py():
            try:
                known.cast(_kind(between))
            except pa.ArrowInvalid:  # a day that no month has
                return None
            return between
    return None


def text_as_numbers(column: Any, between: str) -> tuple[Floats, Calendar]:
    """Return dates as text, of the form that `text_form` found, as numbers, and the way back."""
    values, calendar = as_numbers(_parsed(column, _kind(between)))
    return values, replace(calendar, text=between)


def _kind(between: str) -> Any:
    import pyarrow as pa

    return pa.timestamp("s") if between else pa.date32()


def _parsed(column: Any, kind: Any) -> Any:
    return _no_empty(column).cast(kind)


def _no_empty(column: Any) -> Any:
    """Return text with null for an empty one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = column.cast(pa.string())
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)


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

    known = pc.drop_null(column.cast(_integers(column.type)).cast(pa.int64())).to_numpy()
    first = int(known.min()) if known.size else 0
    calendar = Calendar(column.type, first, _step(column.type, known))
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
