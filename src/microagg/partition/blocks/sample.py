"""A sample that does not depend on how records arrive: those with the lowest ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.partition.blocks.cuts import Floats, Integers, Ties

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
        self._kept: list[tuple[Floats, Integers]] = []

    def add(self, columns: Floats, rows: Integers) -> None:
        """Take note of more records, float64[d, m], and their row numbers."""
        self._kept.append((columns, rows))
        columns, rows = self.columns, self.rows
        if rows.size > self._size:
            lowest = np.argpartition(ties_of(rows), self._size - 1)[: self._size]
            lowest.sort()
            columns, rows = columns[:, lowest], rows[lowest]
        self._kept = [(columns, rows)]

    @property
    def columns(self) -> Floats:
        """The records of the sample, float64[d, m]."""
        return np.concatenate([columns for columns, _ in self._kept], axis=1)

    @property
    def rows(self) -> Integers:
        """Their row numbers."""
        return np.concatenate([rows for _, rows in self._kept])
