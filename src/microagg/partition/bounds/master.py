"""The master problem: the cheapest mixture of groups of the pool that holds every record once.

A linear program in HiGHS: one row per record (its groups add up to 1) and one per cut (what groups add
to it is at most 1), a column a group. It is degenerate, so that
simplex methods took ten times as long as an interior point on Tarragona with k=5.

Two more columns a record keep its price near a centre: one supplies the record once at the upper end
of a box, the other takes it back once at the lower end. Prices then move in steps that can be
trusted, and there is a solution whatever the groups. Where neither is used, the value is that of the
linear program itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg.budget import CLOCK
from microagg.context import Ticker
from microagg.partition.bounds.cuts import GroupCuts, entries_of
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.solver import add_columns, new_solver, stop_with
from microagg.typing import Floats, Rows

OPTIONS: dict[str, Any] = {
    "solver": "ipm",
    "run_crossover": "off",
    "ipm_optimality_tolerance": 1e-11,
}
"""The prices of an interior point lie amid all that are as good, where those of a vertex jump about."""


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
    """The linear program over some groups of a pool, and the cuts found so far."""

    def __init__(self, pool: CandidateGroups, n: int) -> None:
        self._pool, self._n, self._presolve = pool, n, True
        self.cuts = GroupCuts.of(0)

    def cut(self, cuts: GroupCuts) -> None:
        """Add cuts."""
        self.cuts = self.cuts.plus(cuts)

    def solve(
        self, chosen: Rows, centre: Floats, width: float, seconds: float, ticker: Ticker
    ) -> Solution | None:
        """Solve over the groups chosen; None when it was stopped, took too long or went wrong.

        Each price is kept within `width`, in units of the prices, of its centre; further away where
        that costs less than a record.
        """
        begun = CLOCK.now()
        solver = self._run(chosen, centre, width, seconds, ticker)
        if self._presolve and _is_unsure(solver) and ticker[1] == 0:
            self._presolve = False  # what it takes out may come back with prices that are far off
            seconds -= CLOCK.now() - begun
            solver = self._run(chosen, centre, width, seconds, ticker)
        solution = solver.getSolution()
        if not _usable(solver, solution) or ticker[1] != 0:
            return None
        prices, values = np.array(solution.row_dual), np.array(solution.col_value)
        shares = np.zeros(len(self._pool))
        shares[chosen] = values[2 * self._n :]
        return Solution(
            float(solver.getObjectiveValue()),
            shares,
            float(values[: 2 * self._n].sum()),
            Duals(prices[: self._n], np.maximum(-prices[self._n :], 0.0)),
        )

    def _run(
        self, chosen: Rows, centre: Floats, width: float, seconds: float, ticker: Ticker
    ) -> Any:
        """Return the solver after it has run."""
        solver = self._program(chosen, centre, width)
        solver.setOptionValue("time_limit", max(seconds, 0.0))
        if not self._presolve:
            solver.setOptionValue("presolve", "off")
        stop_with(solver, ticker)
        solver.run()
        return solver

    def _program(self, chosen: Rows, centre: Floats, width: float) -> Any:
        from scipy.sparse import eye_array, vstack

        n, cuts = self._n, len(self.cuts)
        solver = new_solver(n, cuts, OPTIONS)
        sizes = np.abs(centre)
        reach = width * np.maximum(sizes, sizes.mean() or 1.0)
        one = eye_array(n, n + cuts, format="csr")
        ends = np.concatenate([centre + reach, reach - centre])
        add_columns(solver, ends, vstack([one, -one], format="csr"), high=1.0)
        groups = [self._pool.groups[number] for number in chosen]
        add_columns(solver, self._pool.errors[chosen], entries_of(groups, self.cuts, n))
        return solver


def _is_unsure(solver: Any) -> bool:
    """Return whether the solver does not say that its solution is optimal."""
    import highspy

    return bool(solver.getModelStatus() == highspy.HighsModelStatus.kUnknown)


def _usable(solver: Any, solution: Any) -> bool:
    """Return whether there are prices: any do, so that nearly as good as asked for is good enough."""
    import highspy

    good = (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kUnknown)
    return solver.getModelStatus() in good and bool(solution.dual_valid)
