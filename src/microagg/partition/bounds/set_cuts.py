"""Set cuts: a set T of records contains at most |T| // k whole groups.

With c = k - |T| mod k, for every partition and every set T

    sum over i, j in T of Z_ij  +  c times the sum over i in T of Z_ii  <=  |T| + c (|T| // k).

A group of s records, a of them in T, adds a (a + c) / s to the left: a + c if it lies within T. Beyond the
a, whose sum is |T|, a group adds at most c if a >= k, and at most h(a) = max(0, a (a + c - k) / k) where
a < k. Since h is convex, h(0) = 0 and h(k) = c, the sum of what is added beyond is largest where as many
groups as possible have k records in T, |T| // k of them, and another has the |T| mod k records that are
left: for these h is 0.

The cuts matter where records form clusters whose size is not a multiple of k: twelve records make one group
for k = 10, whereas the relaxation without the cut counts 1.2 of them. As for triangle cuts, each cut has a
charge of at least 0, which never raises the cost of a partition.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from microagg.engine import Array, on_host
from microagg.typing import Floats, Rows

VIOLATED = 0.02
"""By how many groups a cut must be violated to be added."""

SETS_OF_A_RECORD = 2
"""New cuts that one record may be in at a time."""

MOST_RECORDS = 200
"""Records of a set at most, unless the smallest useful set has more."""

FASTER, SLOWER, FASTEST = 1.1, 0.5, 30.0
"""A charge that keeps moving in one direction takes longer steps, up to so many times as long; one that
turns takes shorter ones."""

TAKEN = 1e9
"""Keeps records that are in a set from joining it again."""


class SetCuts:
    """Set cuts and their charges.

    Attributes
    ----------
    sets : list of int64[s]
        The records of each set, in order.
    charges : float64[m]
        The multiplier of each.
    """

    def __init__(self, n: int, k: int, xp: ModuleType = np) -> None:
        self._n, self._k, self._xp = n, k, xp
        self._steps = self._haste = self._before = xp.zeros(0)
        self._set([], xp.zeros(0))

    def __len__(self) -> int:
        return len(self.sets)

    def _set(self, sets: list[Rows], charges: Array) -> None:
        xp = self._xp
        self.sets, self.charges = sets, charges
        places, owners, factors = places_of(sets, self._n, self._k)
        self._places, self._owners = xp.asarray(places), xp.asarray(owners)
        self._factors = xp.asarray(factors)
        self.limits = xp.asarray(set_limits(sets, self._k))

    def costs(self) -> Array:
        """Return what the charges add to the costs."""
        charges = self._factors * self.charges[self._owners]
        return set_costs(self._n, self._places, charges, self._xp)

    def constant(self) -> float:
        """Return what the charges take off every bound."""
        return float(self.charges @ self.limits)

    def scale(self, factor: float) -> None:
        """Multiply the steps of all charges by a factor."""
        self._steps = factor * self._steps

    def move(self, matrix: Array, share: float) -> None:
        """Move the charges by how much a matrix violates the cuts, times their steps and `share`."""
        xp, excess = self._xp, self._violation(matrix)
        onwards = xp.where(excess * self._before > 0, FASTER, SLOWER)
        self._haste = xp.clip(self._haste * onwards, 1.0, FASTEST)
        self._before = excess
        self.charges = xp.maximum(self.charges + share * self._haste * self._steps * excess, 0.0)

    def _violation(self, matrix: Array) -> Array:
        entries = 2 * self._factors * matrix.ravel()[self._places]
        sums = self._xp.bincount(self._owners, entries, len(self.sets))
        return sums - self._k * self.limits

    def renew(self, matrix: Array, weights: Array) -> int:
        """Drop the cuts without charge, and add some that a matrix violates; count these.

        Parameters
        ----------
        matrix : float64[n, n]
            Where entries are at most 1.
        weights : float64[n]
            r, where the entry ij moves with the weight r_i r_j: what steps depend on.
        """
        xp = self._xp
        kept = xp.zeros(0, dtype=bool)
        if self.sets:
            kept = (self.charges > 0) | (self._violation(matrix) > 0)
        sets = [rows for rows, keep in zip(self.sets, on_host(kept), strict=True) if keep]
        new = self._violated(matrix, {rows.tobytes() for rows in sets})
        none = xp.zeros(len(new))
        self._haste = xp.concatenate((self._haste[kept], none + 1.0))
        self._before = xp.concatenate((self._before[kept], none))
        self._set(sets + new, xp.concatenate((self.charges[kept], none)))
        self.weigh(weights)
        return len(new)

    def take(self, sets: list[Rows], charges: Array, weights: Array) -> None:
        """Begin with these cuts and charges."""
        self._set(sets, charges)
        self._haste, self._before = self._xp.ones(len(sets)), self._xp.zeros(len(sets))
        self.weigh(weights)

    def weigh(self, weights: Array) -> None:
        """Choose the steps of the charges for these weights of the records."""
        self._steps = self._step_sizes(weights)

    def _violated(self, matrix: Array, present: set[bytes]) -> list[Rows]:
        """Return violated cuts of records with large entries in one row, the worst first."""
        near, excess = _grown(matrix, self._k, self._xp)
        worst = np.argsort(-excess, axis=None, kind="stable")
        used, chosen = np.zeros(self._n, dtype=np.int64), []
        for row, last in zip(*np.unravel_index(worst, excess.shape), strict=True):
            if excess[row, last] <= VIOLATED:
                break
            rows = np.sort(near[row, : last + 1])
            if used[rows].max() >= SETS_OF_A_RECORD or rows.tobytes() in present:
                continue
            used[rows] += 1
            present.add(rows.tobytes())
            chosen.append(rows)
        return chosen

    def _step_sizes(self, weights: Array) -> Array:
        """Return a step for each cut: the smaller, the more cuts share its entries."""
        xp, n = self._xp, self._n
        if not self.sets:
            return xp.zeros(0)
        i, j = self._places // n, self._places % n
        factors = self._factors * xp.where(i == j, 2, 1)  # what a charge adds to the entry
        sharing = xp.bincount(self._places, factors, n * n)[self._places]
        shares = sharing * factors * xp.where(i == j, 1, 2) / (weights[i] * weights[j])
        return 1 / xp.bincount(self._owners, shares, len(self.sets))


def _grown(matrix: Array, k: int, xp: ModuleType) -> tuple[Rows, Floats]:
    """Grow a set from each record, and return the records in order and the excess of each size.

    Every set takes in the record with the largest sum of entries to it. Of the excess over the limit, only
    the largest for each number of whole groups is kept.
    """
    n = len(matrix)
    most = min(n, max(2 * k - 1, MOST_RECORDS))
    every = xp.arange(n)
    own = matrix[every, every].copy()
    near, gains = xp.empty((n, most), dtype=xp.int64), xp.empty((n, most))
    near[:, 0], gains[:, 0] = every, own
    sums = matrix.copy()  # of the entries between a set and every record
    sums[every, every] -= TAKEN
    for size in range(1, most):
        last = sums.argmax(axis=1)
        near[:, size], gains[:, size] = last, 2 * sums[every, last] + own[last]
        sums += matrix[last]
        sums[every, last] -= TAKEN
    sizes = np.arange(1, most + 1)
    weights = xp.asarray(own_weights(sizes, k))
    within = xp.cumsum(gains, axis=1) + weights * xp.cumsum(own[near], axis=1)
    excess = (within / k - xp.asarray(sizes)) / weights - xp.asarray(sizes // k)
    return on_host(near), _worst_of_each_number(on_host(excess), k)


def _worst_of_each_number(excess: Floats, k: int) -> Floats:
    """Keep the largest excess among the sets of one number of whole groups in each row."""
    kept = np.full_like(excess, -1.0)
    for first in range(k - 1, excess.shape[1], k):
        part = excess[:, first : first + k]
        at = (np.arange(len(part)), part.argmax(axis=1))
        kept[at[0], first + at[1]] = part[at]
    return kept


def own_weights(sizes: Rows, k: int) -> Rows:
    """Return c of sets of these sizes.

    Examples
    --------
    >>> own_weights(np.array([10, 12, 19]), 10).tolist()
    [10, 8, 1]
    """
    return k - sizes % k


def set_limits(sets: Sequence[Rows], k: int) -> Floats:
    """Return the right side of each cut.

    Examples
    --------
    >>> set_limits([np.arange(12)], 5).tolist()
    [18.0]
    """
    sizes = np.array([len(rows) for rows in sets], dtype=np.int64)
    return (sizes + own_weights(sizes, k) * (sizes // k)).astype(float)


def places_of(sets: Sequence[Rows], n: int, k: int) -> tuple[Rows, Rows, Floats]:
    """Return the entries i <= j of each set, whose they are, and half of what their cut multiplies them by.

    The matrix is taken row after row; an entry off the diagonal stands for two.

    Examples
    --------
    >>> places, owners, factors = places_of([np.array([0, 2])], 3, 3)
    >>> places.tolist(), owners.tolist(), factors.tolist()
    ([0, 2, 8], [0, 0, 0], [1.0, 1.0, 1.0])
    """
    none = np.empty(0, dtype=np.int64)
    places, owners, factors = [none], [none], [np.empty(0)]
    for number, rows in enumerate(sets):
        i, j = np.triu_indices(len(rows))
        places.append(rows[i] * n + rows[j])
        owners.append(np.full(len(i), number))
        factors.append(np.where(i == j, (1 + k - len(rows) % k) / 2, 1.0))
    return np.concatenate(places), np.concatenate(owners), np.concatenate(factors)


def set_costs(n: int, places: Array, charges: Array, xp: ModuleType = np) -> Array:
    """Return the symmetric matrix of what charges of cuts add to the costs of entries.

    Examples
    --------
    >>> places, _, factors = places_of([np.array([0, 2])], 3, 3)
    >>> set_costs(3, places, 0.5 * factors).tolist()
    [[1.0, 0.0, 0.5], [0.0, 0.0, 0.0], [0.5, 0.0, 1.0]]
    """
    costs = xp.bincount(places, charges, n * n).reshape(n, n)
    return costs + costs.T
