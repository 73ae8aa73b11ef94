"""The pool: every good group seen, each once, with its exact error."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


class Pool:
    """Groups of records, numbered in the order in which they came.

    Parameters
    ----------
    points : float64[n, d]
        The records.

    Examples
    --------
    >>> pool = Pool(np.array([[0.0], [2.0], [9.0]]))
    >>> pool.add([np.array([1, 0]), np.array([0, 1])]), pool.errors.tolist()
    (1, [2.0])
    """

    def __init__(self, points: Floats) -> None:
        self._points = points
        self._seen: set[bytes] = set()
        self._errors: list[float] = []
        self.groups: list[Rows] = []

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def errors(self) -> Floats:
        """The error of each group: the sum of squared distances to its mean."""
        return np.array(self._errors)

    def add(self, groups: Iterable[Rows]) -> int:
        """Take in groups; returns how many of them are new."""
        before = len(self)
        for group in groups:
            rows = np.sort(group).astype(np.int64)
            if rows.tobytes() not in self._seen:
                self._seen.add(rows.tobytes())
                self._errors.append(error_of(self._points[rows]))
                self.groups.append(rows)
        return len(self) - before


def error_of(values: Floats) -> float:
    """Return the sum of squared distances of some records to their mean."""
    return float(np.sum((values - values.mean(axis=0)) ** 2))
