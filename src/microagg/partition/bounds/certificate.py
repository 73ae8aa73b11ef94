"""The certificate of a semidefinite bound: what anyone can count the bound from anew.

With Z_ij = 1/|G| where i and j share the group G and 0 elsewhere, the error of a partition is the sum of
C_ij Z_ij, where C is half the squared distances. For every symmetric B, all charges c >= 0 of triangle
cuts and q >= 0 of set cuts with limits b, and every charge t >= 0 of the number of groups (at most
m = n // k, whole)

    error  >=  row part of (C + what c, q and t add - B)  +  spectral part of B  -  q b  -  t m,

as `row_part`, `spectral_part`, `triangles` and `set_cuts` explain. Nothing needs to have converged.

Rounding: entries of the row part are lowered by more than their rounding errors; eigenvalues by more than
those of LAPACK; and the whole relatively by `gap.SAFETY`, which is more than sums of n terms lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np

from microagg.engine import Array
from microagg.partition.bounds.row_part import row_minima
from microagg.partition.bounds.set_cuts import places_of, set_costs, set_limits
from microagg.partition.bounds.spectral_part import EPSILON, spectral_minimum
from microagg.partition.bounds.triangles import charge_costs
from microagg.typing import Floats, Rows


@dataclass(frozen=True)
class Certificate:
    """The multipliers of a bound, in a unit of errors.

    Attributes
    ----------
    unit : float
        The unit, a power of 4.
    rest : float64[n, n]
        B, symmetric.
    triples : int64[m, 3]
        i, j, h of the triangle cuts.
    charges : float64[m]
        The charge of each, at least 0.
    group_charge : float
        The charge of the number of groups, at least 0.
    sets : sequence of int64[s]
        The records of each set cut.
    set_charges : float64[m]
        The charge of each, at least 0.
    """

    unit: float
    rest: Array
    triples: Array
    charges: Array
    group_charge: float
    sets: Sequence[Rows] = ()
    set_charges: Array = field(default_factory=lambda: np.zeros(0))


def half_squared_distances(points: Array, xp: ModuleType = np) -> Array:
    """Return half the squared distance of each pair, without the cancellation of a product of matrices.

    Examples
    --------
    >>> half_squared_distances(np.array([[1e9], [1e9 + 2]])).tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    n = len(points)
    costs = xp.zeros((n, n))
    for column in points.T:
        apart = column[:, None] - column
        apart *= apart
        costs += apart
    costs /= 2
    return costs


def bound_of(certificate: Certificate, points: Floats, k: int, xp: ModuleType = np) -> float:
    """Return the bound that a certificate proves for records, in the unit of these."""
    n, d = points.shape
    rest = (certificate.rest + certificate.rest.T) / 2  # what eigenvalues look at is one triangle
    largest, groups = min(2 * k - 1, n - k), n // k
    scaled = xp.asarray(points / np.sqrt(certificate.unit))  # exactly: the root is a power of two
    shares, doubt = half_squared_distances(scaled, xp), float(d + 8)
    sizes = shares.copy()
    if len(certificate.triples):
        triples, charges = certificate.triples, certificate.charges
        shares += charge_costs(n, triples, charges, xp)
        doubt += len(triples)
        sizes += _sizes_of_charges(n, triples, charges, xp)
    taken_off = certificate.group_charge * groups
    if len(certificate.sets):
        places, owners, factors = (xp.asarray(part) for part in places_of(certificate.sets, n, k))
        added = set_costs(n, places, factors * certificate.set_charges[owners], xp)
        shares += added
        sizes += added
        doubt += len(certificate.sets)
        limits = xp.asarray(set_limits(certificate.sets, k))
        taken_off += float(certificate.set_charges @ limits)
    every = xp.arange(n)
    shares[every, every] += certificate.group_charge
    sizes[every, every] += certificate.group_charge
    shares -= rest
    sizes += xp.abs(rest)
    sizes *= doubt * EPSILON
    shares -= sizes
    rows = float(row_minima(shares, k, largest, xp).sum())
    del shares, sizes
    spectral = spectral_minimum(rest, groups, xp)
    # Sums of n rows and n eigenvalues may cancel: leave room by what they add up from.
    room = (n + len(certificate.sets)) * EPSILON * (abs(rows) + abs(spectral) + taken_off)
    bound = rows + spectral - taken_off - room
    return float(bound * certificate.unit)


def _sizes_of_charges(n: int, triples: Array, charges: Array, xp: ModuleType) -> Array:
    """Return the sum of the absolute charges at each entry: what their rounding is relative to."""
    i, j, h = triples.T
    places = xp.concatenate((i * n + j, i * n + h, j * n + h, i * n + i))
    sizes = xp.bincount(places, xp.concatenate((charges,) * 4), n * n).reshape(n, n)
    return sizes + sizes.T
