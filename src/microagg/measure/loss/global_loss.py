"""G_IL: the mean of the five measures of thesis table 4.1."""

from __future__ import annotations

import numpy as np

from microagg.measure.loss.correlations import error_correlations
from microagg.measure.loss.mean_variation import (
    variation_covariances,
    variation_data,
    variation_means,
    variation_variances,
)
from microagg.measure.pair import Pair
from microagg.measure.registry import measure


@measure(
    "g-il",
    "Overall change of the statistics",
    kind="loss",
    summary="the mean of the changes of data, means, variances, covariances and correlations",
    formula="100 (M1 + M2 + M3 + M4 + M5) / 5; with one column, M5 is 0",
    source="Fayyoumi 2008, equation 4.2 (G_IL)",
    high=float("inf"),
    counts="numbers",
    sums=True,
    priority=2,
    head="g-il %",
)
def g_il(pair: Pair) -> float:
    """Return G_IL in percent."""
    parts = [
        variation_data(pair),
        variation_means(pair),
        variation_variances(pair),
        variation_covariances(pair),
        error_correlations(pair) if len(pair.names) > 1 else 0.0,
    ]
    return float(np.mean(parts))
