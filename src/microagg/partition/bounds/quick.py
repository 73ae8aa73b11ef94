"""The quick bound: prices of the records from their near neighbours alone, for any n and k."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.lazy import lazy
from microagg.partition.bounds.units import unit_of
from microagg.threads import spread
from microagg.typing import Floats

kernels = lazy("microagg.kernels.bounds.degrees")
trees = lazy("microagg.kernels.space.tree")

SPARE = 12
"""Neighbours looked at beyond 2k: a longer list lets values grow further."""

STEPS = 200
"""Steps of the ascent."""

UNBOUNDED = 1e150
"""Stands for no limit where the largest distance is about 1: pairs of all records are known."""


def quick_prices(points: Floats, k: int, ticker: Ticker) -> Floats:
    """Return a price of each record such that no group costs less than its records' prices.

    Stopped early it looks at no more neighbours: a record without neighbours has a price of at
    most 0, which is a price that holds.
    """
    unit = unit_of(points)
    scaled = points / np.sqrt(unit)  # exactly
    gaps, near = near_neighbours(scaled, min(2 * k + SPARE, len(points) - 1), ticker)
    whole = near.shape[1] == len(points) - 1
    complete = near[:, -1] >= 0
    largest = np.where(complete, UNBOUNDED if whole else gaps[:, -1] / 2, 0.0)
    gaps[~complete] = 0.0
    stopped = ticker[1] != 0  # then one step has to do
    steps, stop = (1, np.zeros_like(ticker)) if stopped else (STEPS, ticker)
    prices: Floats = kernels.ascend(k, gaps, near, largest, steps, stop)
    return prices * unit


def near_neighbours(points: Floats, m: int, ticker: Ticker) -> tuple[Floats, NDArray[np.int64]]:
    """Return the squared distances and rows of the m nearest of each record; -1 if stopped."""
    n = len(points)
    gaps, near = np.zeros((n, m)), np.full((n, m), -1, dtype=np.int64)
    tree = trees.new_tree(points)
    spread(lambda rows: kernels.near_lists(tree, points, rows, gaps, near, ticker), n)
    return gaps, near
