"""Synthetic records that keep the mean and the covariances of each group: microhybrid.

Reference: Domingo-Ferrer and Gonzalez-Nicolas 2010, Hybrid microdata using microaggregation
(Information Sciences 180(15)).

Idea: with A the records of a group less their mean, and its singular values A = U S V', any U'
with orthonormal columns that sum to 0 gives A' = U' S V' with the same mean (0) and the same A'A.
U' is drawn at random, so the synthetic records lie anywhere that the mean and covariances allow.

Cost: O(n d²), in memory O(n d).

Where the paper is silent or microagg differs: the paper lets any generator that preserves means and
covariances create the records; this one does so exactly for groups of any size and rank. A group of s
records has covariances of rank s-1 at most, so few records leave little freedom. s = 2 leaves none (the
pair is reproduced), which is why `protect` requires k of at least 3 for it. Synthetic values may lie
outside the range of a column. The release is NOT k-anonymous: every record has unique values.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microagg.partition.partition import Partition
from microagg.typing import Floats

FEWEST = 3
"""Two records are determined by their mean and covariances."""


def hybrid(
    columns: Mapping[str, Floats], part: Partition, rng: np.random.Generator
) -> dict[str, Floats]:
    """Return synthetic columns with the means and covariances of every group.

    Examples
    --------
    >>> part = Partition([0, 0, 0], k=3)
    >>> new = hybrid({"age": np.array([30.0, 40.0, 50.0])}, part, np.random.default_rng(0))["age"]
    >>> bool(np.isclose(new.mean(), 40.0)), bool(np.isclose(new.var(), 200 / 3))
    (True, True)
    """
    X = np.stack(list(columns.values()), axis=1)
    out = np.empty_like(X)
    groups = list(part.groups())
    for size in np.unique(part.sizes):
        rows = np.stack([groups[g] for g in np.flatnonzero(part.sizes == size)])
        out[rows] = _synthetic(X[rows], rng)
    return {name: np.ascontiguousarray(out[:, j]) for j, name in enumerate(columns)}


def _synthetic(groups: Floats, rng: np.random.Generator) -> Floats:
    """Return synthetic records for groups of the same size, float64[groups, size, d]."""
    count, size, d = groups.shape
    # Around one record, so that a large offset costs no digits; a constant column stays exactly.
    offset = groups - groups[:, :1]
    mean = groups[:, :1] + offset.mean(axis=1, keepdims=True)
    A = offset - offset.mean(axis=1, keepdims=True)
    # Each column by its own spread, so that one of small numbers keeps its digits.
    spread = np.sqrt((A**2).mean(axis=1, keepdims=True))
    spread[np.ptp(groups, axis=1, keepdims=True) == 0] = 0.0
    scaled = np.divide(A, spread, out=np.zeros_like(A), where=spread > 0)
    rank = min(size - 1, d)
    _, S, V = np.linalg.svd(scaled, full_matrices=False)
    U = _orthonormal(rng.standard_normal((count, size, rank)))
    made: Floats = mean + (U * S[:, None, :rank]) @ V[:, :rank] * spread
    return made


def _orthonormal(drawn: Floats) -> Floats:
    """Return orthonormal columns that sum to 0, uniformly distributed if drawn from a normal distribution.

    The columns are centred twice, because rounding leaves a part of the mean after the first time.
    """
    drawn = drawn - drawn.mean(axis=1, keepdims=True)
    Q, R = np.linalg.qr(drawn - drawn.mean(axis=1, keepdims=True))
    signs = np.where(np.diagonal(R, axis1=1, axis2=2) < 0, -1.0, 1.0)
    turned: Floats = Q * signs[:, None, :]
    return turned
