"""A confidential column, as a constraint on groups sees it.

The same distances are measured on the release by `measure/diversity`. They are written twice on
purpose: what makes the groups must not be what judges them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microagg.typing import Codes, Floats

BINS = 16
"""Stretches of values, or sets of names, whose shares bound distances more closely than one number."""

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

    Attributes
    ----------
    scores : int64[n]
        A number for each record whose mean bounds the distance of a group: the code of an ordered value,
        and of names whether it is the most frequent one.
    """

    def __init__(self, name: str, codes: Codes, ordered: bool, share: Floats | None = None) -> None:
        self.name, self.codes, self.ordered = name, codes, ordered
        self.share = np.bincount(codes) / codes.size if share is None else share
        self.below = np.cumsum(self.share)
        self.sums = np.concatenate(([0.0], np.cumsum(self.below)))
        self.center = float(self.share @ np.arange(self.share.size))
        self.scores = codes if ordered else (codes == self.share.argmax()).astype(np.int64)
        self.score_of_all = self.center if ordered else float(self.share.max())
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
            apart = np.abs(np.cumsum(share) - self.below)[:-1]
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
            crossing = np.searchsorted(self.below, shares)
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
            apart = np.abs(self.below - np.rint(self.below * size) / size)[:-1]
            self._nearest[size] = float(apart.sum() / (self.values - 1))
        return self._nearest[size]

    def distance_at_least(self, means: Floats) -> Floats:
        """Return distances that groups are not below, by the mean score of each.

        Moving all records by one value costs 1/(m-1), and so does moving their mean. The distance of names
        is at least the difference in the share of any one.

        Examples
        --------
        >>> ill = ConfidentialColumn("ill", np.array([0, 0, 0, 1]), ordered=False)
        >>> ill.distance_at_least(np.array([0.5, 1.0]))
        array([0.25, 0.25])
        """
        if self.values == 1:
            return np.zeros(len(means))
        steps = self.values - 1 if self.ordered else 1
        moved: Floats = np.abs(means - self.score_of_all) / steps
        return moved

    @cached_property
    def _bin_of_value(self) -> Codes:
        """The bin of each value: stretches of values, and of names the most frequent and all others."""
        if self.ordered:
            return np.arange(self.values) * BINS // self.values
        rank = np.empty(self.values, dtype=np.int64)
        rank[np.argsort(-self.share, kind="stable")] = np.arange(self.values)
        return np.minimum(rank, BINS - 1)

    def in_bins(self, codes: Codes) -> Iterator[Codes]:
        """Yield for each bin a number for each record, whose means bound the distance of a group.

        For names, it is whether the record is in the bin. For values in an order, it is how many values of
        the bin have this record in their cumulative share; that of the last value is always 1.
        """
        bins = self._bin_of_value
        for which in range(BINS):
            if not self.ordered:
                yield (bins == which).astype(np.int64)[codes]
                continue
            first, end = self._starts[which : which + 2]
            yield np.clip(end - codes, 0, end - first)

    def far_by_bins(self, means: Floats) -> Floats:
        """Return distances that groups are not below, by the means of `in_bins`, one row per bin.

        Shares that differ by more in one part of a bin than in all of it only add to the distance.

        Examples
        --------
        >>> pay = ConfidentialColumn("pay", np.arange(4), ordered=True)
        >>> pay.far_by_bins(np.array([[each.mean()] for each in pay.in_bins(np.array([0, 3]))]))
        array([0.16666667])
        """
        if self.values == 1:
            return np.zeros(means.shape[1])
        apart = np.abs(means - self.bins_of_all[:, None]).sum(axis=0)
        return np.asarray(apart / (self.values - 1 if self.ordered else 2))

    @cached_property
    def bins_of_all(self) -> Floats:
        """The means of `in_bins` over all records, by the shares of the values."""
        if self.ordered:
            return np.diff(self.sums[self._starts])
        shares = np.bincount(self._bin_of_value, self.share, minlength=BINS)
        return np.asarray(shares, dtype=np.float64)

    @cached_property
    def _starts(self) -> Codes:
        """The first value of each bin of values in an order, and the last of all values."""
        starts = np.searchsorted(self._bin_of_value, np.arange(BINS + 1))
        return np.minimum(starts, self.values - 1)

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
