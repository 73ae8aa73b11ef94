"""A linear program over listed groups that is solved again and again, each time without some of them.

A simplex method starts from the last basis, so that a solution takes milliseconds where an interior point
takes seconds. The program holds only some of the groups at first; groups with negative reduced costs join
it. Every bound follows from the prices and charges alone (see `duals`), whatever the solver did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.partition.bounds.cuts import GroupCuts, entries_of
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.pricing import tolerance_of
from microagg.partition.bounds.solver import add_columns, new_solver
from microagg.typing import Floats, Rows

OPTIONS: dict[str, Any] = {"solver": "simplex", "presolve": "off"}

BIG = 10.0
"""The cost of a record that no group holds, as a multiple of its price or of the mean price."""

FIRST, NEW = 6_000, 2_000
"""Groups that the program holds at first, and groups that join it at once."""

OVERLOOKED = 1e-7
"""A group joins the program if its reduced cost is below minus this."""

EVERY_STEP = 2**31 - 1
"""The solver's own limit of steps."""


@dataclass(frozen=True)
class ListedSolution:
    """A solution over the groups that are allowed.

    Attributes
    ----------
    bound : float
        What no partition of the allowed groups can beat.
    duals : Duals
        The prices and charges that prove it.
    costs, shares : float64[groups]
        The reduced cost and the share of each group.
    basis : object
        Where the solver ended.
    """

    bound: float
    duals: Duals
    costs: Floats
    shares: Floats
    basis: Any


class ListedProgram:
    """The linear program over groups of n records with these errors, under cuts.

    Parameters
    ----------
    groups, errors
        The groups and their errors.
    cuts : GroupCuts
        Inequalities that every partition meets.
    duals : Duals
        Good prices and charges: the groups that are cheapest by them are the first of the program.
    n : int
        The number of records.

    Examples
    --------
    >>> groups, errors = [np.array([0, 1]), np.array([0, 2]), np.array([1, 2])], np.array([1.0, 2.0, 9.0])
    >>> program = ListedProgram(groups, errors, GroupCuts.of(0), Duals(np.ones(3), np.empty(0)), 3)
    >>> round(program.solve(np.ones(3, dtype=bool), None, 1.0).bound, 6)
    6.0
    """

    def __init__(
        self, groups: Sequence[Rows], errors: Floats, cuts: GroupCuts, duals: Duals, n: int
    ) -> None:
        from scipy.sparse import eye_array

        self.groups, self.errors, self.n = groups, errors, n
        self._sizes = sorted({rows.size for rows in groups})
        self._entries = entries_of(groups, cuts, n)
        self._members = self._entries[:, :n].tocsc()
        self._solver = new_solver(n, len(cuts), OPTIONS)
        prices, charges = np.abs(duals.prices), np.zeros(len(cuts))
        one = eye_array(n, n + len(cuts), format="csr")
        add_columns(self._solver, BIG * np.maximum(prices, prices.mean() or 1.0), one)
        self._joined, self._numbers = np.zeros(len(groups), dtype=bool), np.empty(0, dtype=np.int64)
        charges[: duals.charges.size] = duals.charges
        costs = self._costs(Duals(duals.prices, charges))
        self._hold(np.argsort(costs, kind="stable")[:FIRST])

    def holders(self, row: int) -> NDArray[np.bool_]:
        """Tell which groups hold a record."""
        first, last = self._members.indptr[row : row + 2]
        holders = np.zeros(len(self.groups), dtype=bool)
        holders[self._members.indices[first:last]] = True
        return holders

    def solve(
        self, allowed: NDArray[np.bool_], basis: Any, seconds: float
    ) -> ListedSolution | None:
        """Solve over the allowed groups, from a basis unless it is None; None if there was no time."""
        self._prepare(allowed, basis, EVERY_STEP)
        until = self._solver.getRunTime() + max(seconds, 0.0)
        while True:
            self._solver.setOptionValue("time_limit", until)
            self._solver.run()
            solution = self._solver.getSolution()
            if not solution.dual_valid or self._solver.getRunTime() >= until:
                return None
            worth = np.array(solution.row_dual)
            duals = Duals(worth[: self.n], np.maximum(-worth[self.n :], 0.0))
            costs = self._costs(duals)
            cheaper = np.flatnonzero(allowed & ~self._joined & (costs < -OVERLOOKED))
            if cheaper.size == 0:
                break
            self._hold(cheaper[np.argsort(costs[cheaper], kind="stable")[:NEW]])
        shares = np.zeros(len(self.groups))
        shares[self._numbers] = np.array(solution.col_value)[self.n :]
        return self._node(duals, np.where(allowed, costs, np.inf), shares)

    def estimate(self, allowed: NDArray[np.bool_], basis: Any, steps: int) -> float:
        """Return about what the program costs over the allowed groups after few steps: no proof."""
        self._prepare(allowed, basis, steps)
        self._solver.run()
        return float(self._solver.getInfo().objective_function_value)

    def _node(self, duals: Duals, costs: Floats, shares: Floats) -> ListedSolution:
        """Return the node with prices so low that no reduced cost is negative."""
        least = least_of(costs, self.groups, self.n)
        lowered = duals.lowered(least)
        if least.any():
            costs = np.where(costs < np.inf, self._costs(lowered), np.inf)
        margin = 2 * tolerance_of(duals, self._sizes) * self.n / self._sizes[0]
        bound = duals.total() + float(least.sum()) - margin
        return ListedSolution(bound, lowered, costs, shares, self._solver.getBasis())

    def _prepare(self, allowed: NDArray[np.bool_], basis: Any, steps: int) -> None:
        """Let the solver know which groups are allowed, where to begin and when to end."""
        columns = np.arange(self.n, self.n + self._numbers.size, dtype=np.int32)
        high = np.where(allowed[self._numbers], np.inf, 0.0)
        self._solver.changeColsBounds(columns.size, columns, np.zeros(columns.size), high)
        if basis is not None:
            self._solver.setBasis(_widened(basis, self.n + columns.size))
        self._solver.setOptionValue("simplex_iteration_limit", steps)
        self._solver.setOptionValue("time_limit", np.inf)

    def _hold(self, numbers: Rows) -> None:
        """Let groups join the program."""
        self._joined[numbers] = True
        self._numbers = np.append(self._numbers, numbers)
        add_columns(self._solver, self.errors[numbers], self._entries[numbers])

    def _costs(self, duals: Duals) -> Floats:
        worth = np.concatenate([duals.prices, -duals.charges])
        costs: Floats = self.errors - self._entries @ worth
        return costs


def least_of(costs: Floats, groups: Sequence[Rows], n: int) -> Floats:
    """Return for each record the least of 0 and of the reduced costs of its groups, each per record.

    Examples
    --------
    >>> least_of(np.array([-2.0, 1.0]), [np.array([0, 1]), np.array([1, 2])], 3).tolist()
    [-1.0, -1.0, 0.0]
    """
    least = np.zeros(n)
    for number in np.flatnonzero(costs < 0).tolist():
        rows = groups[number]
        least[rows] = np.minimum(least[rows], costs[number] / rows.size)
    return least


def _widened(basis: Any, columns: int) -> Any:
    """Return a basis for a program that has got more columns since."""
    import highspy

    statuses = list(basis.col_status)
    if len(statuses) == columns:
        return basis
    wide: Any = highspy.HighsBasis()
    lower = highspy.HighsBasisStatus.kLower
    wide.col_status = statuses + [lower] * (columns - len(statuses))
    wide.row_status, wide.valid = basis.row_status, True
    return wide
