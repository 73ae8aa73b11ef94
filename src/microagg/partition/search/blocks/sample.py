"""A sample that does not depend on how records arrive: those with the lowest ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.partition.search.blocks.cuts import Ties
from microagg.typing import Floats, Integers

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def scrambled(numbers: NDArray[np.uint64]) -> Ties:
    """Return splitmix64 of whole numbers: all different, and without any order."""
    z = (numbers + np.uint64(1)) * _STEP
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


def ties_of(rows: Integers) -> Ties:
    """Return the ties of records by their row numbers."""
    return scrambled(rows.astype(np.uint64))


class Sample:
    """The `size` records with the lowest ties of all that were added, in order of their rows.

    Attributes
    ----------
    columns : float64[d, m]
        The records of the sample.
    rows : int64[m]
        Their row numbers.

    Examples
    --------
    >>> whole, parts = Sample(3), Sample(3)
    >>> whole.add(np.arange(10.0)[None, :], np.arange(10))
    >>> parts.add(np.arange(4.0)[None, :], np.arange(4))
    >>> parts.add(np.arange(4.0, 10.0)[None, :], np.arange(4, 10))
    >>> np.array_equal(whole.columns, parts.columns)
    True
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.columns: Floats = np.empty((0, 0))
        self.rows: Integers = np.empty(0, dtype=np.int64)

    def add(self, columns: Floats, rows: Integers) -> None:
        """Take note of more records, float64[d, m], and of their row numbers, which follow."""
        columns, rows = self._lowest(columns, rows)
        if self.rows.size:
            columns = np.concatenate([self.columns, columns], axis=1)
            rows = np.concatenate([self.rows, rows])
        self.columns, self.rows = self._lowest(columns, rows)

    def _lowest(self, columns: Floats, rows: Integers) -> tuple[Floats, Integers]:
        if rows.size <= self._size:
            return columns, rows
        lowest = np.sort(np.argpartition(ties_of(rows), self._size - 1)[: self._size])
        return columns[:, lowest], rows[lowest]
