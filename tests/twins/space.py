"""Distances and neighbours in plain NumPy.

Sums run in the same order as in the kernels, so that exact ties are resolved alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]


def distances(columns: Floats, rows: Rows, point: Floats) -> Floats:
    """Squared distances of `rows` to `point`, summed over the attributes in order."""
    out = np.zeros(rows.size)
    for j in range(columns.shape[0]):
        out += (columns[j, rows] - point[j]) ** 2
    return out


def farthest(columns: Floats, left: Rows, point: Floats) -> int:
    """Row of `left` farthest from `point`; `left` is sorted, so ties go to the lowest row."""
    return int(left[np.argmax(distances(columns, left, point))])


def nearest(columns: Floats, left: Rows, point: Floats, m: int) -> Rows:
    """Rows of the m records of `left` nearest to `point`, nearest first."""
    near = distances(columns, left, point)
    if m < left.size:  # keep ties of the m-th, then sort those few
        left = left[near <= np.partition(near, m - 1)[m - 1]] if m else left[:0]
        near = distances(columns, left, point)
    return left[np.argsort(near, kind="stable")[:m]]
