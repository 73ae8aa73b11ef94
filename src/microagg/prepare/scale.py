"""Scalings: how columns of different units become comparable; weights count as repeated rows.

Every part of the package scales by `scaling_of`: complete columns, mixed records and files that are
read in pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from microagg.errors import DataError
from microagg.prepare.moments import Moments, Sums, chunked_sums
from microagg.typing import Floats

SMALLEST = 1e-150
"""The smallest difference of values whose square does not underflow."""


class Spread(Protocol):
    """The extremes, means and standard deviations of columns, float64[d] each."""

    @property
    def low(self) -> Floats: ...
    @property
    def high(self) -> Floats: ...
    @property
    def mean(self) -> Floats: ...
    @property
    def deviation(self) -> Floats: ...


class WeightedSpread:
    """The spread of one column whose records have weights, from its extremes and sums."""

    def __init__(self, low: float, high: float, sums: Sums) -> None:
        self.low, self.high = np.array([low]), np.array([high])
        self._weight, self._mean, self._squares = sums

    @property
    def mean(self) -> Floats:
        """The weighted mean."""
        return np.array([self._mean])

    @property
    def deviation(self) -> Floats:
        """The weighted standard deviation of the population."""
        return np.sqrt(np.array([self._squares / self._weight], dtype=np.float64))


def spread_of(column: Floats, weights: Floats | None = None) -> Spread:
    """Return the spread of one column."""
    if weights is not None:
        low, high = float(column.min()), float(column.max())
        return WeightedSpread(low, high, chunked_sums(column, weights))
    moments = Moments(1)
    moments.add(column[None, :])
    return moments


def zscore(spread: Spread) -> tuple[Floats, Floats]:
    """Mean and population standard deviation: SST becomes n for each column that varies."""
    return spread.mean, spread.deviation


def minmax(spread: Spread) -> tuple[Floats, Floats]:
    """Minimum and range: the column runs from 0 to 1."""
    return spread.low, spread.high - spread.low


def none(spread: Spread) -> tuple[Floats, Floats]:
    """No scaling: distances in the units of the data."""
    return np.zeros(spread.low.size), np.ones(spread.low.size)


SCALINGS: dict[str, Callable[[Spread], tuple[Floats, Floats]]] = {
    "zscore": zscore,
    "range": minmax,
    "none": none,
}


def scaling_of(spread: Spread, how: str, *names: str) -> tuple[Floats, Floats]:
    """Return the centre and the scale of columns; a constant one becomes all zeros.

    Examples
    --------
    >>> scaling_of(spread_of(np.array([1.0, 3.0])), "zscore", "age")
    (array([2.]), array([1.]))
    """
    width = spread.high - spread.low
    for name, wide in zip(names, width, strict=True):
        if 0 < wide < SMALLEST:
            raise DataError(
                f"The values of column '{name}' differ by less than {SMALLEST:g}.",
                hint="Express the column in a smaller unit.",
            )
    center, scale = SCALINGS[how](spread)
    # The computed deviation of a constant column need not be exactly 0.
    return np.where(width > 0, center, spread.low), np.where(width > 0, scale, 1.0)
