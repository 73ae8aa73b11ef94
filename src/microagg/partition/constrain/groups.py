"""The groups while they are changed: members, means, and by how much each violates the limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.partition.constrain.column import ConfidentialColumn
from microagg.partition.constrain.limits import Limits
from microagg.typing import Codes, Floats, Rows

BLOCK = 256
"""Groups whose distances to all others are computed at once."""

MOST_COMPARED = 4_096
"""Up to so many groups of a stratum are all compared with each other; more are searched with a tree."""

WIDE = 64
"""Records of a group that are considered for an exchange, so that large groups take no longer."""

ONE_THREAD = 200_000
"""Multiplications that libraries of linear algebra leave to one thread."""

FEW_COORDINATES = 20
"""Coordinates with which a tree is faster than comparing all means."""

TILE = 64
"""Points whose products with very many others are computed together."""

FAR = 1_000
"""Coordinates whose mean is so many times their largest deviation from it are moved to zero."""


class ConstrainedGroups:
    """Groups of records, with the confidential values of each.

    Attributes
    ----------
    X : float64[n, d]
        The records.
    members : list of int64 arrays
        The rows of each group; empty for a group that is gone.
    classes : int64[n]
        One number for each combination of confidential values.
    means, squares : float64[g, d], float64[g]
        The mean of each group and its squared length; undefined for a group that is gone.
    sizes, stratum : int64[g]
        The number of records, and the part that a group may not leave.
    violation : float64[g]
        By how much each violates the limits.
    """

    def __init__(
        self,
        X: Floats,
        labels: NDArray[np.int32],
        columns: Sequence[ConfidentialColumn],
        limits: Limits,
        strata: Rows | None,
    ) -> None:
        self.X, self.columns, self.limits = _around_zero(X), tuple(columns), limits
        order = np.argsort(labels, kind="stable")
        self.sizes = np.bincount(labels)
        self.members = np.split(order, np.cumsum(self.sizes)[:-1])
        self._members_before = list(self.members)
        self.means = np.add.reduceat(self.X[order], np.cumsum(self.sizes) - self.sizes, axis=0)
        self.means /= self.sizes[:, None]
        self.squares = (self.means**2).sum(axis=1)
        self.classes = combined([column.codes for column in self.columns])
        first = np.array([rows[0] for rows in self.members])
        self.stratum = np.zeros_like(first) if strata is None else strata[first]
        self.violation = np.zeros(self.sizes.size)
        for size in np.unique(self.sizes):
            same = np.flatnonzero(self.sizes == size)
            self.violation[same] = self.violation_of(np.stack([self.members[g] for g in same]))

    def violation_of(self, rows: Rows) -> Floats:
        """Return the violations of groups of the same size, one row of records for each group."""
        codes = [np.sort(column.codes[rows], axis=1) for column in self.columns]
        return self.limits.violation(self.columns, codes)

    def satisfy(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell which groups of the same size satisfy the limits, one row of records for each group."""
        satisfied = np.zeros(len(rows), dtype=bool)
        if self.in_reach([rows.shape[1]]):
            maybe = np.flatnonzero(~self.limits.surely_broken(self.columns, rows))
            if maybe.size:
                satisfied[maybe] = self.violation_of(rows[maybe]) <= 0
        return satisfied

    def failing(self) -> Rows:
        """Return the groups that violate a limit, the worst first."""
        failing = np.flatnonzero(self.violation > 0)
        worst: Rows = failing[np.argsort(-self.violation[failing], kind="stable")]
        return worst

    def changed(self) -> Rows:
        """Return the groups that do not have the members they were given."""
        unchanged = len(self._members_before)
        changed = [
            group
            for group, rows in enumerate(self.members)
            if rows.size and (group >= unchanged or rows is not self._members_before[group])
        ]
        return np.array(changed, dtype=np.int64)

    def new_numbers(self, count: int) -> list[int]:
        """Return numbers for more groups: those of groups that are gone, and new ones."""
        numbers = np.flatnonzero(self.sizes == 0)[:count].tolist()
        more, before = count - len(numbers), self.sizes.size
        if more > 0:
            self.members += [np.empty(0, dtype=np.int64)] * more
            self.means = np.vstack([self.means, np.zeros((more, self.X.shape[1]))])
            for name in ("sizes", "stratum", "squares", "violation"):
                own = getattr(self, name)
                setattr(self, name, np.append(own, np.zeros(more, dtype=own.dtype)))
        return [*numbers, *range(before, before + more)]

    def update_sizes(self) -> None:
        """Compute sizes, means and violations of all groups that do not have the members they had."""
        changed = self.changed()
        self.sizes[changed] = [self.members[group].size for group in changed]
        self._update(changed)

    def set_members(self, group: int, rows: Rows) -> None:
        """Give a group other members, or none."""
        self.members[group], self.sizes[group] = rows, rows.size
        self.violation[group] = 0.0
        if rows.size:
            self.means[group] = self.X[rows].mean(axis=0)
            self.squares[group] = (self.means[group] ** 2).sum()
            self.violation[group] = self.violation_of(rows[None, :])[0]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the groups as the kernel has them; the means and violations are those of the groups."""
        rows = np.full((self.sizes.size, max(WIDE, int(self.sizes.max()))), -1, dtype=np.int64)
        for group, members in enumerate(self.members):
            rows[group, : members.size] = members
        never = np.full(self.sizes.size, -1, dtype=np.int64)
        return {
            "X": np.require(
                self.X, requirements=["C", "W"]
            ),  # one kind of array, also for one column
            "classes": self.classes,
            "rows": rows,
            "sizes": self.sizes,
            "means": self.means,
            "violation": self.violation,
            "changed": np.zeros_like(never),
            "in_vain": never,
        }

    def take_over(self, rows: Rows, some: Rows) -> None:
        """Give some groups the members in `rows`, one row per group, in which the sizes are the same."""
        for group in some.tolist():
            self.members[group] = rows[group, : self.sizes[group]].copy()
        if some.size:
            self._update(some)

    def join(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Let the second group of each pair take the records of the first; no group is in two pairs."""
        for group, other in pairs:
            self.members[other] = np.concatenate([self.members[group], self.members[other]])
            self.members[group] = np.empty(0, dtype=np.int64)
        gone, grown = np.array(pairs, dtype=np.int64).T
        self.sizes[grown] += self.sizes[gone]
        self.sizes[gone], self.violation[gone] = 0, 0.0
        self._update(grown)

    def _update(self, some: Rows) -> None:
        """Compute the means and the violations of groups anew."""
        for size in np.unique(self.sizes[some]):
            same = some[self.sizes[some] == size]
            rows = np.stack([self.members[group] for group in same])
            self.means[same] = self.X[rows].mean(axis=1)
            self.violation[same] = self.violation_of(rows)
        self.squares[some] = (self.means[some] ** 2).sum(axis=1)

    def in_reach(self, sizes: Iterable[int]) -> bool:
        """Return whether a group of any of these sizes can satisfy the limit on distances."""
        return any(self.limits.in_reach(self.columns, size) for size in sizes)

    def union_cost(self, group: int, others: Rows | slice) -> Floats:
        """Return what a union with each of the others adds to the squared error.

        It is n_x n_y / (n_x + n_y) |c_x - c_y|².
        """
        own = (self.means[group], self.squares[group], self.sizes[group])
        return union_costs(self.means[others], self.squares[others], self.sizes[others], *own)

    def exchange_cost(self, group: int, ours: Rows, theirs: Rows, home: Rows) -> Floats:
        """Return what each exchange adds to the squared error, one row per own record.

        For an own record x and another record y, from the group `home`, it is
        |x - c_y|² - |x - c_x|² + |y - c_x|² - |y - c_y|² - |x - y|² (1/n_x + 1/n_y).
        """
        x, y = self.X[ours], self.X[theirs]
        c_x, c_y = self.means[group], self.means[home]
        cost: Floats = -2.0 * _products(x, c_y - c_x) + (c_y**2).sum(axis=1) - (c_x**2).sum()
        cost += ((y - c_x) ** 2).sum(axis=1) - ((y - c_y) ** 2).sum(axis=1)
        apart = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2.0 * _products(x, y)
        cost -= apart * (1.0 / self.sizes[group] + 1.0 / self.sizes[home])
        return cost

    def alike(self, ours: Rows, theirs: Rows) -> NDArray[np.bool_]:
        """Return which records have the same confidential values, one row per own record."""
        same: NDArray[np.bool_] = self.classes[ours][:, None] == self.classes[theirs]
        return same

    def most_gained(self, group: int, ours: Rows, theirs: Rows) -> Floats:
        """Return what each exchange takes from the violation of a group at most, one row per own record."""
        most = self.limits.most_gained(self.columns, ours, theirs, int(self.sizes[group]))
        at_most: Floats = np.minimum(most, self.violation[group])
        return at_most

    def candidates(self, group: int, near: Rows) -> tuple[Rows, Rows, Rows]:
        """Return records of a group and of near ones that may be exchanged, and where these are.

        All of small groups; of large ones those that lie farthest on the other's side.
        """
        ours = self.members[group]
        if ours.size > WIDE:
            beyond = [self._side(ours, group, int(other)) for other in near]
            ours = self._foremost(ours, np.min(beyond, axis=0))
        theirs = []
        for other in near.tolist():
            rows = self.members[other]
            if rows.size > WIDE:
                rows = self._foremost(rows, self._side(rows, other, group))
            theirs.append(rows)
        return ours, np.concatenate(theirs), np.repeat(near, [rows.size for rows in theirs])

    def _side(self, rows: Rows, own: int, other: int) -> Floats:
        """Return how much nearer records are to the mean of their own group than to another's."""
        there = self.squares[other] - self.squares[own]
        apart: Floats = there - 2.0 * (self.X[rows] @ (self.means[other] - self.means[own]))
        return apart

    def _foremost(self, rows: Rows, score: Floats) -> Rows:
        """Return WIDE records of lowest score, as many of each class as there are, in turn."""
        order = np.lexsort((score, self.classes[rows]))
        first = np.flatnonzero(np.diff(self.classes[rows][order], prepend=-1))
        turn = np.arange(rows.size) - np.repeat(first, np.diff(first, append=rows.size))
        foremost: Rows = rows[np.sort(order[np.lexsort((score[order], turn))[:WIDE]])]
        return foremost

    def exchange(self, group: int, other: int, ours: int, theirs: int) -> None:
        """Let two groups exchange a record each."""
        for which, out, into in ((group, ours, theirs), (other, theirs, ours)):
            rows = self.members[which].copy()
            rows[rows == out] = into
            self.set_members(which, rows)

    def labels(self) -> NDArray[np.int32]:
        """Return the group of each record, numbered from 0 without a gap."""
        labels = np.empty(len(self.X), dtype=np.int32)
        for number, rows in enumerate(rows for rows in self.members if rows.size):
            labels[rows] = number
        return labels

    def by_stratum(self, wanted: Rows) -> Iterator[tuple[Rows, Rows]]:
        """Yield for each stratum of wanted groups all of its groups, and the wanted ones."""
        left = np.flatnonzero(self.sizes > 0)
        left = left[np.argsort(self.stratum[left], kind="stable")]
        here = wanted[np.argsort(self.stratum[wanted], kind="stable")]
        for stratum in np.unique(self.stratum[wanted]):
            of_all, of_wanted = (
                slice(*np.searchsorted(self.stratum[some], [stratum, stratum + 1]).tolist())
                for some in (left, here)
            )
            yield left[of_all], here[of_wanted]

    def near(self, wanted: Rows, width: int) -> Iterator[Rows]:
        """Yield for each wanted group the `width` others of its stratum whose means are nearest.

        They are those at the time of the first, whatever changes in between.
        """
        strata = list(self.by_stratum(wanted))
        if len(strata) == 1:
            yield from self._near_in_stratum(strata[0][0], wanted, width)
            return
        nearest: dict[int, Rows] = {}
        for inside, here in strata:
            near = self._near_in_stratum(inside, here, width)
            nearest |= dict(zip(here.tolist(), near, strict=True))
        yield from (nearest[group] for group in wanted.tolist())

    def padded_near(self, wanted: Rows, width: int) -> Rows:
        """Return the same as a matrix, one row per group; -1 if there are fewer."""
        near = np.full((wanted.size, width), -1, dtype=np.int64)
        for at, row in enumerate(self.near(wanted, width)):
            near[at, : row.size] = row
        return near

    def _near_in_stratum(self, inside: Rows, wanted: Rows, width: int) -> Iterator[Rows]:
        """Yield the same for groups of one stratum, which has the groups `inside`."""
        if inside.size > MOST_COMPARED:
            nearest = self.nearest_means(inside, wanted, width)
            for block in _blocks(wanted, MOST_COMPARED // 2):
                near = inside[next(nearest)]
                for group, row in zip(block.tolist(), near, strict=True):
                    yield row[row != group][:width]
            return
        means, squares, own = self.means[inside], self.squares[inside], self.means[wanted]
        for block, points in zip(_blocks(wanted, BLOCK), _blocks(own, BLOCK), strict=True):
            gaps = squares - 2.0 * _products(points, means)
            gaps[block[:, None] == inside] = np.inf
            for group, row in zip(block.tolist(), inside[_smallest(gaps, width)], strict=True):
                yield row[row != group]

    def nearest_means(self, inside: Rows, wanted: Rows, width: int) -> Iterator[Rows]:
        """Yield where in `inside` the `width` + 1 means are that are nearest to that of each wanted group.

        The group itself is usually one of them; where many means are equal, it may not be. Each block
        of wanted groups is searched when it is asked for.
        """
        if self.X.shape[1] > FEW_COORDINATES:
            yield from self._compared(inside, wanted, width)
            return
        from scipy.spatial import cKDTree  # loaded where there are very many groups

        tree = cKDTree(self.means[inside])
        for points in _blocks(self.means[wanted], MOST_COMPARED // 2):
            yield tree.query(points, np.arange(width + 1) + 1)[1]

    def _compared(self, inside: Rows, wanted: Rows, width: int) -> Iterator[Rows]:
        """Yield the same by comparing all means, which takes less time than a tree of many dimensions."""
        means, squares = self.means[inside], self.squares[inside]
        for points in _blocks(self.means[wanted], MOST_COMPARED // 2):
            yield np.concatenate(
                [
                    _smallest(squares - 2.0 * _products(some, means), width + 1)
                    for some in _blocks(points, BLOCK)
                ]
            )


def _around_zero(X: Floats) -> Floats:
    """Return points without offsets that would cost digits: costs are differences of squares.

    Only records that were not scaled can have such offsets.
    """
    means = X.mean(axis=0)
    far = np.abs(means) > FAR * np.abs(X - means).max(axis=0)
    return X - np.where(far, means, 0.0) if far.any() else X


def union_costs(
    means: Floats, squares: Floats, sizes: NDArray[Any], mean: Floats, square: float, size: float
) -> Floats:
    """Return what a union of one group with each of some others adds to the squared error."""
    gaps = squares - 2.0 * _products_with(means, mean)
    cost: Floats = (gaps + square) * (size * sizes / (size + sizes))
    return cost


def _blocks(items: NDArray[Any], size: int) -> list[NDArray[Any]]:
    return np.split(items, np.arange(size, len(items), size))


def combined(codes: Sequence[Codes]) -> Codes:
    """Return a number for each record, the same for those that agree in all codes.

    Examples
    --------
    >>> combined([np.array([0, 1, 0]), np.array([2, 2, 2])])
    array([0, 1, 0])
    """
    if len(codes) == 1:  # sorted by their numbers, which is faster than by rows
        numbers = np.unique(codes[0], return_inverse=True)[1]
    else:
        numbers = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)[1]
    return numbers.reshape(-1).astype(np.int64)


def _products(few: Floats, many: Floats) -> Floats:
    """Return the scalar products of some points with others, one row for each of the first.

    The threads of a matrix product of few columns wait for each other longer than they work, above all
    on a busy machine, so it is computed in parts that are too small for more than one.
    """
    size = ONE_THREAD // many.size
    if size:
        return np.concatenate([block @ many.T for block in _blocks(few, size)])
    width = max(ONE_THREAD // (TILE * many.shape[1]), 1)
    products = np.empty((len(few), len(many)))
    for start in range(0, len(few), TILE):
        rows = slice(start, start + TILE)
        for left in range(0, len(many), width):
            columns = slice(left, left + width)
            products[rows, columns] = few[rows] @ many[columns].T
    return products


def _products_with(points: Floats, one: Floats) -> Floats:
    """Return the scalar products of some points with another, by one thread."""
    if points.size <= ONE_THREAD:
        return np.asarray(points @ one)
    return np.asarray(np.einsum("ij,j->i", points, one))


def _smallest(gaps: Floats, width: int) -> Rows:
    """Return the columns of the `width` smallest of each row, the smallest first."""
    if width < gaps.shape[1]:
        few = np.argpartition(gaps, width - 1, axis=1)[:, :width]
    else:
        few = np.broadcast_to(np.arange(gaps.shape[1]), gaps.shape)
    order = np.argsort(np.take_along_axis(gaps, few, axis=1), axis=1, kind="stable")
    return np.take_along_axis(few, order, axis=1)
