"""Number, extremes, mean and squares of columns, the same bits however the records arrive.

Sums of rounded numbers depend on where they are cut, and their last bit can decide between records
that are equally near. So records are summed in chunks of one size, whatever the pieces are that
they come in, and a file in pieces gets the scales of the same records in memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CHUNK = 1 << 16
"""Records that are summed at a time."""


class Moments:
    """What is known of d columns, of records that come piece by piece.

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

    @property
    def mean(self) -> Floats:
        """The mean of each column."""
        return self._joined()[0]

    @property
    def squares(self) -> Floats:
        """The sum of squares around the mean of each column."""
        return self._joined()[1]

    @property
    def deviation(self) -> Floats:
        """The standard deviation of each column, of the population."""
        return np.sqrt(self.squares / self.n)

    def add(self, columns: Floats) -> None:
        """Take note of more records, float64[d, m]."""
        m = columns.shape[1]
        if m == 0:
            return
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

    def _joined(self) -> tuple[Floats, Floats]:
        """Return mean and squares with the records that wait (the update of Chan et al. 1983)."""
        if not self._waiting:
            return self._mean, self._squares
        mean, squares = self._mean.copy(), self._squares.copy()
        for j in range(mean.size):
            column = np.concatenate([part[j] for part in self._waiting])
            shift = column[0]  # sums around a value of the column lose nothing to a large offset
            own = shift + np.mean(column - shift)
            spread = np.sum((column - own) ** 2)
            if self._summed:
                gap, share = own - mean[j], column.size / self.n
                spread += squares[j] + gap**2 * (self._summed * share)
                own = mean[j] + gap * share
            mean[j], squares[j] = own, spread
        return mean, squares
