"""The best partition of few records."""

from functools import cache

import numpy as np
import pytest


@cache
def subsets(n, k):
    """Return the members of every set of records, and how each can lose a group with its first."""
    inside = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1 == 1
    sizes = inside.sum(axis=1)
    groups = {}
    for whole in np.flatnonzero(sizes >= k):
        lowest = whole & -whole
        parts = np.arange(2**n)
        parts = parts[(parts & whole == parts) & (parts & lowest > 0) & (sizes >= k)]
        left = sizes[whole ^ parts]
        groups[int(whole)] = parts[(left == 0) | (left >= k)]
    return inside, groups


def least_error(points, k):
    """Return the least error of any partition, by a dynamic program over all sets of records."""
    n = len(points)
    inside, groups = subsets(n, k)
    counts = np.maximum(inside.sum(axis=1), 1)[:, np.newaxis, np.newaxis]
    apart = points - points[inside.argmax(axis=1)][:, np.newaxis]  # an offset costs no digits
    apart = np.where(inside[:, :, np.newaxis], apart, 0.0)
    apart = apart - apart.sum(axis=1, keepdims=True) / counts
    errors = np.sum(np.where(inside[:, :, np.newaxis], apart, 0.0) ** 2, axis=(1, 2))
    best = np.full(2**n, np.inf)
    best[0] = 0.0
    for whole, parts in groups.items():
        best[whole] = np.min(errors[parts] + best[whole ^ parts])
    return best[-1]


@pytest.fixture(scope="session")
def best_error():
    """Return a function of records and k that gives the least error of any partition."""
    return least_error
