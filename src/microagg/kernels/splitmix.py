"""Random numbers that a kernel and its twin draw alike: splitmix64 (Steele, Lea, Flood 2014)."""

import numpy as np

from microagg.kernels.jit import kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@kernel
def draw(state):
    """Next number from 0 up to, not with, 1. IN/OUT: state uint64[1]."""
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * 2.0**-53


@kernel
def draw_below(state, limit):
    """Next whole number from 0 to limit - 1. IN/OUT: state."""
    return min(np.int64(draw(state) * limit), limit - 1)


@kernel
def shuffle(state, items):
    """Put items into random order. IN/OUT: both."""
    for i in range(items.size - 1, 0, -1):
        j = draw_below(state, i + 1)
        items[i], items[j] = items[j], items[i]
