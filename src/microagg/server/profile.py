"""What the page shows of a column before anything is protected: its type, gaps, variety and shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame

if TYPE_CHECKING:
    import pyarrow as pa

BINS = 12
"""Bars of a histogram."""

FEWEST = 5
"""Rarer categories are counted together: the page is for the owner, but screens are shared."""


@dataclass(frozen=True)
class ColumnProfile:
    """A column at a glance.

    Attributes
    ----------
    name, type : str
        Its name, and its type in words.
    missing, distinct : int
        How many values are missing, and how many different ones there are.
    shape : tuple of float
        The heights of a small histogram, from 0 to 1.
    """

    name: str
    type: str
    missing: int
    distinct: int
    shape: tuple[float, ...]

    @property
    def bars(self) -> tuple[tuple[float, float], ...]:
        """The bars of the histogram for a picture 24 units high: top and height."""
        return tuple((24 - 22 * height, 22 * height) for height in self.shape)


def profile(table: pa.Table) -> tuple[ColumnProfile, ...]:
    """Return the profile of every column of a table."""
    frame = Frame(table)
    return tuple(_column(frame, table, name) for name in table.column_names)


def _column(frame: Frame, table: pa.Table, name: str) -> ColumnProfile:
    import pyarrow.compute as pc

    column = table[name]
    numeric = frame.is_numeric(name)
    counts = pc.value_counts(column).field("counts").to_numpy()
    shape = _histogram(frame.numbers(name, blanks=True)) if numeric else _largest(counts)
    return ColumnProfile(
        name=str(name),
        type=_words(frame, name),
        missing=int(column.null_count),
        distinct=int(pc.count_distinct(column).as_py()),
        shape=shape,
    )


def _words(frame: Frame, name: str) -> str:
    """Return the type of a column in words."""
    if frame.is_numeric(name):
        return "number"
    return "text" if frame.is_text(name) else str(frame.arrow(name).type)


def _histogram(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the heights of the bars of finite numbers."""
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return ()
    heights, _ = np.histogram(finite, BINS)
    return tuple((heights / heights.max()).round(3).tolist())


def _largest(counts: NDArray[np.int64]) -> tuple[float, ...]:
    """Return the heights of the bars of the most frequent categories."""
    common = np.sort(counts[counts >= FEWEST])[::-1][:BINS]
    if common.size == 0:
        return ()
    return tuple((common / common.max()).round(3).tolist())
