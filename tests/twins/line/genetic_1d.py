"""Breeding of strings of cuts in plain NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tests.twins.line.cuts_1d import Floats, squares

Bits = NDArray[np.uint8]


def repair(bits: Bits, k: int) -> None:
    """Make every group hold k to 2k-1: drop a 1 that comes too early, add one that is due."""
    n, begin = bits.size, 0
    wanted = np.flatnonzero(bits)
    bits[:] = 0
    bits[0] = 1
    while n - begin >= 2 * k:
        latest = min(begin + 2 * k - 1, n - k)
        place = np.searchsorted(wanted, begin + k)
        early = place < wanted.size and wanted[place] <= latest
        begin = int(wanted[place]) if early else latest
        bits[begin] = 1


def loss(values: Floats, bits: Bits) -> float:
    """Sum of squares within the groups of a repaired string, added in order."""
    bounds = [*np.flatnonzero(bits).tolist(), values.size]
    total = 0.0
    for begin, end in pairwise(bounds):
        total += squares(values[begin:end])
    return total


def next_generation(
    values: Floats, k: int, population: Bits, losses: Floats, chances: Floats, crossover: float
) -> tuple[Bits, Floats]:
    """Breed as many children as there are; the best parent is the first child."""
    m, n = population.shape
    children, found = np.empty_like(population), np.empty_like(losses)
    best = int(np.argmin(losses))
    children[0], found[0] = population[best], losses[best]
    for child in range(1, m):
        a, b, c, d = (int(chance * m) for chance in chances[child, :4])
        mother = min((losses[a], a), (losses[b], b))[1]
        father = min((losses[c], c), (losses[d], d))[1]
        point = int(chances[child, 5] * n) if chances[child, 4] < crossover else n
        children[child] = np.concatenate([population[mother, :point], population[father, point:]])
        for flip in chances[child, 6:]:
            children[child, int(flip * n)] ^= 1
        repair(children[child], k)
        found[child] = loss(values, children[child])
    return children, found
