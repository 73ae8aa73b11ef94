"""The pool: every good group seen, each once, with its exact error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from microagg.typing import Floats, Rows


class CandidateGroups:
    """Groups of records, numbered in the order in which they came.

    Parameters
    ----------
    points : float64[n, d]
        The records.

    Examples
    --------
    >>> pool = CandidateGroups(np.array([[0.0], [2.0], [9.0]]))
    >>> pool.add([np.array([1, 0]), np.array([0, 1])]), pool.errors.tolist()
    (1, [2.0])
    """

    def __init__(self, points: Floats) -> None:
        self._points = points
        self._seen: set[bytes] = set()
        self._errors: list[Floats] = [np.empty(0)]
        self._blocks: dict[int, list[tuple[Rows, Rows]]] = defaultdict(list)
        self.groups: list[Rows] = []

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def errors(self) -> Floats:
        """The error of each group: the sum of squared distances to its mean."""
        self._errors = [np.concatenate(self._errors)]
        return self._errors[0]

    def costs(self, prices: Floats) -> Floats:
        """Return the error of each group less the prices of its records."""
        costs = self.errors.copy()
        for blocks in self._blocks.values():
            for numbers, rows in blocks:
                costs[numbers] -= prices[rows].sum(axis=1)
        return costs

    def add(self, groups: Iterable[Rows]) -> int:
        """Take in groups, each int64[s], or int64[m, s] of one size; returns how many are new."""
        before = len(self)
        by_size: dict[int, list[Rows]] = defaultdict(list)
        for rows in groups:
            by_size[rows.shape[-1]].append(np.atleast_2d(rows))
        for parts in by_size.values():
            self._add(np.sort(np.concatenate(parts).astype(np.int64), axis=1))
        return len(self) - before

    def _add(self, rows: Rows) -> None:
        """Take in groups of one size, their rows in order."""
        fresh = []
        for number, key in enumerate(rows.view(f"V{8 * rows.shape[1]}").ravel().tolist()):
            if key not in self._seen:
                self._seen.add(key)
                fresh.append(number)
        new = rows[fresh]
        self._blocks[rows.shape[1]].append((np.arange(len(self), len(self) + len(new)), new))
        self._errors.append(errors_of(self._points[new]))
        self.groups.extend(new)


def errors_of(values: Floats) -> Floats:
    """Return the sums of squared distances to the means, of groups float64[m, s, d]."""
    apart = values - values[:, :1]  # equal records lose nothing at all
    errors: Floats = np.sum((apart - apart.mean(axis=1, keepdims=True)) ** 2, axis=(1, 2))
    return errors
