"""Parts: records divided where groups that cross would be expensive, to start a semidefinite bound from.

A pair of records in two parts costs a bound nothing where its squared distance is at least the sum of the
prices of the two records. So pairs are joined in the order of distance over prices, as in single linkage,
while parts stay small enough; parts that are too small join the nearest other part.
"""

from __future__ import annotations

import numpy as np

from microagg.typing import Floats, Rows

FEWEST_GROUPS = 3
"""Records of a part at least, in multiples of k."""

FAR = 3.0
"""Up to which ratio of squared distance and prices all pairs are joined, not only the nearest."""

NEIGHBOURS = 40
"""Nearest records of each that are joined, whatever the ratio."""

LEAST_PRICE = 1e-9
"""Stands for a price of 0, as a share of the mean."""


def parts_of(costs: Floats, prices: Floats, k: int, most: int) -> list[Rows]:
    """Return the rows of each part.

    Parameters
    ----------
    costs : float64[n, n]
        Half the squared distances.
    prices : float64[n]
        About what each record adds to the error of a partition.
    k : int
        The smallest size of a group.
    most : int
        Records of a part, unless small ones have to join it.

    Examples
    --------
    >>> line = np.arange(8.0) + 100 * (np.arange(8) > 3)
    >>> parts = parts_of((line[:, None] - line) ** 2 / 2, np.ones(8), 1, 4)
    >>> [rows.tolist() for rows in parts]
    [[0, 1, 2, 3], [4, 5, 6, 7]]
    """
    ratios = _ratios(costs, prices)
    labels = _joined(ratios, most)
    labels = _with_small_joined(ratios, labels, FEWEST_GROUPS * k, most)
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def with_core(parts: list[Rows], prices: Floats, share: float, most: int) -> list[Rows]:
    """Join the parts that hold most of the error into one, which comes first.

    Parameters
    ----------
    parts : list of int64[s]
        The rows of each part.
    prices : float64[n]
        About what each record adds to the error of a partition.
    share : float
        The share of all prices that the parts to join must hold.
    most : int
        The largest number of records in the joined part; where it would have more, the parts stay as they
        are.

    Examples
    --------
    >>> parts = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]
    >>> prices = np.array([0.0, 0, 5, 5, 4, 4])
    >>> [rows.tolist() for rows in with_core(parts, prices, 0.9, 4)]
    [[2, 3, 4, 5], [0, 1]]
    >>> len(with_core(parts, prices, 0.9, 3))
    3
    """
    totals = np.array([float(prices[rows].sum()) for rows in parts])
    order = np.argsort(-totals, kind="stable")
    count = int(np.searchsorted(np.cumsum(totals[order]), share * totals.sum())) + 1
    core = np.sort(np.concatenate([parts[number] for number in order[:count]]))
    if len(core) > most:
        return parts
    return [core, *(parts[number] for number in order[count:])]


def _ratios(costs: Floats, prices: Floats) -> Floats:
    """Return the ratio of squared distance and the sum of two prices; infinite on the diagonal."""
    own = np.maximum(prices, LEAST_PRICE * (prices.mean() or 1.0))
    ratios: Floats = 2 * costs / (own[:, None] + own)
    np.fill_diagonal(ratios, np.inf)
    return ratios


def _joined(ratios: Floats, most: int) -> Rows:
    """Join pairs in the order of their ratios while parts have at most `most` records."""
    n = len(ratios)
    near = min(NEIGHBOURS, n - 1)
    limits = np.maximum(FAR, np.partition(ratios, near - 1, axis=1)[:, near - 1])
    i, j = np.nonzero(np.triu(ratios <= np.maximum(limits[:, None], limits), 1))
    order = np.argsort(ratios[i, j], kind="stable")
    parent, size = list(range(n)), [1] * n

    def top(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    for first, second in zip(i[order].tolist(), j[order].tolist(), strict=True):
        a, b = top(first), top(second)
        if a != b and size[a] + size[b] <= most:
            parent[b] = a
            size[a] += size[b]
    return np.array([top(row) for row in range(n)])


def _with_small_joined(ratios: Floats, labels: Rows, fewest: int, most: int) -> Rows:
    """Join each part of fewer than `fewest` records to the nearest, if possible a small enough one."""
    while True:
        names, sizes = np.unique(labels, return_counts=True)
        if sizes.min() >= fewest or len(names) == 1:
            return labels
        inside = labels == names[sizes.argmin()]
        nearest = ratios[inside].min(axis=0)
        nearest[inside] = np.inf
        sizes_of = sizes[np.searchsorted(names, labels)]
        fitting = np.where(sizes_of + inside.sum() <= most + fewest, nearest, np.inf)
        chosen = fitting if np.isfinite(fitting).any() else nearest
        labels = np.where(inside, labels[chosen.argmin()], labels)
