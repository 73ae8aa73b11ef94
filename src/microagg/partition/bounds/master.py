"""The master problem: the cheapest mixture of groups of the pool that holds every record once.

A linear program in HiGHS: a row a record (its groups add up to 1) and a row a cut (the groups that
hold two of its three records add up to at most 1), a column a group. Groups and cuts are added to
the last basis, so that each solution starts from the one before: by the primal simplex method after
new groups, by the dual one after new cuts.

Two more columns a record keep its price in a box around a centre: one supplies the record at the
upper end of the box, the other takes it back at the lower end. Prices then move in steps that can be
trusted, and there is a solution even while the pool is empty. Where neither is used, the value is
that of the linear program itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg.partition.bounds.cuts import Triples, holds_two
from microagg.partition.bounds.duals import Duals, Floats
from microagg.partition.bounds.pool import Pool
from microagg.partition.bounds.solver import add_columns, new_solver

OPTIONS: dict[str, Any] = {"presolve": "off", "dual_feasibility_tolerance": 1e-9}
"""Presolve would throw the last basis away; prices should not be wrong by more than they must."""

DUAL, PRIMAL = 1, 4
"""The solver's numbers for the simplex methods."""


@dataclass(frozen=True)
class Solution:
    """A solution of the master problem.

    Attributes
    ----------
    value : float
        What the mixture costs.
    shares : float64[groups]
        How much of each group of the pool it holds.
    boxed : float
        How much of the records the ends of the boxes supply or take back.
    duals : Duals
        The prices of the records and the charges of the cuts.
    """

    value: float
    shares: Floats
    boxed: float
    duals: Duals


class Master:
    """The linear program over all groups of a pool."""

    def __init__(self, pool: Pool, n: int) -> None:
        self._pool, self._n, self._known, self._strategy = pool, n, 0, PRIMAL
        self.triples: Triples = np.empty((0, 3), dtype=np.int64)
        self._solver = new_solver(n, OPTIONS)
        ends = [np.array([row]) for row in (*range(n), *range(n))]
        add_columns(self._solver, np.zeros(2 * n), ends, np.repeat([1.0, -1.0], n))

    def box(self, centre: Floats, width: float) -> None:
        """Keep each price within `width`, in units of the prices, of its centre."""
        sizes = np.abs(centre)
        reach = width * np.maximum(sizes, sizes.mean() or 1.0)
        columns = np.arange(2 * self._n, dtype=np.int32)
        ends = np.concatenate([centre + reach, reach - centre])
        self._solver.changeColsCost(columns.size, columns, ends)

    def take_in(self) -> None:
        """Add the groups that are new in the pool as columns."""
        groups = self._pool.groups[self._known :]
        if not groups:
            return
        entries = [
            np.concatenate([rows, self._n + np.flatnonzero(holds_two(self.triples, rows, self._n))])
            for rows in groups
        ]
        add_columns(self._solver, self._pool.errors[self._known :], entries)
        self._known = len(self._pool)

    def cut(self, triples: Triples) -> None:
        """Add cuts as rows."""
        groups = self._pool.groups[: self._known]
        columns = np.repeat(np.arange(len(groups)), [rows.size for rows in groups])
        rows = np.concatenate(groups)
        ends = np.cumsum(np.bincount(rows, minlength=self._n))[:-1]
        of_record = np.split(columns[np.argsort(rows, kind="stable")], ends)
        for triple in triples:
            touched = np.concatenate([of_record[row] for row in triple])
            found, times = np.unique(touched, return_counts=True)
            held = (2 * self._n + found[times >= 2]).astype(np.int32)
            self._solver.addRow(-np.inf, 1.0, held.size, held, np.ones(held.size))
        self.triples = np.concatenate([self.triples, triples])
        self._strategy = DUAL

    def solve(self, seconds: float) -> Solution | None:
        """Solve from the last basis; None when it took too long or went wrong."""
        import highspy

        solver = self._solver
        solver.setOptionValue("simplex_strategy", self._strategy)
        self._strategy = PRIMAL
        # The solver's clock runs on from one solution to the next.
        solver.setOptionValue("time_limit", solver.getRunTime() + max(seconds, 0.0))
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        found = solver.getSolution()
        prices, values = np.array(found.row_dual), np.array(found.col_value)
        return Solution(
            float(solver.getObjectiveValue()),
            values[2 * self._n :],
            float(values[: 2 * self._n].sum()),
            Duals(prices[: self._n], np.maximum(-prices[self._n :], 0.0)),
        )
