"""HiGHS, set up for problems in which each record is in exactly one group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def new_solver(n: int, options: Mapping[str, Any]) -> Any:
    """Return a silent solver with a row for each of n records, which must add up to 1."""
    import highspy

    make: Any = highspy.Highs
    solver = make()
    solver.silent()
    for option, value in {"threads": 1, **options}.items():
        solver.setOptionValue(option, value)
    ones, none = np.ones(n), np.empty(0)
    starts = np.zeros(n, dtype=np.int32)
    solver.addRows(n, ones, ones, 0, starts, none.astype(np.int32), none)
    return solver


def add_columns(
    solver: Any,
    costs: NDArray[np.float64],
    rows: list[NDArray[np.int64]],
    values: NDArray[np.float64] | None = None,
    high: float = np.inf,
) -> None:
    """Add columns of these costs and rows, with entries of 1 unless given, from 0 to `high`."""
    m, indices = len(rows), np.concatenate(rows).astype(np.int32)
    starts = np.cumsum([0, *(entries.size for entries in rows[:-1])]).astype(np.int32)
    entries = np.ones(indices.size) if values is None else values
    low, upper = np.zeros(m), np.full(m, high)
    solver.addCols(m, costs, low, upper, indices.size, starts, indices, entries)
