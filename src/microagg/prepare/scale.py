"""Scalings: how columns of different units become comparable; weights count as repeated rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from microagg.prepare.moments import Moments

Floats = NDArray[np.float64]
Scaling = Callable[[Floats, Floats | None], tuple[float, float]]


def zscore(column: Floats, weights: Floats | None = None) -> tuple[float, float]:
    """Mean and population standard deviation: SST becomes n for each column that varies."""
    if weights is not None:
        shift = column[0]  # sums around a value of the column lose nothing to a large offset
        mean = float(shift + np.average(column - shift, weights=weights))
        return mean, float(np.sqrt(np.average((column - mean) ** 2, weights=weights)))
    moments = Moments(1)
    moments.add(column[None, :])
    return float(moments.mean[0]), float(np.sqrt(moments.squares[0] / moments.n))


def minmax(column: Floats, weights: Floats | None = None) -> tuple[float, float]:
    """Minimum and range: the column runs from 0 to 1."""
    low = float(column.min())
    return low, float(column.max()) - low


def none(column: Floats, weights: Floats | None = None) -> tuple[float, float]:
    """No scaling: distances in the units of the data."""
    return 0.0, 1.0


SCALINGS: dict[str, Scaling] = {"zscore": zscore, "range": minmax, "none": none}
