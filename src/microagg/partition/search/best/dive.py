"""The dive: a partition made from a mixture of groups, the largest shares first."""

from __future__ import annotations

import numpy as np

from microagg.context import Ticker
from microagg.typing import Floats, Labels, Rows

SHAKEN = 0.3
"""By how much of a whole group shares are shaken, so that one mixture gives many partitions."""


def shaken_dives(
    points: Floats,
    groups: list[Rows],
    shares: Floats,
    k: int,
    count: int,
    rng: np.random.Generator,
    ticker: Ticker,
) -> list[Labels]:
    """Return some partitions made from a mixture: the first by its shares, the others by shaken ones.

    There are fewer of them where the ticker stops it.
    """
    heights = [np.zeros(shares.size)] + [SHAKEN * rng.random(shares.size) for _ in range(count - 1)]
    made = []
    for height in heights:
        if ticker[1] != 0:
            break
        made.append(dive(points, groups, shares + height, k))
    return made


def dive(points: Floats, groups: list[Rows], shares: Floats, k: int) -> Labels:
    """Return a partition with the groups of the largest shares that do not overlap.

    Records left over are grouped with their nearest; the last ones join the nearest groups.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [5.0], [6.0], [7.0]])
    >>> dive(points, [np.array([0, 1]), np.array([1, 2])], np.array([0.6, 0.4]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    labels = np.full(len(points), -1, dtype=np.int32)
    following = 0
    for number in np.argsort(-shares, kind="stable"):
        rows = groups[number]
        if (labels[rows] < 0).all():
            labels[rows] = following
            following += 1
    while (left := np.flatnonzero(labels < 0)).size >= k:
        gaps = np.sum((points[left] - points[left[0]]) ** 2, axis=1)
        labels[left[np.argsort(gaps, kind="stable")[:k]]] = following
        following += 1
    grouped = np.flatnonzero(labels >= 0)
    for row in left:
        gaps = np.sum((points[grouped] - points[row]) ** 2, axis=1)
        labels[row] = labels[grouped[np.argmin(gaps)]]
    return labels
