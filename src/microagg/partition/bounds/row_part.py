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


def _diagonal(block: Array, first: int, xp: ModuleType) -> Array:
    rows = len(block)
    return block[xp.arange(rows), xp.arange(first, first + rows)].copy()


def project_on_box(matrix: Array, least: float, xp: ModuleType = np) -> None:
    """Clip entries to 0 and 1, and those of the diagonal to `least` and 1, in place."""
    every = xp.arange(len(matrix))
    diagonal = xp.clip(matrix[every, every], least, 1.0)
    xp.clip(matrix, 0.0, 1.0, out=matrix)
    matrix[every, every] = diagonal
