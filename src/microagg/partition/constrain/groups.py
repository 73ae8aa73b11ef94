"""The groups while they are changed: members, means, and how far each is from the limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.partition.constrain.column import ConfidentialColumn, Floats
from microagg.partition.constrain.limits import Limits, Rows

BLOCK = 256
"""Groups whose distances to all others are computed at once."""


class Groups:
    """Groups of records, with the confidential values that each holds.

    Attributes
    ----------
    X : float64[n, d]
        The records.
    members : list of int64 arrays
        The rows of each group; empty when it is gone.
    means : float64[g, d]
        Infinite where a group is gone, so that it is near nothing.
    sizes, stratum : int64[g]
        The number of records, and the part that a group may not leave.
    violation : float64[g]
        How far each is from the limits.
    """

    def __init__(
        self,
        X: Floats,
        labels: NDArray[np.int32],
        columns: Sequence[ConfidentialColumn],
        limits: Limits,
        strata: Rows | None,
    ) -> None:
        self.X, self.columns, self.limits = X, tuple(columns), limits
        order = np.argsort(labels, kind="stable")
        self.sizes = np.bincount(labels)
        self.members = np.split(order, np.cumsum(self.sizes)[:-1])
        self.means = np.add.reduceat(X[order], np.cumsum(self.sizes) - self.sizes, axis=0)
        self.means /= self.sizes[:, None]
        first = np.array([rows[0] for rows in self.members])
        self.stratum = np.zeros_like(first) if strata is None else strata[first]
        self.violation = np.zeros(self.sizes.size)
        for size in np.unique(self.sizes):
            same = np.flatnonzero(self.sizes == size)
            self.violation[same] = self.violation_of(np.stack([self.members[g] for g in same]))

    def violation_of(self, rows: Rows) -> Floats:
        """Return how far groups of the same size are from the limits; a row of records a group."""
        codes = [np.sort(column.codes[rows], axis=1) for column in self.columns]
        return self.limits.violation(self.columns, codes)

    def failing(self) -> Rows:
        """Return the groups that break a limit, the worst first."""
        found = np.flatnonzero(self.violation > 0)
        worst: Rows = found[np.argsort(-self.violation[found], kind="stable")]
        return worst

    def set_members(self, group: int, rows: Rows) -> None:
        """Give a group other members, or none."""
        self.members[group], self.sizes[group] = rows, rows.size
        if rows.size:
            self.means[group] = self.X[rows].mean(axis=0)
            self.violation[group] = self.violation_of(rows[None, :])[0]
        else:
            self.means[group], self.violation[group] = np.inf, 0.0

    def union_cost(self, group: int, others: Rows) -> Floats:
        """Return what a union with each of the others adds to the squared error.

        It is n_x n_y / (n_x + n_y) |c_x - c_y|².
        """
        size, sizes = self.sizes[group], self.sizes[others]
        gaps = ((self.means[others] - self.means[group]) ** 2).sum(axis=1)
        cost: Floats = gaps * (size * sizes / (size + sizes))
        return cost

    def exchange_cost(self, group: int, ours: Rows, theirs: Rows, home: Rows) -> Floats:
        """Return what each exchange adds to the squared error, a row a record of ours.

        For x of ours and y of theirs, from the group `home`, it is
        |x - c_y|² - |x - c_x|² + |y - c_x|² - |y - c_y|² - |x - y|² (1/n_x + 1/n_y).
        """
        x, y = self.X[ours], self.X[theirs]
        c_x, c_y = self.means[group], self.means[home]
        cost: Floats = -2.0 * (x @ (c_y - c_x).T) + (c_y**2).sum(axis=1) - (c_x**2).sum()
        cost += ((y - c_x) ** 2).sum(axis=1) - ((y - c_y) ** 2).sum(axis=1)
        apart = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2.0 * (x @ y.T)
        cost -= apart * (1.0 / self.sizes[group] + 1.0 / self.sizes[home])
        return cost

    def alike(self, ours: Rows, theirs: Rows) -> NDArray[np.bool_]:
        """Tell which records have the same confidential values, a row a record of ours."""
        same = np.ones((ours.size, theirs.size), dtype=bool)
        for column in self.columns:
            same &= column.codes[ours][:, None] == column.codes[theirs]
        return same

    def records_of(self, some: Rows) -> tuple[Rows, Rows]:
        """Return the records of some groups, and the group of each."""
        rows = np.concatenate([self.members[group] for group in some])
        return rows, np.repeat(some, self.sizes[some])

    def exchange(self, group: int, other: int, ours: int, theirs: int) -> None:
        """Let two groups exchange a record each."""
        for which, out, into in ((group, ours, theirs), (other, theirs, ours)):
            rows = self.members[which].copy()
            rows[rows == out] = into
            self.set_members(which, rows)

    def labels(self) -> NDArray[np.int32]:
        """Return the group of each record, numbered from 0 without a gap."""
        found = np.empty(len(self.X), dtype=np.int32)
        for number, rows in enumerate(rows for rows in self.members if rows.size):
            found[rows] = number
        return found

    def near(self, wanted: Rows, width: int) -> list[Rows]:
        """Return for each wanted group the `width` others of its stratum whose means are nearest."""
        found: dict[int, Rows] = {}
        for stratum in np.unique(self.stratum[wanted]):
            inside = np.flatnonzero((self.stratum == stratum) & (self.sizes > 0))
            means = self.means[inside]
            here = wanted[self.stratum[wanted] == stratum]
            for block in np.split(here, np.arange(BLOCK, here.size, BLOCK)):
                gaps = _gaps(self.means[block], means)
                gaps[block[:, None] == inside] = np.inf
                for group, row in zip(block.tolist(), _smallest(gaps, width), strict=True):
                    found[group] = inside[row[inside[row] != group]]
        return [found[group] for group in wanted.tolist()]


def _gaps(some: Floats, others: Floats) -> Floats:
    """Squared distances between two sets of points."""
    gaps = np.zeros((len(some), len(others)))
    for one, other in zip(some.T, others.T, strict=True):
        difference = one[:, None] - other
        difference *= difference
        gaps += difference
    return gaps


def _smallest(gaps: Floats, width: int) -> Rows:
    """Return the columns of the `width` smallest of each row, the smallest first."""
    if width < gaps.shape[1]:
        few = np.argpartition(gaps, width - 1, axis=1)[:, :width]
    else:
        few = np.broadcast_to(np.arange(gaps.shape[1]), gaps.shape)
    order = np.argsort(np.take_along_axis(gaps, few, axis=1), axis=1, kind="stable")
    return np.take_along_axis(few, order, axis=1)
