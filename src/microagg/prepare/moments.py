"""The count, extremes, mean and squares of columns, independent of how the records are divided.

Sums of rounded numbers depend on where they are cut, and their last bit can decide between records
that are equally near. So records are summed in chunks of one size, whatever the pieces are that
they come in, and a file in pieces gets the scales of the same records in memory.
"""

from __future__ import annotations

import numpy as np

from microagg.typing import Floats

CHUNK = 1 << 16
"""The number of records that are summed at a time."""

Sums = tuple[float, float, float]
"""The total weight of some records, their mean, and the sum of squares around it."""


def sums_of(column: Floats, weights: Floats | None = None) -> Sums:
    """Return the sums of one chunk around one of its values, so that a large offset costs no digits.

    Examples
    --------
    >>> sums_of(np.array([1.0, 3.0]))
    (2.0, 2.0, 2.0)
    """
    if weights is None:
        mean = column[0] + np.mean(column - column[0])
        return float(column.size), float(mean), float(np.sum((column - mean) ** 2))
    total = weights.sum()
    mean = column[0] + np.multiply(column - column[0], weights).sum() / total
    squares = np.multiply((column - mean) ** 2, weights).sum()
    return float(total), float(mean), float(squares)


def joined_sums(before: Sums | None, chunk: Sums) -> Sums:
    """Return the sums of the records before and of one more chunk (the update of Chan et al. 1983)."""
    if before is None:
        return chunk
    (summed, mean, squares), (weight, own, spread) = before, chunk
    total = summed + weight
    gap, share = own - mean, weight / total
    return total, mean + gap * share, spread + (squares + gap**2 * (summed * share))


def chunked_sums(column: Floats, weights: Floats | None = None) -> Sums:
    """Return the sums of a whole column, chunk by chunk."""
    total: Sums | None = None
    for start in range(0, column.size, CHUNK):
        part = slice(start, start + CHUNK)
        own = None if weights is None else weights[part]
        total = joined_sums(total, sums_of(column[part], own))
    return total or (0.0, 0.0, 0.0)


class Moments:
    """The moments of d columns, of records that are added in pieces.

    Attributes
    ----------
    n : int
        Number of records.
    low, high : float64[d]
        The extremes of each column.

    Examples
    --------
    >>> moments = Moments(1)
    >>> moments.add(np.array([[1.0, 3.0]]))
    >>> moments.add(np.array([[5.0]]))
    >>> moments.mean, moments.squares
    (array([3.]), array([8.]))
    """

    def __init__(self, d: int) -> None:
        self.n = 0
        self.low, self.high = np.full(d, np.inf), np.full(d, -np.inf)
        self._summed, self._mean, self._squares = 0, np.zeros(d), np.zeros(d)
        self._waiting: list[Floats] = []  # less than a chunk
        self._sums: tuple[Floats, Floats] | None = (
            None  # of all records, once they have been computed
        )

    @property
    def mean(self) -> Floats:
        """The mean of each column."""
        return self._all()[0]

    @property
    def squares(self) -> Floats:
        """The sum of squares around the mean of each column."""
        return self._all()[1]

    @property
    def deviation(self) -> Floats:
        """The standard deviation of each column, of the population."""
        return np.sqrt(self.squares / self.n)

    def add(self, columns: Floats) -> None:
        """Add more records, float64[d, m]."""
        m = columns.shape[1]
        if m == 0:
            return
        self._sums = None
        self.low = np.minimum(self.low, columns.min(axis=1))
        self.high = np.maximum(self.high, columns.max(axis=1))
        start = min(self._summed + CHUNK - self.n, m)  # what is missing to the next chunk
        self._wait(columns[:, :start])
        while start < m:
            self._wait(columns[:, start : start + CHUNK])
            start += CHUNK

    def _wait(self, columns: Floats) -> None:
        self.n += columns.shape[1]
        if self.n - self._summed == CHUNK:
            self._waiting.append(columns)
            self._mean, self._squares = self._joined()
            self._summed, self._waiting = self.n, []
        elif columns.shape[1]:
            self._waiting.append(columns.copy())  # a view would keep the whole piece

    def _all(self) -> tuple[Floats, Floats]:
        if self._sums is None:
            self._sums = self._joined()
        return self._sums

    def _joined(self) -> tuple[Floats, Floats]:
        """Return mean and squares including pending records (the update of Chan et al. 1983)."""
        if not self._waiting:
            return self._mean, self._squares
        mean, squares = self._mean.copy(), self._squares.copy()
        for j in range(mean.size):
            own = sums_of(np.concatenate([part[j] for part in self._waiting]))
            before = (float(self._summed), float(mean[j]), float(squares[j]))
            _, mean[j], squares[j] = joined_sums(before if self._summed else None, own)
        return mean, squares
