"""How much principal components change (thesis 2.4.2: matrices RF, C and F).

The components of the correlation matrix are in descending order of variance. Each released component has
the sign that agrees best with the original one. Components without variance in the original are
left out. The thesis names three ways to compare; this is the mean absolute error.
"""

from __future__ import annotations

import numpy as np

from microagg.measure.loss.correlations import correlations
from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.typing import Floats

_SOURCE = "Domingo-Ferrer and Torra 2001; Fayyoumi 2008, section 2.4.2 ({})"


@measure(
    "error-loadings",
    "Change of principal components",
    kind="loss",
    summary="the mean change of the correlations between columns and principal components, each "
    "component weighted with its share of the variance, times 100",
    formula="100/d Σ_j Σ_c λ_c/Σλ |rf_jc - rf'_jc|",
    source=_SOURCE.format("RF"),
    high=200.0,
    counts="numbers",
    fewest=2,
    any_order=True,
    sums=True,
)
def error_loadings(pair: Pair) -> float:
    """Return the change of the loadings in percent."""
    (values, vectors), (after_values, after_vectors) = _components(pair)
    before, after = vectors * np.sqrt(values), after_vectors * np.sqrt(after_values)
    return float(100 * (np.abs(before - after) @ (values / values.sum())).mean())


@measure(
    "error-communalities",
    "Change of the first component",
    kind="loss",
    summary="the mean change of the share of each column that the first component explains",
    formula="100/d Σ_j |c_j - c'_j|, c_j = λ_1 v_j1²",
    source=_SOURCE.format("C"),
    counts="numbers",
    fewest=2,
    any_order=True,
    sums=True,
)
def error_communalities(pair: Pair) -> float:
    """Return the change of the communalities in percent."""
    (values, vectors), (after_values, after_vectors) = _components(pair)
    before, after = values[0] * vectors[:, 0] ** 2, after_values[0] * after_vectors[:, 0] ** 2
    return float(100 * np.abs(before - after).mean())


@measure(
    "error-factor-scores",
    "Change of component scores",
    kind="loss",
    summary="the mean change of the coefficients that turn columns into component scores, each "
    "component weighted with its share of the variance, times 100",
    formula="100/d Σ_j Σ_c λ_c/Σλ |f_jc - f'_jc|, f_jc = v_jc / √λ_c",
    source=_SOURCE.format("F"),
    high=float("inf"),
    counts="numbers",
    fewest=2,
    any_order=True,
    sums=True,
)
def error_factor_scores(pair: Pair) -> float:
    """Return the change of the factor score coefficients in percent."""
    (values, vectors), (after_values, after_vectors) = _components(pair)
    # A component that the release has lost altogether has no scores.
    scale = np.where(after_values > _NOTHING, np.sqrt(np.maximum(after_values, _NOTHING)), np.inf)
    change = np.abs(vectors / np.sqrt(values) - after_vectors / scale)
    return float(100 * (change @ (values / values.sum())).mean())


_NOTHING = 1e-9


def _components(pair: Pair) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return variances and directions of the components of both files."""
    before, after = correlations(pair)
    values, vectors = _falling(before)
    after_values, after_vectors = _falling(after)
    kept = values > _NOTHING
    signs = np.where(np.sum(vectors * after_vectors, axis=0) < 0, -1.0, 1.0)
    after_vectors = after_vectors * signs
    return (values[kept], vectors[:, kept]), (after_values[kept], after_vectors[:, kept])


def _falling(correlation: Floats) -> tuple[Floats, Floats]:
    values, vectors = np.linalg.eigh(correlation)
    return np.maximum(values[::-1], 0.0), vectors[:, ::-1]
