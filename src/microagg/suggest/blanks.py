"""Numeric codes for missing values: -99, 999 and similar, far from all other values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NEGATIVE = (-1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, -8.0, -9.0)
REPEATED = tuple(float(str(digit) * length) for digit in "789" for length in range(2, 10))
"""77, 888, 9999 and similar codes of statistical files, also with a minus sign."""
ALSO = (-1111.0, -6666.0, -32768.0, -2147483648.0)


def number_markers(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the values that look like codes for missing values, in ascending order.

    Negative codes must be the only negative values and occur repeatedly, and no other value may be
    near. Positive codes must be at least three times the largest other value.

    Examples
    --------
    >>> ages = np.arange(18.0, 90.0)
    >>> number_markers(np.concatenate([ages, [-99.0, -99.0, 999.0, 999.0]]))
    (-99.0, 999.0)
    >>> number_markers(np.concatenate([ages, [99.0, 99.0]]))
    ()
    """
    if not values.size:
        return ()
    different, count = np.unique(values, return_counts=True)
    repeated = dict(zip(different.tolist(), count.tolist(), strict=True))
    negative = [value for value in repeated if value < 0]
    allowed = {*NEGATIVE, *(-value for value in REPEATED), *ALSO}
    markers = [value for value in negative if value in allowed]
    others = different[different >= 0]
    if len(markers) < len(negative) or not others.size or not _convincing(markers, repeated):
        markers = []
    return (*markers, *_high(others, repeated))


def _convincing(markers: list[float], repeated: dict[float, int]) -> bool:
    """Return whether negative markers are more plausible than a number below zero, such as -1."""
    large = any(marker <= -7 for marker in markers)
    return bool(markers) and large and any(repeated[marker] >= 2 for marker in markers)


def _high(others: NDArray[np.float64], repeated: dict[float, int]) -> list[float]:
    """Return markers above all other values, if these are far below."""
    markers: list[float] = []
    rest = others.tolist()
    while len(rest) > 2 and rest[-1] in REPEATED and repeated[rest[-1]] >= 2:
        markers.insert(0, rest.pop())
    while markers and markers[0] < 3 * max(rest[-1], 1.0):
        rest.append(markers.pop(0))
    return markers
