"""The part of the semidefinite bound that looks at each record's row alone.

In a partition, the row of record i of Z is 1/s for the s records of its group and 0 elsewhere, with
k <= s <= U. So for any matrix A

    sum over ij of A_ij Z_ij  >=  sum over i of  min over s of  (A_ii + the s-1 smallest A_ij) / s,

whatever the partition. With A = half the squared distances this is a bound by near neighbours.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from microagg.engine import Array

BLOCK = 256
"""Rows at a time: what is sorted stays small beside the matrices."""


PRICE_STEPS, PRICE_IDLE = 100, 5
"""Steps in which prices are raised; and after how many without a higher sum the aim is lowered."""


def row_minima(shares: Array, k: int, largest: int, xp: ModuleType = np) -> Array:
    """Return each row's minimum over the groups of k to `largest` records that hold its own.

    Examples
    --------
    >>> row_minima(np.array([[0.0, 1, 5, 9], [1, 0, 4, 8], [5, 4, 0, 3], [9, 8, 3, 0]]), 2, 2).tolist()
    [0.5, 0.5, 1.5, 1.5]
    """
    n = len(shares)
    sizes = xp.arange(k, largest + 1)
    minima = xp.empty(n)
    for first in range(0, n, BLOCK):
        block = shares[first : first + BLOCK].copy()
        own, rows = _diagonal(block, first, xp), len(block)
        block[xp.arange(rows), xp.arange(first, first + rows)] = xp.inf
        near = xp.sort(xp.partition(block, largest - 2, axis=1)[:, : largest - 1], axis=1)
        costs = own[:, None] + xp.cumsum(near, axis=1)[:, k - 2 :]
        minima[first : first + BLOCK] = (costs / sizes).min(axis=1)
    return minima


def row_choices(shares: Array, k: int, largest: int, xp: ModuleType = np) -> tuple[Array, Array]:
    """Return each row's minimum, and how much of each record the groups that attain them hold.

    Examples
    --------
    >>> shares = np.array([[0.0, 1, 5, 9], [1, 0, 4, 8], [5, 4, 0, 3], [9, 8, 3, 0]])
    >>> [part.tolist() for part in row_choices(shares, 2, 2)]
    [[0.5, 0.5, 1.5, 1.5], [1.0, 1.0, 1.0, 1.0]]
    """
    n = len(shares)
    sizes = xp.arange(k, largest + 1)
    minima, demand = xp.empty(n), xp.zeros(n)
    for first in range(0, n, BLOCK):
        block = shares[first : first + BLOCK].copy()
        own, rows = _diagonal(block, first, xp), xp.arange(len(block))
        block[rows, first + rows] = xp.inf
        near = xp.argpartition(block, largest - 2, axis=1)[:, : largest - 1]
        values = xp.take_along_axis(block, near, axis=1)
        order = xp.argsort(values, axis=1)
        near = xp.take_along_axis(near, order, axis=1)
        sums = xp.cumsum(xp.take_along_axis(values, order, axis=1), axis=1)[:, k - 2 :]
        costs = (own[:, None] + sums) / sizes
        best = costs.argmin(axis=1)
        minima[first : first + BLOCK] = costs[rows, best]
        shares_of = xp.where(xp.arange(largest - 1) < (best + k - 1)[:, None], 1.0, 0.0)
        shares_of /= sizes[best][:, None]
        demand += xp.bincount(near.ravel(), shares_of.ravel(), n)
        demand[first + rows] += 1 / sizes[best]
    return minima, demand


def raised_prices(
    shares: Array, scales: Array, sizes: range, target: float, xp: ModuleType
) -> Array:
    """Return prices w for which the rows of shares - (w_i + w_j) / 2, and w, add up to more.

    In every partition each row and each column of Z adds up to 1, so that any prices may be moved from
    entries to records. A record that rows hold less than once is worth more, and vice versa.

    Parameters
    ----------
    shares : float64[n, n]
        The entries.
    scales : float64[n]
        About how large the prices are, above 0.
    sizes : range
        The sizes of groups.
    target : float
        The sum to aim at.
    """
    best_prices = prices = xp.zeros(len(shares))
    best, idle = -np.inf, 0
    for _ in range(PRICE_STEPS):
        moved = shares - (prices[:, None] + prices) / 2
        minima, demand = row_choices(moved, sizes[0], sizes[-1], xp)
        total = float(minima.sum() + prices.sum())
        idle = idle + 1 if total <= best else 0
        if total > best:
            best, best_prices = total, prices
        if idle == PRICE_IDLE:
            target, prices, idle = (best + target) / 2, best_prices, 0
            continue
        slopes = (1 - demand) / 2
        length = float((scales * slopes**2).sum())
        if best >= target or length == 0:
            break
        prices = prices + (target - total) / length * scales * slopes
    return best_prices


def _diagonal(block: Array, first: int, xp: ModuleType) -> Array:
    rows = len(block)
    return block[xp.arange(rows), xp.arange(first, first + rows)].copy()


def project_on_box(matrix: Array, least: float, xp: ModuleType = np) -> None:
    """Clip entries to 0 and 1, and those of the diagonal to `least` and 1, in place."""
    every = xp.arange(len(matrix))
    diagonal = xp.clip(matrix[every, every], least, 1.0)
    xp.clip(matrix, 0.0, 1.0, out=matrix)
    matrix[every, every] = diagonal
