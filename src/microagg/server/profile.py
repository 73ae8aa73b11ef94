"""The profile of a column: its type, missing values, distinct values and distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.data import dates
from microagg.data.categories import is_text
from microagg.data.date_formats import recognise
from microagg.data.date_text import DateFormat
from microagg.data.frames import Frame
from microagg.report.charts.drawing import number

if TYPE_CHECKING:
    import pyarrow as pa

BINS = 16
"""Bars of a histogram."""

FEWEST = 5
"""The minimum number of records of a category with a bar, because screens may be shared."""

MOST_CATEGORIES = 60
"""The maximum number of categories that are listed for an order."""


@dataclass(frozen=True)
class ColumnProfile:
    """The profile of a column.

    Attributes
    ----------
    name, type : str
        Its name, and its type in words: "number", "text", "date" or that of the file.
    missing, distinct : int
        The numbers of missing and of distinct values.
    shape : tuple of float
        The heights of a small histogram, from 0 to 1.
    ends : tuple of str
        The labels at the two ends of the histogram; empty for categories.
    """

    name: str
    type: str
    missing: int
    distinct: int
    shape: tuple[float, ...] = ()
    ends: tuple[str, str] | None = None

    @property
    def kind(self) -> str:
        """The kind that follows from the type."""
        return "continuous" if self.type in ("number", "date") else "nominal"

    @property
    def picture(self) -> str:
        """The histogram in words."""
        if not self.shape:
            return f"No histogram of {self.name}"
        if self.ends is None:
            return f"The {len(self.shape)} most frequent categories of {self.name}"
        return f"Histogram of {self.name} from {self.ends[0]} to {self.ends[1]}"


def profile(table: pa.Table) -> tuple[ColumnProfile, ...]:
    """Return the profile of every column of a table."""
    frame = Frame(table)
    return tuple(_column(frame, table, name) for name in table.column_names)


def categories_of(table: pa.Table, name: str) -> list[str]:
    """Return the categories of a column in alphabetical order, or none if there are many."""
    import pyarrow.compute as pc

    values = [str(value) for value in pc.unique(table[name]).to_pylist() if value not in (None, "")]
    return sorted(values) if len(values) <= MOST_CATEGORIES else []


def _column(frame: Frame, table: pa.Table, name: str) -> ColumnProfile:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table[name]
    words = _words(frame, name)
    blank = int(column.null_count)
    if is_text(column.type):
        blank += int(pc.sum(pc.equal(pc.utf8_trim_whitespace(column), "")).as_py() or 0)
    try:
        present = column.drop_null()
        if is_text(column.type):
            present = present.filter(pc.not_equal(present, ""))
        counts = pc.value_counts(present).field("counts").to_numpy()
    except pa.ArrowNotImplementedError:  # a list or a record in a cell
        return ColumnProfile(name, words, blank, 0)
    if words == "number":
        shape, ends = _histogram(frame.numbers(name, blanks=True), counts.size)
        return ColumnProfile(name, words, blank, counts.size, shape, ends)
    days = _days(column)
    if days is not None:
        shape, _ = _histogram(dates.as_numbers(days)[0], counts.size)
        first = pc.min_max(days).as_py()
        ends = (str(first["min"])[:10], str(first["max"])[:10]) if shape else None
        return ColumnProfile(name, "date", blank, counts.size, shape, ends)
    return ColumnProfile(name, words, blank, counts.size, _largest(counts))


def _words(frame: Frame, name: str) -> str:
    """Return the type of a column in words."""
    if frame.is_numeric(name):
        return "number"
    return "text" if frame.is_text(name) else str(frame.arrow(name).type)


def _days(column: Any) -> Any:
    """Return a column of dates, which may be text, or None if it has no dates."""
    if is_text(column.type):
        written = recognise(column)
        if written is None or written.ambiguous:
            return None
        return DateFormat(written.formats[0]).read(column)[0]
    return column.combine_chunks() if dates.is_date(column.type) else None


def _histogram(
    values: NDArray[np.float64], distinct: int
) -> tuple[tuple[float, ...], tuple[str, str] | None]:
    """Return the heights of the bars of finite numbers, and the range.

    A few distinct values have one bar each.
    """
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return (), None
    if distinct <= BINS:
        heights = np.unique(finite, return_counts=True)[1]
    else:
        heights = np.histogram(finite, BINS)[0]
    ends = (number(float(finite.min())), number(float(finite.max())))
    return tuple((heights / heights.max()).round(3).tolist()), ends


def _largest(counts: NDArray[np.int64]) -> tuple[float, ...]:
    """Return the heights of the bars of the most frequent categories."""
    common = np.sort(counts[counts >= FEWEST])[::-1][:BINS]
    return tuple((common / common.max()).round(3).tolist()) if common.size else ()
