"""The change of correlations (thesis table 4.1, M5)."""

from __future__ import annotations

import numpy as np

from microagg.measure.loss.mean_variation import covariances
from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.typing import Floats


@measure(
    "error-correlations",
    "Change of correlations",
    kind="loss",
    summary="the mean absolute change of the correlations between columns, times 100",
    formula="100/(d(d-1)/2) Σ_{i<j} |r_ij - r'_ij|",
    source="Fayyoumi 2008, table 4.1 (M5)",
    high=200.0,
    counts="numbers",
    fewest=2,
    any_order=True,
    sums=True,
    priority=3,
    head="corr. %",
)
def error_correlations(pair: Pair) -> float:
    """Return M5 in percent."""
    before, after = correlations(pair)
    upper = np.triu_indices(len(before), 1)
    return float(100 * np.abs(before - after)[upper].mean())


def correlations(pair: Pair) -> tuple[Floats, Floats]:
    """Return the correlation matrices of both files; 0 if a column does not vary."""
    before, after = map(_correlation, covariances(pair))
    return before, after


def _correlation(covariance: Floats) -> Floats:
    deviations = np.sqrt(np.diag(covariance))
    product = np.outer(deviations, deviations)
    matrix: Floats = np.divide(covariance, product, out=np.zeros_like(product), where=product > 0)
    np.fill_diagonal(matrix, 1.0)
    return matrix
