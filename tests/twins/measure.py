"""The linkage kernel again in plain NumPy: short, obviously right, and compared bit for bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]


def two_nearest(
    values: Floats, codes: Labels, points: Floats, point_codes: Labels
) -> tuple[Floats, Rows]:
    """Two smallest distances of each point to the records, and how many records have them."""
    largest = float(np.finfo(np.float64).max)
    near, ties = np.full((len(points), 2), largest), np.zeros((len(points), 2), dtype=np.int64)
    for q, point in enumerate(points):
        out = np.zeros(values.shape[1])
        for j, column in enumerate(values):
            out += (column - point[j]) ** 2
        for j, words in enumerate(codes):
            out += words != point_codes[q, j]
        wide = (2.0**27 + 1) * out  # half of the bits, as the kernel has them
        found, counts = np.unique(wide - (wide - out), return_counts=True)
        kept = 1 if counts[0] > 1 else min(2, found.size)
        near[q, :kept], ties[q, :kept] = found[:kept], counts[:kept]
    return near, ties


def patterns(codes: Labels, point: Labels) -> Rows:
    """Which keys of each record agree with those of a point, a bit each."""
    bits = np.zeros(codes.shape[1], dtype=np.int64)
    for j, own in enumerate(codes):
        bits += (own == point[j]).astype(np.int64) << j
    return bits
