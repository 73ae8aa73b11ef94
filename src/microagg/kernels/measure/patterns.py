"""Which keys agree, for many pairs of records: a bit for each key."""

import numpy as np

from microagg.kernels.extremes import smaller
from microagg.kernels.jit import kernel

TILE = 1024
"""Records that are compared with a point at once."""


@kernel
def count_patterns(codes, points, sizes, counts, ticker):
    """Count the patterns of all records with all points; a pair counts as often as `sizes` says.

    `codes` is int32[keys, n], `points` int32[keys, m], `sizes` float64[m]. IN/OUT: counts float64[2^keys].
    """
    n = codes.shape[1]
    tile = np.empty(TILE, dtype=np.int32)
    for point in range(points.shape[1]):
        if ticker[1]:
            return
        for start in range(0, n, TILE):
            size = smaller(TILE, n - start)
            agreement(codes, start, size, points, point, tile)
            for i in range(size):
                counts[tile[i]] += sizes[point]
        ticker[0] += 1


@kernel
def best_patterns(codes, points, weights, best, ties, ticker):
    """Largest weight of the patterns of each point with all records, and how many records have it.

    OUT: best float64[m], ties int64[m].
    """
    n = codes.shape[1]
    tile = np.empty(TILE, dtype=np.int32)
    for point in range(points.shape[1]):
        if ticker[1]:
            return
        most, count = 0.0, 0
        for start in range(0, n, TILE):
            size = smaller(TILE, n - start)
            agreement(codes, start, size, points, point, tile)
            for i in range(size):
                weight = weights[tile[i]]
                if count == 0 or weight > most:
                    most, count = weight, 1
                elif weight == most:
                    count += 1
        best[point], ties[point] = most, count
        ticker[0] += 1


@kernel
def agreement(codes, start, size, points, point, tile):
    """Patterns of some records with a point. OUT: tile int32[TILE]."""
    for i in range(size):
        tile[i] = np.int32(0)
    for j in range(codes.shape[0]):
        code, bit = points[j, point], np.int32(1 << j)
        own = codes[
            j, start : start + size
        ]  # a cut: the compiler then sees that no index is negative
        for i in range(size):
            tile[i] |= bit if own[i] == code else np.int32(0)
