"""Means and covariances of records that are read in pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.typing import Floats


@dataclass(frozen=True, eq=False)
class Covariation:
    """Sums over some records, from which means and covariances are computed.

    Attributes
    ----------
    records : int
        The number of records.
    weight : float
        Their total weight.
    mean : float64[d]
        The mean of each column.
    products : float64[d, d]
        The weighted sums of products of deviations from the means.

    Examples
    --------
    >>> first, second = np.array([[1.0, 3.0]]), np.array([[5.0]])
    >>> both = Covariation.of(first).joined(Covariation.of(second))
    >>> both.mean, both.covariance
    (array([3.]), array([[2.66666667]]))
    """

    records: int
    weight: float
    mean: Floats
    products: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats | None = None) -> Covariation:
        """Sum the complete records of float64[d, m], with their weights."""
        whole = ~np.isnan(values).any(axis=0)
        values = values[:, whole]
        d, m = values.shape
        masses = np.ones(m) if weights is None else weights[whole]
        if not m:
            return cls(0, 0.0, np.zeros(d), np.zeros((d, d)))
        total = float(masses.sum())
        mean = values[:, 0] + (values - values[:, :1]) @ masses / total
        away = values - mean[:, None]
        return cls(m, total, mean, (away * masses) @ away.T)

    def joined(self, other: Covariation) -> Covariation:
        """Return the sums of both (the update of Chan et al. 1983)."""
        if not self.records or not other.records:
            return self if self.records else other
        total = self.weight + other.weight
        gap, share = other.mean - self.mean, other.weight / total
        between = np.outer(gap, gap) * (self.weight * share)
        return Covariation(
            self.records + other.records,
            total,
            self.mean + gap * share,
            self.products + other.products + between,
        )

    @property
    def covariance(self) -> Floats:
        """The covariance matrix, not corrected for the degrees of freedom."""
        return self.products / self.weight
