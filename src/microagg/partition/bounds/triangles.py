"""Triangle cuts: where j and h each share a group with i, they share one with each other.

For every partition and all i, j, h

    Z_ij + Z_ih  <=  Z_ii + Z_jh,

since both sides are multiples of 1/|G| for the group G of i. Each cut has a charge of at least 0, which is
added to the costs of the left and taken off those of the right: costs of partitions never rise by it.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from microagg.engine import Array

VIOLATED = 0.02
"""By how much of the largest entry a cut must be violated to be added."""

BLOCK_ENTRIES = 4_000_000
"""Entries of the table in which cuts are looked for at a time."""


class Triangles:
    """Triangle cuts and their charges.

    Attributes
    ----------
    triples : int64[m, 3]
        i, j, h of each cut, with j < h.
    charges : float64[m]
        The multiplier of each.
    """

    def __init__(self, n: int, xp: ModuleType = np) -> None:
        self._n, self._xp = n, xp
        self._steps = xp.zeros(0)
        self._set(xp.zeros((0, 3), dtype=xp.int64), xp.zeros(0))

    def __len__(self) -> int:
        return len(self.triples)

    def _set(self, triples: Array, charges: Array) -> None:
        self.triples, self.charges = triples, charges
        i, j, h = triples.T
        n = self._n
        self._places = self._xp.stack((i * n + j, i * n + h, j * n + h, i * n + i))

    def costs(self) -> Array:
        """Return what the charges add to the costs."""
        return charge_costs(self._n, self.triples, self.charges, self._xp)

    def scale(self, factor: float) -> None:
        """Multiply the steps of all charges by a factor."""
        self._steps = factor * self._steps

    def move(self, matrix: Array, share: float) -> None:
        """Move the charges by how much a matrix violates the cuts, times their steps and `share`."""
        self.charges = self._xp.maximum(
            self.charges + share * self._steps * self._violation(matrix), 0.0
        )

    def _violation(self, matrix: Array) -> Array:
        left, right, across, own = matrix.ravel()[self._places]
        return left + right - across - own

    def renew(self, matrix: Array, weights: Array, near: int, most: int) -> int:
        """Drop the cuts without charge, add up to `most` that a matrix violates; count these.

        Parameters
        ----------
        matrix : float64[n, n]
            Where entries are at most 1.
        weights : float64[n]
            r, where the entry ij moves with the weight r_i r_j: what steps depend on.
        near : int
            How many of the largest entries of each row to look at.
        most : int
            Cuts to add.
        """
        xp = self._xp
        kept = (self.charges > 0) | (self._violation(matrix) > 0)
        triples, charges = self.triples[kept], self.charges[kept]
        new, excess = self._violated(matrix, min(near, self._n - 1))
        fresh = ~xp.isin(self._codes(new), self._codes(triples))
        new, excess = new[fresh], excess[fresh]
        if len(new) > most:
            new = new[xp.argpartition(-excess, most)[:most]]
        self._set(xp.concatenate((triples, new)), xp.concatenate((charges, xp.zeros(len(new)))))
        self.weigh(weights)
        return len(new)

    def take(self, triples: Array, charges: Array, weights: Array) -> None:
        """Begin with these cuts and charges."""
        self._set(triples, charges)
        self.weigh(weights)

    def weigh(self, weights: Array) -> None:
        """Choose the steps of the charges for these weights of the records."""
        self._steps = self._step_sizes(weights)

    def _codes(self, triples: Array) -> Array:
        return (triples[:, 0] * self._n + triples[:, 1]) * self._n + triples[:, 2]

    def _violated(self, matrix: Array, near: int) -> tuple[Array, Array]:
        """Return the violated cuts of the `near` largest entries of each row, and by how much."""
        xp, n = self._xp, self._n
        first, second = np.triu_indices(near, 1)
        first, second = xp.asarray(first), xp.asarray(second)
        rows_at_once = max(1, BLOCK_ENTRIES // max(len(first), 1))
        triples, excesses = [self.triples[:0]], [self.charges[:0]]
        for begin in range(0, n, rows_at_once):
            rows = xp.arange(begin, min(begin + rows_at_once, n))
            block = matrix[rows].copy()
            block[xp.arange(len(rows)), rows] = -1.0
            large = xp.sort(xp.argpartition(-block, near - 1, axis=1)[:, :near], axis=1)
            j, h = large[:, first], large[:, second]
            excess = matrix[rows[:, None], j] + matrix[rows[:, None], h]
            excess -= matrix[rows, rows][:, None] + matrix[j, h]
            at, pair = xp.nonzero(excess > VIOLATED)
            triples.append(xp.stack((rows[at], j[at, pair], h[at, pair]), axis=1))
            excesses.append(excess[at, pair])
        return xp.concatenate(triples), xp.concatenate(excesses)

    def _step_sizes(self, weights: Array) -> Array:
        """Return a step for each cut: the smaller, the more cuts share its entries."""
        xp, n = self._xp, self._n
        i, j, h = self.triples.T
        ends = xp.stack((i, i, xp.minimum(j, h), i)), xp.stack((j, h, xp.maximum(j, h), i))
        low, high = xp.minimum(*ends), xp.maximum(*ends)
        codes = low * n + high
        sharing = xp.bincount(codes.ravel(), minlength=1)[codes]
        return 1 / (sharing / (weights[low] * weights[high] * xp.where(low == high, 1, 2))).sum(
            axis=0
        )


def charge_costs(n: int, triples: Array, charges: Array, xp: ModuleType = np) -> Array:
    """Return the symmetric matrix of what charges of cuts add to the costs of entries.

    Examples
    --------
    >>> charge_costs(3, np.array([[0, 1, 2]]), np.array([2.0])).tolist()
    [[-2.0, 1.0, 1.0], [1.0, 0.0, -1.0], [1.0, -1.0, 0.0]]
    """
    i, j, h = triples.T
    half = charges / 2
    places = xp.concatenate((i * n + j, i * n + h, j * n + h, i * n + i))
    costs = xp.bincount(places, xp.concatenate((half, half, -half, -half)), n * n).reshape(n, n)
    return costs + costs.T
