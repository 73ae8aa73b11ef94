"""What groups lose, straight from the definition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def error_of(columns: NDArray[np.float64], labels: NDArray[np.integer]) -> float:
    """Return the sum of squared distances of the records to the means of their groups.

    Examples
    --------
    >>> error_of(np.array([[0.0, 2.0, 5.0, 5.0]]), np.array([0, 0, 1, 1], dtype=np.int32))
    2.0
    """
    sizes = np.maximum(np.bincount(labels), 1)
    total = 0.0
    for column in columns:
        means = np.bincount(labels, weights=column) / sizes
        total += float(np.sum((column - means[labels]) ** 2))
    return total
