"""The values that record linkage compares: standardised or whitened, with missing values beside them."""

from __future__ import annotations

import numpy as np

from microagg.measure.pair import Pair, standardised
from microagg.typing import Floats, Rows

ONE_THREAD = 200_000
"""The number of multiplications up to which linear algebra libraries use one thread."""


def comparable_values(
    pair: Pair, mahalanobis: bool, own_scale: bool
) -> tuple[Floats, Floats, tuple[Rows, ...]]:
    """Return both files as finite columns, and the key to which each column belongs.

    Columns that two linkages use are computed once.
    """
    if mahalanobis or own_scale:
        return _values(pair, mahalanobis, own_scale)
    return pair.once("linkage values", lambda: _values(pair, mahalanobis=False, own_scale=False))


def _values(
    pair: Pair, mahalanobis: bool, own_scale: bool
) -> tuple[Floats, Floats, tuple[Rows, ...]]:
    """Compute the values of `comparable_values`."""
    both = list(pair.once("standardised keys", lambda: _standardised_keys(pair)))
    if own_scale:
        released = pair.ordered()[1]
        both[1] = standardised(released, released)
    blank = [np.isnan(values) for values in both]
    holes = np.flatnonzero(blank[0].any(axis=1) | blank[1].any(axis=1))
    filled = [np.where(nan, 0.0, values) for nan, values in zip(blank, both, strict=True)]
    if mahalanobis:
        turn = _whitening(filled[0])
        filled = [_turned(turn, values) for values in filled]
    full = [np.vstack([v, nan[holes]]) for v, nan in zip(filled, blank, strict=True)]
    d, rows = len(filled[0]), [[j] for j in range(len(filled[0]))]
    if not mahalanobis:
        for at, j in enumerate(holes):
            rows[j].append(d + at)
        return full[0], full[1], tuple(np.array(r, dtype=np.int64) for r in rows)
    spare = [[d + at] for at in range(holes.size)]
    return full[0], full[1], tuple(np.array(r, dtype=np.int64) for r in [*rows, *spare])


def _turned(turn: Floats, values: Floats) -> Floats:
    """Return the product of a small matrix and values, float64[d, n].

    In one large product, threads spend more time waiting than computing, so it is computed in
    blocks that are too small for more than one.
    """
    turned, each = np.empty((len(turn), values.shape[1])), max(ONE_THREAD // max(turn.size, 1), 1)
    for at in range(0, values.shape[1], each):
        turned[:, at : at + each] = turn @ values[:, at : at + each]
    return turned


def _standardised_keys(pair: Pair) -> tuple[Floats, Floats]:
    """Return the ordered keys of both files, on the scale of the original."""
    original, released = pair.ordered()
    return standardised(original, original), standardised(released, original)


def _whitening(values: Floats) -> Floats:
    """Return the matrix that transforms the columns into uncorrelated ones of variance 1.

    Euclidean distance after this transformation is Mahalanobis distance, with the pseudo-inverse if columns
    depend on each other.
    """
    eigenvalues, vectors = np.linalg.eigh(np.cov(values, bias=True).reshape(len(values), -1))
    kept = eigenvalues > 1e-10 * max(eigenvalues.max(initial=0.0), 1e-300)
    turned: Floats = vectors[:, kept].T / np.sqrt(eigenvalues[kept])[:, None]
    return turned
