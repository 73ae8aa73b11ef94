"""Order of records along a Hilbert curve through any number of attributes.

The bits of a cell are turned into those of its place on the curve by Skilling's transform (2004), and
records are sorted by these bits, the highest bit of each attribute first.
"""

import numpy as np

from microagg.kernels.jit import kernel

WORD = 64
"""Bits of a word of the sorting key."""


@kernel
def curve_keys(cells, bits, ticker):
    """Places on the curve, uint64[words, n], the highest word first.

    `cells` is int64[d, n], from 0 to 2**bits - 1. ticker[0] counts the records; the loop stops early
    when ticker[1] is set.
    """
    d, n = cells.shape
    keys = np.zeros(((d * bits + WORD - 1) // WORD, n), dtype=np.uint64)
    place = np.empty(d, dtype=np.int64)
    for i in range(n):
        if ticker[1] != 0:
            break
        ticker[0] = i
        for j in range(d):
            place[j] = cells[j, i]
        to_curve(place, bits)
        at = 0
        for bit in range(bits - 1, -1, -1):
            for j in range(d):
                if (place[j] >> bit) & 1:
                    keys[at // WORD, i] |= np.uint64(1) << np.uint64(WORD - 1 - at % WORD)
                at += 1
    return keys


@kernel
def to_curve(place, bits):
    """Turn the coordinates of a cell into the bits of its place on the curve. IN/OUT: place."""
    d = place.size
    for bit in range(bits - 1, 0, -1):
        high, low = 1 << bit, (1 << bit) - 1
        for j in range(d):
            if place[j] & high:
                place[0] ^= low
            else:
                both = (place[0] ^ place[j]) & low
                place[0] ^= both
                place[j] ^= both
    for j in range(1, d):
        place[j] ^= place[j - 1]
    turn = 0
    for bit in range(bits - 1, 0, -1):
        if (place[d - 1] >> bit) & 1:
            turn ^= (1 << bit) - 1
    for j in range(d):
        place[j] ^= turn
