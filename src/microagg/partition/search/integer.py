"""The restricted integer program: the best partition that can be made of given groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.partition.bounds.duals import Floats
from microagg.partition.bounds.pool import Rows
from microagg.partition.registry import Labels
from microagg.progress import Ticker

NODES = 200
"""Nodes of the search tree, at most: later rounds have better groups to choose from."""


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

    solver: Any = highspy.Highs()
    solver.silent()
    options = {"threads": 1, "mip_max_nodes": NODES, "mip_rel_gap": 1e-7}
    if math.isfinite(seconds):
        options["time_limit"] = max(seconds, 0.0)
    for option, value in options.items():
        solver.setOptionValue(option, value)
    _pose(solver, groups, errors, n)
    known = highspy.HighsSolution()
    known.col_value = start.astype(float).tolist()
    solver.setSolution(known)
    _stop_with(solver, ticker)
    solver.run()
    values = np.array(solver.getSolution().col_value)
    chosen = values > 0.5
    if values.size == 0 or errors[chosen].sum() >= errors[start].sum() * (1 - 1e-12):
        return None
    return _labels([groups[number] for number in np.flatnonzero(chosen)], n)


def _pose(solver: Any, groups: list[Rows], errors: Floats, n: int) -> None:
    """Hand over the problem: each record in exactly one group."""
    import highspy

    ones, m = np.ones(n), len(groups)
    none = np.empty(0)
    starts = np.zeros(n, dtype=np.int32)
    solver.addRows(n, ones, ones, 0, starts, none.astype(np.int32), none)
    first = np.cumsum([0, *(rows.size for rows in groups[:-1])]).astype(np.int32)
    rows = np.concatenate(groups).astype(np.int32)
    low, high = np.zeros(m), np.ones(m)
    solver.addCols(m, errors, low, high, rows.size, first, rows, np.ones(rows.size))
    columns = np.arange(m, dtype=np.int32)
    kinds = np.full(m, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
    solver.changeColsIntegrality(m, columns, kinds)


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
