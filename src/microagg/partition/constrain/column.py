"""A confidential column, as a constraint on groups sees it.

The same distances are measured on the release by `measure/diversity`. They are written twice on
purpose: what makes the groups must not be what judges them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.typing import Codes, Floats

SMALL = 256
"""Groups of up to this size are common: what depends on their size alone is computed once."""


class ConfidentialColumn:
    """Codes of the values of a confidential column, and their shares among all records.

    Parameters
    ----------
    name : str
        For messages.
    codes : int64[n]
        One number a value, from 0 without a gap, in the order of the values.
    ordered : bool
        Whether that order means something: numbers yes, categories no.
    share : float64[values], optional
        The share of each value among all records, where these records are a part of all.
    """

    def __init__(self, name: str, codes: Codes, ordered: bool, share: Floats | None = None) -> None:
        self.name, self.codes, self.ordered = name, codes, ordered
        self.share = np.bincount(codes) / codes.size if share is None else share
        self._below = np.cumsum(self.share)
        self.sums = np.concatenate(([0.0], np.cumsum(self._below)))
        self._center = float(self.share @ np.arange(self.share.size))
        self._crossings: dict[int, Codes] = {}
        self._nearest: dict[int, float] = {}

    @property
    def values(self) -> int:
        """How many different values there are."""
        return int(self.share.size)

    def subset(self, rows: NDArray[np.integer]) -> ConfidentialColumn:
        """Return the column of some records, with the shares of all."""
        return ConfidentialColumn(self.name, self.codes[rows], self.ordered, self.share)

    def distinct(self, groups: Codes) -> Codes:
        """Return how many values each group has; one row per group, its codes sorted."""
        distinct: Codes = 1 + np.count_nonzero(np.diff(groups, axis=1), axis=1)
        return distinct

    def distance(self, groups: Codes) -> Floats:
        """Return the earth mover's distance of each group to all records; rows as above.

        Examples
        --------
        >>> ill = ConfidentialColumn("ill", np.array([0, 0, 0, 1]), ordered=False)
        >>> ill.distance(np.array([[0, 0], [0, 1]]))
        array([0.25, 0.25])
        """
        if self.values == 1:
            return np.zeros(len(groups))
        return self._ordered(groups) if self.ordered else self._nominal(groups)

    def distance_of(self, share: Floats) -> float:
        """Return the distance of records whose values have these shares to all records.

        Examples
        --------
        >>> ill = ConfidentialColumn("ill", np.array([0, 0, 0, 1]), ordered=False)
        >>> ill.distance_of(np.array([0.5, 0.5]))
        0.25
        """
        if self.values == 1:
            return 0.0
        if self.ordered:
            apart = np.abs(np.cumsum(share) - self._below)[:-1]
            return float(apart.sum() / (self.values - 1))
        return float(max(1.0 - np.minimum(share, self.share).sum(), 0.0))

    def _nominal(self, groups: Codes) -> Floats:
        """Every change costs 1: 1 - sum of min(p, q), added up occurrence by occurrence."""
        size = groups.shape[1]
        at = np.arange(size)
        first = np.diff(groups, axis=1, prepend=-1) != 0
        before = at - np.maximum.accumulate(np.where(first, at, 0), axis=1)
        q = self.share[groups]
        shared = np.minimum((before + 1) / size, q) - np.minimum(before / size, q)
        distances: Floats = np.maximum(1.0 - shared.sum(axis=1), 0.0)
        return distances

    def _ordered(self, groups: Codes) -> Floats:
        """A step between neighbouring values costs 1/(m-1): mean |P - Q| of cumulative shares.

        Between two of its own values the cumulative share P of a group stays, while that of all
        records, Q, rises; so each stretch is summed at once, in two parts where they cross.
        """
        size, last = groups.shape[1], self.values - 1
        P = np.arange(1, size + 1) / size
        end = np.empty_like(groups)
        end[:, :-1], end[:, -1] = groups[:, 1:], last
        cross = np.minimum(np.maximum(self.crossing(size, P), groups), end)
        sums = self.sums
        under = (cross - groups) * P - (sums[cross] - sums[groups])
        over = (sums[end] - sums[cross]) - (end - cross) * P
        distances: Floats = (sums[groups[:, 0]] + (under + over).sum(axis=1)) / last
        return distances

    def crossing(self, size: int, shares: Floats) -> Codes:
        """Return the first value up to which all records have at least each share of such a group."""
        crossing = self._crossings.get(size)
        if crossing is None:
            crossing = np.searchsorted(self._below, shares)
            if size <= SMALL:
                self._crossings[size] = crossing
        return crossing

    def least_distance(self, size: int) -> float:
        """Return a distance that no group of this size is below, whatever its records.

        Its cumulative shares are multiples of 1/size, so each is as far from that of all records as the
        nearest multiple at least. Of names, 0 is returned.

        Examples
        --------
        >>> pay = ConfidentialColumn("pay", np.arange(4), ordered=True)
        >>> pay.least_distance(2), pay.least_distance(4)
        (0.16666666666666666, 0.0)
        """
        if not self.ordered or self.values == 1:
            return 0.0
        if size not in self._nearest:
            apart = np.abs(self._below - np.rint(self._below * size) / size)[:-1]
            self._nearest[size] = float(apart.sum() / (self.values - 1))
        return self._nearest[size]

    def distance_at_least(self, groups: Codes) -> Floats:
        """Return a distance that no group is below, from the mean of its codes; these need not be sorted.

        Moving all records by one value costs 1/(m-1), and so does moving their mean. Of names, it is 0.
        """
        if not self.ordered or self.values == 1:
            return np.zeros(len(groups))
        moved: Floats = np.abs(groups.mean(axis=1) - self._center) / (self.values - 1)
        return moved

    def most_moved(self, ours: Codes, theirs: Codes, size: int) -> Floats:
        """Return how much each exchange can change a distance at most, one row per own record."""
        if not self.ordered:
            return np.full((ours.size, theirs.size), 1.0 / size)
        steps = np.abs(ours[:, None] - theirs)
        moved: Floats = steps / (size * max(self.values - 1, 1))
        return moved


class UnitColumn(ConfidentialColumn):
    """The unit of each record, of which every group must have so many different ones."""

    def __init__(self, units: Codes) -> None:
        super().__init__("unit", np.unique(units, return_inverse=True)[1], ordered=False)
