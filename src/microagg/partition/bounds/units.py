"""Units of which nothing is lost: powers of two, by which floating-point numbers divide exactly."""

from __future__ import annotations

import math

import numpy as np

from microagg.typing import Floats


def power_of_four(size: float) -> float:
    """Return a power of 4 near a number above 0: its root is a power of 2.

    Records divided by the root keep all their digits, and so do errors divided by it. With any
    other unit a bound would be one of records that differ in their last digits.

    Examples
    --------
    >>> power_of_four(5.0), power_of_four(0.3)
    (4.0, 0.25)
    """
    return math.ldexp(1.0, 2 * (math.frexp(size)[1] // 2))


def unit_of(points: Floats) -> float:
    """Return the unit of errors in which the largest distance of two records is about 1."""
    apart = float(np.ptp(points, axis=0).max(initial=0.0))
    return math.ldexp(1.0, 2 * math.frexp(apart)[1]) if apart > 0 else 1.0
