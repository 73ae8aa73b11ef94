"""Dates as people write them: from text of one format to Arrow's dates, and back in the same format.

A format has the directives of `strftime`: %Y %m %d %b %B %y for days, %H %M %S %I %p for times, %f or
%3f for fractions of a second. `%-d` is a day without a leading zero; text is read with or without one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.errors import ParameterError
from microagg.typing import Integers

EXCEL = "excel"
"""The format of dates as serial numbers of a spreadsheet: days since 30 December 1899."""

_EXCEL_EPOCH = 25_569  # days from there to 1970

_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_SHORT = "|".join(month[:3] for month in _MONTHS)
_DIRECTIVE = re.compile(r"%(-?[a-zA-Z]|[1-9]f|%)")
_PARTS = {
    "Y": r"\d{4}", "y": r"\d{2}", "m": r"0[1-9]|1[0-2]", "d": r"0[1-9]|[12]\d|3[01]",
    "H": r"[01]\d|2[0-3]", "I": r"0[1-9]|1[0-2]", "M": r"[0-5]\d", "S": r"[0-5]\d",
    "b": f"(?i:{_SHORT})", "B": f"(?i:{'|'.join(_MONTHS)})", "p": r"(?i:AM|PM)", "f": r"\d{1,9}",
}  # fmt: skip
_NO_ZERO = {"m": r"0?[1-9]|1[0-2]", "d": r"0?[1-9]|[12]\d|3[01]", "H": r"[01]?\d|2[0-3]",
            "I": r"0?[1-9]|1[0-2]"}  # fmt: skip
"""Parts that are read with or without a leading zero where a separator ends them."""


@dataclass(frozen=True)
class DateFormat:
    """A format of dates, checked when made.

    Examples
    --------
    >>> import pyarrow as pa
    >>> german = DateFormat("%d.%m.%Y")
    >>> days, wrong = german.read(pa.chunked_array([["17.05.1981", "", "31.02.2020"]]))
    >>> days.to_pylist(), wrong.tolist()
    ([datetime.date(1981, 5, 17), None, None], [2])
    >>> german.written(days).to_pylist()
    ['17.05.1981', None, None]
    """

    pattern: str

    def __post_init__(self) -> None:
        if self.pattern == EXCEL:
            return
        parts = self._parts
        day = {"Y", "y"} & set(parts) and {"m", "b", "B"} & set(parts)
        time = {"H", "I"} & set(parts)
        if set(parts) - set(_PARTS) or len(parts) != len(set(parts)) or not (day or time):
            raise ParameterError(
                f"must be 'excel' or a format of dates such as '%d/%m/%Y'. Got {self.pattern!r}.",
                parameter="date_format",
                hint="It needs a year and a month, or an hour, and each code at most once. The codes are "
                f"{' '.join('%' + part for part in _PARTS)}.",
            )

    @cached_property
    def _parts(self) -> list[str]:
        parts = [directive.lstrip("-")[-1] for directive in _DIRECTIVE.findall(self.pattern)]
        return [part for part in parts if part != "%"]

    @cached_property
    def regex(self) -> str:
        """The pattern of text in this format, with a named group for each part (RE2)."""
        strict = re.search(r"%-?[a-zA-Z]%", self.pattern) is not None
        pieces, end = ["^"], 0
        for match in _DIRECTIVE.finditer(self.pattern):
            pieces.append(re.escape(self.pattern[end : match.start()]))
            end, part = match.end(), match[1].lstrip("-")[-1]
            if part == "%":
                pieces.append("%")
                continue
            form = _PARTS[part] if strict else _NO_ZERO.get(part, _PARTS[part])
            pieces.append(f"(?P<{part}>{form})")
        return "".join([*pieces, re.escape(self.pattern[end:]), "$"])

    @property
    def has_day(self) -> bool:
        """Whether it has a date and not a time alone."""
        return bool({"Y", "y"} & set(self._parts))

    @property
    def kind(self) -> Any:
        """The Arrow type of its dates."""
        import pyarrow as pa

        if self.pattern == EXCEL:
            return pa.timestamp("s")
        if not self.has_day:
            return pa.time64("us") if "f" in self._parts else pa.time32("s")
        if not {"H", "I"} & set(self._parts):
            return pa.date32()
        return pa.timestamp("us" if "f" in self._parts else "s")

    def read(self, column: Any) -> tuple[Any, Integers]:
        """Return a column of text or numbers as Arrow's dates, and the rows that are no such date."""
        import pyarrow as pa

        if self.pattern == EXCEL:
            return _from_serials(column)
        text = trimmed(column)
        if isinstance(text, pa.ChunkedArray):
            text = text.combine_chunks()
        fields = _fields(text, self.regex)
        count, right = self._count(fields)
        right &= np.asarray(text.is_valid())
        wrong = np.flatnonzero(~right & np.asarray(text.is_valid()))
        whole = pa.array(count, mask=~right)
        narrow = self.kind == pa.date32() or pa.types.is_time32(self.kind)
        return whole.cast(pa.int32() if narrow else pa.int64()).cast(self.kind), wrong

    def _count(self, fields: dict[str, Integers]) -> tuple[Integers, NDArray[np.bool_]]:
        """Return dates as integers of the Arrow type, and which of them exist."""
        right = next(iter(fields.values())) >= 0
        days = np.zeros(right.size, dtype=np.int64)
        if self.has_day:
            days, exists = _days(fields)
            right &= exists
        seconds = _seconds(fields, days) if {"H", "I"} & set(self._parts) else days
        if "f" in fields:
            seconds = seconds * 10**6 + fields["f"]
        return np.where(right, seconds, 0), right

    def written(self, dates: Any) -> Any:
        """Return Arrow's dates as text of this format; serial numbers of a spreadsheet as float64."""
        import pyarrow as pa

        if self.pattern == EXCEL:
            seconds = dates.cast(pa.int64()).to_numpy(zero_copy_only=False).astype(np.float64)
            blank = np.asarray(dates.is_null())
            return pa.array(seconds / 86400 + _EXCEL_EPOCH, mask=blank)
        coded = dates.dictionary_encode()
        moments = coded.dictionary.to_pylist()
        texts = pa.array([self._text(moment) for moment in moments], pa.string())
        return texts.take(coded.indices)

    def _text(self, moment: Any) -> str:
        import datetime

        if self.has_day and "d" not in self._parts:  # to the nearest month
            moment = moment + datetime.timedelta(days=14)

        def part(match: re.Match[str]) -> str:
            return _written(match[1], moment)

        return _DIRECTIVE.sub(part, self.pattern)


def trimmed(column: Any) -> Any:
    """Return text without blanks around it, and null for an empty one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(column.cast(pa.string()))
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)


def _fields(text: Any, regex: str) -> dict[str, Integers]:
    """Return the parts of dates as integers, -1 if the text does not match."""
    import pyarrow as pa
    import pyarrow.compute as pc

    match = pc.extract_regex(text, regex)
    fields = {}
    for place in match.type:
        part = pc.struct_field(match, place.name)
        if place.name in ("b", "B"):
            short = pc.utf8_slice_codeunits(pc.utf8_lower(part), 0, 3)
            months = pa.array([month[:3] for month in _MONTHS])
            part = pc.add(pc.index_in(short, value_set=months), 1)
        elif place.name == "p":
            part = pc.equal(pc.utf8_lower(part), "pm")
        elif place.name == "f":
            part = pc.utf8_slice_codeunits(pc.utf8_rpad(part, 6, "0"), 0, 6)
        whole = pc.fill_null(part.cast(pa.int64()), -1)
        fields[place.name] = whole.to_numpy(zero_copy_only=False)
    return fields


def _days(fields: dict[str, Integers]) -> tuple[Integers, NDArray[np.bool_]]:
    """Return days since 1970, and which of them exist in the calendar."""
    # POSIX: years of two digits are from 1969 to 2068.
    short = fields.get("y")
    year = fields["Y"] if short is None else short + np.where(short < 69, 2000, 1900)
    month = next(fields[part] for part in ("m", "b", "B") if part in fields)
    first = ((year - 1970) * 12 + month - 1).astype("M8[M]")
    day = fields.get("d", np.ones(year.size, dtype=np.int64))
    date = first.astype("M8[D]") + (day - 1)
    return date.astype(np.int64), date.astype("M8[M]") == first


def _seconds(fields: dict[str, Integers], days: Integers) -> Integers:
    hour = fields["H"] if "H" in fields else fields["I"] % 12 + 12 * np.maximum(fields["p"], 0)
    zero = np.zeros(days.size, dtype=np.int64)
    return days * 86400 + hour * 3600 + fields.get("M", zero) * 60 + fields.get("S", zero)


def _written(directive: str, moment: Any) -> str:
    """Return a part of a date as text, whatever the locale."""
    part = directive.lstrip("-")[-1]
    if part == "%":
        return "%"
    if part in ("b", "B"):
        name: str = _MONTHS[moment.month - 1].capitalize()
        return name[:3] if part == "b" else name
    if part == "p":
        return "AM" if moment.hour < 12 else "PM"
    if part == "f":
        digits = int(directive[0]) if directive[0].isdigit() else 6
        return f"{moment.microsecond:06d}".ljust(digits, "0")[:digits]
    if part == "Y":
        return f"{moment.year:04d}"
    number = {
        "y": lambda: moment.year % 100, "m": lambda: moment.month, "d": lambda: moment.day,
        "H": lambda: moment.hour, "I": lambda: (moment.hour + 11) % 12 + 1,
        "M": lambda: moment.minute, "S": lambda: moment.second,
    }[part]()  # fmt: skip
    return str(number) if directive.startswith("-") else f"{number:02d}"


def _from_serials(column: Any) -> tuple[Any, Integers]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = trimmed(column)
        numeral = pc.fill_null(pc.match_substring_regex(column, r"^\d+(\.\d*)?$"), True)
        wrong = np.flatnonzero(~np.asarray(numeral, dtype=bool))
        column = pc.if_else(numeral, column, pa.scalar(None, column.type))
    else:
        wrong = np.empty(0, dtype=np.int64)
    values = column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64)
    blank = np.isnan(values)
    # 1 January 1900 to 31 December 9999: what a spreadsheet has.
    outside = ~blank & ((values < 0) | (values >= 2_958_466))
    seconds = np.rint((np.where(blank | outside, 0, values) - _EXCEL_EPOCH) * 86400)
    dates = pa.array(seconds.astype(np.int64), mask=blank | outside).cast(pa.timestamp("s"))
    return dates, np.union1d(wrong, np.flatnonzero(outside)).astype(np.int64)
