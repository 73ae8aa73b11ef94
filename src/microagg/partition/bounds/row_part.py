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


PRICE_STEPS, PRICE_IDLE, LOOKED_AT = 100, 5, 4
"""Steps in which prices are raised; after how many without a higher sum the aim is lowered; and how many
entries of a row are looked at, for each record of a largest group."""


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


def near_entries(shares: Array, count: int, xp: ModuleType = np) -> tuple[Array, Array]:
    """Return the columns and values of each row's smallest entries, its own left out.

    Examples
    --------
    >>> [part.tolist() for part in near_entries(np.array([[0.0, 2, 1], [2, 0, 3], [1, 3, 0]]), 1)]
    [[[2], [0], [0]], [[1.0], [2.0], [1.0]]]
    """
    n = len(shares)
    near = xp.empty((n, count), dtype=xp.int64)
    for first in range(0, n, BLOCK):
        block = shares[first : first + BLOCK].copy()
        rows = xp.arange(len(block))
        block[rows, first + rows] = xp.inf
        near[first : first + BLOCK] = xp.argpartition(block, count - 1, axis=1)[:, :count]
    return near, xp.take_along_axis(shares, near, axis=1)


def row_choices(
    own: Array, near: Array, values: Array, sizes: range, xp: ModuleType = np
) -> tuple[Array, Array]:
    """Return each row's minimum over some entries, and how much of each record the minima hold.

    Parameters
    ----------
    own : float64[n]
        The entry of each row's own record.
    near, values : int64[n, m], float64[n, m]
        The columns of other entries, and the entries.
    sizes : range
        The sizes of groups, at most m + 1.

    Examples
    --------
    >>> shares = np.array([[0.0, 1, 5, 9], [1, 0, 4, 8], [5, 4, 0, 3], [9, 8, 3, 0]])
    >>> near, values = near_entries(shares, 3)
    >>> [part.tolist() for part in row_choices(np.zeros(4), near, values, range(2, 3))]
    [[0.5, 0.5, 1.5, 1.5], [1.0, 1.0, 1.0, 1.0]]
    """
    n, most = len(own), sizes[-1] - 1
    order = xp.argsort(values, axis=1)[:, :most]
    near = xp.take_along_axis(near, order, axis=1)
    sums = xp.cumsum(xp.take_along_axis(values, order, axis=1), axis=1)[:, sizes[0] - 2 :]
    counts = xp.arange(sizes[0], sizes[-1] + 1)
    costs = (own[:, None] + sums) / counts
    best = costs.argmin(axis=1)
    share = 1 / counts[best]
    taken = xp.where(xp.arange(most) < (best + sizes[0] - 1)[:, None], share[:, None], 0.0)
    demand = xp.bincount(near.ravel(), taken.ravel(), n) + share
    return costs[xp.arange(n), best], demand


def raised_prices(
    shares: Array, scales: Array, sizes: range, target: float, xp: ModuleType
) -> Array:
    """Return prices w for which the rows of shares - (w_i + w_j) / 2, and w, add up to more.

    In every partition each row and each column of Z adds up to 1, so that any prices may be moved from
    entries to records. A record that rows hold less than once is worth more, and vice versa. Only the
    smallest entries of each row are looked at, so that the sum is a guess; any prices are valid.

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
    n = len(shares)
    best_prices = prices = xp.zeros(n)
    best, idle = -np.inf, 0
    near, values = near_entries(shares, min(n - 1, LOOKED_AT * sizes[-1]), xp)
    own = shares[xp.arange(n), xp.arange(n)]
    for _ in range(PRICE_STEPS):
        moved = values - (prices[:, None] + prices[near]) / 2
        minima, demand = row_choices(own - prices, near, moved, sizes, xp)
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
