"""The restricted integer program: the best partition that can be made of given groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.partition.bounds.duals import Floats
from microagg.partition.bounds.pool import Rows
from microagg.partition.bounds.solver import add_columns, new_solver
from microagg.partition.registry import Labels
from microagg.progress import Ticker

NODES = 200
"""Nodes of the search tree when there is no time limit."""


def best_of(
    groups: list[Rows],
    errors: Floats,
    start: NDArray[np.bool_],
    n: int,
    seconds: float,
    ticker: Ticker,
) -> Labels | None:
    """Return the labels of the cheapest partition found, or None when that is the start.

    Parameters
    ----------
    groups, errors
        The groups to choose from and their errors.
    start : bool[groups]
        Which of them are the partition known.
    n : int
        The number of records.
    seconds : float
        How long to look at most.
    ticker : int64[2]
        It stops when ``ticker[1]`` is not 0.
    """
    import highspy

    limits = (
        {"time_limit": max(seconds, 0.0)} if math.isfinite(seconds) else {"mip_max_nodes": NODES}
    )
    solver = new_solver(n, {"mip_rel_gap": 1e-7, **limits})
    add_columns(solver, errors, groups, high=1.0)
    kinds = np.full(len(groups), int(highspy.HighsVarType.kInteger), dtype=np.uint8)
    solver.changeColsIntegrality(len(groups), np.arange(len(groups), dtype=np.int32), kinds)
    known: Any = highspy.HighsSolution()
    known.col_value = start.astype(float).tolist()
    solver.setSolution(known)
    _stop_with(solver, ticker)
    solver.run()
    values = np.array(solver.getSolution().col_value)
    chosen = values > 0.5
    if values.size == 0 or errors[chosen].sum() >= errors[start].sum() * (1 - 1e-12):
        return None
    return _labels([groups[number] for number in np.flatnonzero(chosen)], n)


def _stop_with(solver: Any, ticker: Ticker) -> None:
    """Let the ticker interrupt the solver."""

    def look(event: Any) -> None:
        if ticker[1] != 0:
            event.interrupt()

    solver.cbMipInterrupt += look


def _labels(groups: list[Rows], n: int) -> Labels | None:
    """Return the label of each record, or None where rounding left one in no group or in two."""
    labels = np.full(n, -1, dtype=np.int32)
    for number, rows in enumerate(groups):
        labels[rows] = number
    whole = sum(rows.size for rows in groups) == n and labels.min() >= 0
    return labels if whole else None
