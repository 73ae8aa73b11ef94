"""A confidential column, as a constraint on groups sees it.

The same distances are measured on the release by `measure/diversity`. They are written twice on
purpose: what makes the groups must not be what judges them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.typing import Codes, Floats


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
        self._sums = np.concatenate(([0.0], np.cumsum(self._below)))

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
        end = np.concatenate((groups[:, 1:], np.full((len(groups), 1), last)), axis=1)
        cross = np.clip(np.searchsorted(self._below, P), groups, end)
        sums = self._sums
        under = (cross - groups) * P - (sums[cross] - sums[groups])
        over = (sums[end] - sums[cross]) - (end - cross) * P
        distances: Floats = (sums[groups[:, 0]] + (under + over).sum(axis=1)) / last
        return distances


class UnitColumn(ConfidentialColumn):
    """The unit of each record, of which every group must have so many different ones."""

    def __init__(self, units: Codes) -> None:
        super().__init__("unit", np.unique(units, return_inverse=True)[1], ordered=False)
