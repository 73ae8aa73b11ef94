"""Random numbers that a kernel and its plain twin draw alike: splitmix64 (Steele, Lea, Flood 2014).

The state is one 64-bit counter, so that any seed starts a stream of its own.
"""

import numpy as np

from microagg.kernels.jit import inlined, kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@inlined
def mixed(z):
    """Return 64 bits that depend on every bit of z, and differ for different z."""
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


@inlined
def uniform(stream):
    """Return a number from 0 to just below 1. IN/OUT: stream, uint64[1]."""
    stream[0] += STEP
    return np.float64(mixed(stream[0]) >> np.uint64(11)) * 2.0**-53


@inlined
def below(stream, limit):
    """Return an integer from 0 to limit-1. IN/OUT: stream."""
    return np.int64(uniform(stream) * limit)


@kernel
def shuffle(stream, items):
    """Put items into random order. IN/OUT: both."""
    for i in range(items.size - 1, 0, -1):
        j = below(stream, i + 1)
        items[i], items[j] = items[j], items[i]
