"""The part of the semidefinite bound that looks at eigenvalues alone.

Z of a partition into m groups is the projection on the space of vectors that are constant on each
group. It has the eigenvalue 1 exactly m times, e = (1, ..., 1) among the vectors, and 0 elsewhere. So
for any symmetric B

    sum over ij of B_ij Z_ij  >=  e'Be / n  +  the sum of the m-1 smallest negative eigenvalues of B

where B is restricted to the complement of e, and m is at most n / k.
"""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np

from microagg.engine import Array

EPSILON = 2.0**-52

SPARE = 4.0
"""An eigenvalue is lowered by so many times (n + 20) epsilon |B|; LAPACK's error is far below that."""


def spectral_minimum(rest: Array, groups: int, xp: ModuleType = np) -> float:
    """Return the bound above for B = `rest`, lowered by all that rounding can have added.

    Examples
    --------
    >>> round(spectral_minimum(np.diag([-1.0, -1.0]), 2), 9)
    -2.0
    """
    n = len(rest)
    constant = float(rest.sum()) / n
    doubt = 64 * EPSILON * float(xp.abs(rest).sum()) / n
    values = xp.linalg.eigvalsh(without_direction(rest, xp.full(n, 1 / math.sqrt(n))))
    error = SPARE * (n + 20) * EPSILON * float(xp.linalg.norm(rest))
    smallest = xp.sort(values)[: groups - 1] - error
    return constant - doubt + float(xp.minimum(smallest, 0.0).sum())


def without_direction(matrix: Array, direction: Array) -> Array:
    """Return a symmetric matrix restricted to the complement of a unit vector."""
    image = matrix @ direction
    shift = image - (direction @ image) / 2 * direction
    return matrix - direction[:, None] * shift - shift[:, None] * direction


class SpectralProjection:
    """The nearest positive semidefinite matrix with row sums of a constant, in a weighted norm.

    It projects on all Y = c ee' + W with W e = 0 and W positive semidefinite, where distances are
    counted with the weight r_i r_j at entry ij: in the matrix sqrt(r_i r_j) Y_ij they are Euclidean.

    Parameters
    ----------
    constant : float
        c.
    roots : float64[n]
        The square roots of r.
    """

    def __init__(self, constant: float, roots: Array, xp: ModuleType = np) -> None:
        self._constant, self._xp = constant, xp
        self.rank = len(roots)
        self.weigh(roots)

    def weigh(self, roots: Array) -> None:
        """Count distances with other weights from now on."""
        self._roots = roots
        self._direction = (1 / roots) / self._xp.linalg.norm(1 / roots)

    def __call__(self, matrix: Array) -> Array:
        """Return the projection of a symmetric matrix."""
        roots = self._roots
        scaled = (matrix - self._constant) * roots[:, None] * roots
        scaled = without_direction(scaled, self._direction)
        values, vectors, positive = self._part(scaled)
        vectors = vectors / roots[:, None]
        nearest = (vectors * values) @ vectors.T
        if not positive:
            scaled /= roots[:, None]
            scaled /= roots
            nearest += scaled
        nearest += self._constant
        return (nearest + nearest.T) / 2

    def _part(self, scaled: Array) -> tuple[Array, Array, bool]:
        """Return the positive eigenpairs, or the negated negative ones where these are fewer."""
        n = len(scaled)
        if self._xp is np:
            import scipy.linalg

            positive = 2 * self.rank <= n
            interval = (0, np.inf) if positive else (-np.inf, 0)
            try:
                values, vectors = scipy.linalg.eigh(
                    scaled, subset_by_value=interval, driver="evr", check_finite=False
                )
            except np.linalg.LinAlgError:  # of few eigenvalues, where these lie far apart
                return self._all_positive(scaled)
            self.rank = len(values) if positive else n - len(values)
            return (values if positive else -values), vectors, positive
        return self._all_positive(scaled)

    def _all_positive(self, scaled: Array) -> tuple[Array, Array, bool]:
        """Return the positive eigenpairs, from a decomposition into all of them."""
        n = len(scaled)
        values, vectors = self._xp.linalg.eigh(scaled)
        self.rank = int((values > 0).sum())
        return values[n - self.rank :], vectors[:, n - self.rank :], True
