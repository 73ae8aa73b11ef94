"""Released numbers in steps of the column's own: whole ones, cents, fives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def rounded(values: Floats, step: float) -> Floats:
    """Round to multiples of `step`, half to even; the result reads as it would be written.

    Examples
    --------
    >>> rounded(np.array([33.333, 0.295]), 0.01)
    array([33.33,  0.3 ])
    >>> rounded(np.array([33.333]), 5)
    array([35.])
    """
    parts = 1.0 / step
    if step < 1 and abs(parts - np.rint(parts)) < 1e-9 * parts:
        # By division, because 0.01 is no binary number but 100 is.
        return np.asarray(np.rint(values * np.rint(parts)) / np.rint(parts))
    return np.asarray(np.rint(values / step) * step)
