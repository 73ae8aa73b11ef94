"""The weighted median of one column, and when two sums of weights are the same."""

from __future__ import annotations

import numpy as np

from microagg.typing import Floats

ALIKE = 1e-9
"""The relative difference up to which sums of weights count as equal, because of rounding."""


def lower_median(values: Floats, weights: Floats) -> float:
    """Return the smallest value at which the cumulative weight reaches half of the total.

    Examples
    --------
    >>> values, weights = np.array([3.0, 1.0, 2.0, 4.0]), np.array([0.1, 0.2, 0.1, 0.2])
    >>> lower_median(values, weights)
    2.0
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, 0.5 * reached[-1] * (1 - ALIKE))])
