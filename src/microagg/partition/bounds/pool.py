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
                self._errors.append(float(errors_of(self._points[rows][np.newaxis])[0]))
                self.groups.append(rows)
        return len(self) - before


def errors_of(values: Floats) -> Floats:
    """Return the sums of squared distances to the means, of groups float64[m, s, d]."""
    errors: Floats = np.sum((values - values.mean(axis=1, keepdims=True)) ** 2, axis=(1, 2))
    return errors
