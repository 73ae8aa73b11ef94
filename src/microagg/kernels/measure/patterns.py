"""Which keys agree, for many pairs of records: a bit for each key."""

import numpy as np

from microagg.kernels.extremes import smaller
from microagg.kernels.jit import kernel

TILE = 1024
"""Records that are compared with a point at once."""


@kernel
def count_patterns(codes, points, counts, ticker):
    """Count the patterns of all records with each point.

    `codes` is int32[keys, n], `points` int32[keys, m]. OUT: counts int32[m, 2^keys].
    """
    n = codes.shape[1]
    tile, others = np.empty(TILE, dtype=np.int32), np.empty(counts.shape[1], dtype=np.int32)
    for point in range(points.shape[1]):
        if ticker[1]:
            return
        own = counts[point]
        for i in range(own.size):
            own[i] = others[i] = np.int32(0)
        for start in range(0, n, TILE):
            size = smaller(TILE, n - start)
            agreement(codes, start, size, points, point, tile)
            for i in range(size // 2):  # in turn, since equal patterns would wait for each other
                own[tile[2 * i]] += np.int32(1)
                others[tile[2 * i + 1]] += np.int32(1)
            if size % 2 == 1:
                own[tile[size - 1]] += np.int32(1)
        for i in range(own.size):
            own[i] += others[i]
        ticker[0] += 1


@kernel
def agreement(codes, start, size, points, point, tile):
    """Patterns of some records with a point. OUT: tile int32[TILE]."""
    for i in range(size):
        tile[i] = np.int32(0)
    for j in range(codes.shape[0]):
        code, bit = points[j, point], np.int32(1 << j)
        own = codes[j, start : start + size]  # no index of a cut is negative, as the compiler sees
        for i in range(size):
            tile[i] |= bit if own[i] == code else np.int32(0)
