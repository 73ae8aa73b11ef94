"""Scalings: how columns of different units become comparable."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Scaling = Callable[[Floats], tuple[float, float]]


def zscore(column: Floats) -> tuple[float, float]:
    """Mean and population standard deviation: SST becomes n for each column that varies."""
    shift = column[0]  # sums around a value of the column lose nothing to a large offset
    mean = float(shift + np.mean(column - shift))
    return mean, float(np.sqrt(np.mean((column - mean) ** 2)))


def minmax(column: Floats) -> tuple[float, float]:
    """Minimum and range: the column runs from 0 to 1."""
    low = float(column.min())
    return low, float(column.max()) - low


def none(column: Floats) -> tuple[float, float]:
    """No scaling: distances in the units of the data."""
    return 0.0, 1.0


SCALINGS: dict[str, Scaling] = {"zscore": zscore, "range": minmax, "none": none}
