"""HiGHS, set up for problems in which each record is in exactly one group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker


def new_solver(n: int, cuts: int, options: Mapping[str, Any]) -> Any:
    """Return a silent solver: a row for each of n records adds up to 1, one a cut to 1 at most."""
    import highspy

    make: Any = highspy.Highs
    solver = make()
    solver.silent()
    for option, value in {"threads": 1, **options}.items():
        solver.setOptionValue(option, value)
    low, high = np.repeat([1.0, -np.inf], [n, cuts]), np.ones(n + cuts)
    starts, none = np.zeros(n + cuts, dtype=np.int32), np.empty(0)
    solver.addRows(n + cuts, low, high, 0, starts, none.astype(np.int32), none)
    return solver


def stop_with(solver: Any, ticker: Ticker) -> None:
    """Let the ticker interrupt the solver, whatever it is at."""

    def look(event: Any) -> None:
        if ticker[1] != 0:
            event.interrupt()

    solver.cbMipInterrupt += look
    solver.cbSimplexInterrupt += look
    solver.cbIpmInterrupt += look


def add_columns(
    solver: Any,
    costs: NDArray[np.float64],
    entries: Any,
    high: float = np.inf,
) -> None:
    """Add columns of these costs from 0 to `high`; each is a sparse row of `entries`."""
    m, low, upper = len(costs), np.zeros(len(costs)), np.full(len(costs), high)
    starts, indices = entries.indptr[:-1].astype(np.int32), entries.indices.astype(np.int32)
    solver.addCols(m, costs, low, upper, entries.nnz, starts, indices, entries.data)
