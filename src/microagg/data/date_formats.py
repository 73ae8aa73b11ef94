"""The format of the dates of a text column: none, one, or two that cannot be distinguished."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from microagg.data.date_text import DateFormat, trimmed
from microagg.data.numerals import MISSING_CODES
from microagg.errors import DataError, Either, Phrase

MOSTLY = 0.9
"""A column holds dates if at least this share of what is not blank is dates of one format."""

_FIRST, _PROBE = 8, 256
"""Values that are looked at to reject formats without reading the whole column."""

_DAYS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y",
    "%d %b %Y", "%d-%b-%Y", "%d%b%Y", "%d. %B %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y",
    "%d/%m/%y", "%m/%d/%y", "%d.%m.%y", "%d-%m-%y", "%m-%d-%y", "%d-%b-%y",
    "%Y-%m", "%Y/%m", "%m/%Y", "%m.%Y", "%m-%Y", "%b-%Y", "%b %Y", "%B %Y", "%Y-%b-%d",
)  # fmt: skip
_TIMES = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%I:%M:%S %p", "%I:%M %p", "%H%M%S")
_ZONES = re.compile(r"(Z| ?UTC|[+-]\d{2}:?\d{2})$")
_LIKELY = r"^[\dA-Za-z][\dA-Za-z:/. ,+\-]{3,39}$"


@dataclass(frozen=True)
class DatesInText:
    """What a text column of dates holds.

    Attributes
    ----------
    formats : tuple of str
        The format, or two of them if day and month cannot be distinguished.
    wrong : tuple of int
        Rows, from 0, that are neither blank nor such a date.
    """

    formats: tuple[str, ...]
    wrong: tuple[int, ...]

    @property
    def ambiguous(self) -> bool:
        """Whether the order of day and month is not certain, or the century is left open."""
        return len(self.formats) > 1 or "%y" in self.formats[0]


def recognise(column: Any) -> DatesInText | None:
    """Return the format of the dates in a text column, or None if it does not hold dates.

    Text such as NA, which stands for a missing value, counts as blank here and is among `wrong`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> recognise(pa.chunked_array([["1/5/2019", "28/12/2018", ""]])).formats
    ('%-d/%-m/%Y',)
    >>> recognise(pa.chunked_array([["01/02/2019", "03/04/2019"]])).formats
    ('%d/%m/%Y', '%m/%d/%Y')
    >>> recognise(pa.chunked_array([["2026-02-31"]])) is None
    True
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    text = trimmed(column)
    probe = pc.unique(pc.drop_null(text))[:_PROBE]
    probe = probe.filter(pc.invert(pc.is_in(pc.utf8_lower(probe), pa.array(sorted(MISSING_CODES)))))
    if not len(probe) or _share(probe, _LIKELY) < MOSTLY or _share(probe, r"\d") < MOSTLY:
        return None
    first = probe[:_FIRST].to_pylist()
    likely = (form for form, regex in _candidates(probe) if any(map(regex.match, first)))
    formats = [form for form in likely if _share(probe, form.regex) >= MOSTLY]
    readings = [(form, *form.read(text)) for form in formats]
    enough = MOSTLY * (len(text) - _blanks(text))
    readings = [read for read in readings if len(text) - read[1].null_count >= enough]
    if not readings:
        return None
    fewest = min(len(wrong) for _, _, wrong in readings)
    chosen: list[tuple[DateFormat, Any, Any]] = []
    for reading in (read for read in readings if len(read[2]) == fewest):
        # May is May in short and in full: two formats matter only where the dates differ.
        if not any(reading[1].equals(other[1]) for other in chosen):
            chosen.append(reading)
    patterns = tuple(_as_padded(text, form) for form, _, _ in chosen)
    return DatesInText(patterns, tuple(chosen[0][2].tolist()))


def date_format_of(column: Any, name: str) -> str | None:
    """Return the format of the dates in a text column, or None if it does not hold dates.

    Raises
    ------
    DataError
        Day and month cannot be distinguished, or some records are not in the format of the others.
    """
    recognised = recognise(column)
    if recognised is None:
        return None
    if recognised.ambiguous:
        what = "the century is" if len(recognised.formats) == 1 else "the order of day and month is"
        ways = Either(*({str(name): form} for form in recognised.formats))
        raise DataError(
            f"Column '{name}' contains dates in an ambiguous format: {what} not certain.",
            hint=Phrase("Set {date_format}.", date_format=ways),
        )
    if recognised.wrong:
        raise not_in_format(str(name), recognised.formats[0], np.array(recognised.wrong))
    return recognised.formats[0]


def not_in_format(name: str, pattern: str, wrong: Any) -> DataError:
    """Return the error for records that are not dates of the format."""
    plural = " is" if len(wrong) == 1 else "s are"
    what = "serial numbers of a spreadsheet" if pattern == "excel" else f"in the format {pattern}"
    return DataError(
        f"Column '{name}' contains dates, but {len(wrong):,} record{plural} neither empty nor {what}, "
        f"the first in data row {int(wrong[0]) + 1}.",
        hint=Phrase(
            "Correct or clear these values, or specify another format as {date_format}.",
            date_format=...,
        ),
    )


def _blanks(text: Any) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = pc.is_in(pc.utf8_lower(text), pa.array(sorted(MISSING_CODES)))
    return int(text.null_count) + int(pc.sum(codes).as_py() or 0)


@lru_cache(maxsize=2048)
def _compiled(pattern: str) -> tuple[DateFormat, re.Pattern[str]]:
    form = DateFormat(pattern)
    return form, re.compile(form.regex)


def _candidates(probe: Any) -> Iterator[tuple[DateFormat, re.Pattern[str]]]:
    """Yield the formats that may be meant: of days, of times, and of both with a common time zone."""
    first = next((text for text in probe.to_pylist() if ":" in text or "T" in text), None)
    if first is None:
        yield from map(_compiled, _DAYS)
        return
    match = _ZONES.search(first)
    zone = match[0] if match else ""
    for time in _TIMES:
        fraction = re.search(r"\.(\d{1,9})(?:\D|$)", first)
        if "%f" in time and fraction:
            time = time.replace("%f", f"%{len(fraction[1])}f")
        yield _compiled(time + zone)
        yield from (_compiled(day + mark + time + zone) for day in _DAYS for mark in " T")
        yield from (_compiled(f"{day}, {time}{zone}") for day in _DAYS[:8])


def _share(values: Any, regex: str) -> float:
    import pyarrow.compute as pc

    return float(pc.mean(pc.match_substring_regex(values, regex)).as_py())


def _as_padded(text: Any, form: DateFormat) -> str:
    """Return the format with %-d for %d, and the like, where numbers have no leading zeros."""
    import pyarrow.compute as pc

    parts = [part for part in "mdHI" if f"%{part}" in form.pattern]
    fields = pc.extract_regex(text, form.regex)
    short, padded = set(), set()
    for part in parts:
        field = pc.struct_field(fields, part)
        if pc.any(pc.equal(pc.utf8_length(field), 1)).as_py():
            short.add(part)
        elif pc.any(pc.starts_with(field, "0")).as_py():
            padded.add(part)
    pattern = form.pattern
    for part in parts if short else ():
        if part not in padded:
            pattern = pattern.replace(f"%{part}", f"%-{part}")
    return pattern
