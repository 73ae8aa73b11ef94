"""The weighted median of one column, and when two sums of weights are the same."""

from __future__ import annotations

import numpy as np

from microagg.typing import Floats

ALIKE = 1e-9
"""How far, as a share, sums of weights may differ and be the same: fractions do not add exactly."""


def lower_median(values: Floats, weights: Floats) -> float:
    """Return the first value, by size, at which the weights reach a half of their sum.

    Examples
    --------
    >>> values, weights = np.array([3.0, 1.0, 2.0, 4.0]), np.array([0.1, 0.2, 0.1, 0.2])
    >>> lower_median(values, weights)
    2.0
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, 0.5 * reached[-1] * (1 - ALIKE))])
