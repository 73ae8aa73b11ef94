"""Cuts over listed groups: a linear program that needs no pricing.

Once all groups are listed that a partition below a target can be made of, a linear program over these alone
bounds what such a partition costs. Cuts raise it as in column generation, but each round takes little time:
what would have to be priced is all there. The reduced costs at its end say which of the groups can still
be in such a partition, and only these are left to an integer program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from microagg.context import Ticker
from microagg.partition.bounds.cuts import GroupCuts, entries_of
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.master import Master
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.pricing import tolerance_of
from microagg.partition.bounds.separation import most_violated
from microagg.partition.bounds.working_set import WorkingSet
from microagg.typing import Floats, Rows

if TYPE_CHECKING:
    from microagg.partition.bounds.column_generation import ColumnGeneration

MOST_ROUNDS = 30
"""Rounds of cuts."""

WORTH_A_ROUND, LOOKED_BACK = 0.02, 3
"""The share of what is missing that so many rounds must prove to be followed by another."""


class ListedCuts:
    """The linear program over listed groups, in the unit of a generation.

    Parameters
    ----------
    generation : ColumnGeneration
        What the groups have been listed with: its duals and cuts are the start.
    groups : sequence of iterables of int64[s]
        The groups.

    Attributes
    ----------
    pool : CandidateGroups
        The groups.
    unit : float
        The unit of the errors of the pool.
    bound : float
        What no partition of these groups can beat, in the unit of the records.
    """

    def __init__(self, generation: ColumnGeneration, groups: Sequence[Iterable[Rows]]) -> None:
        self.n, self.unit = generation.n, generation.unit
        self.pool = CandidateGroups(generation.points / np.sqrt(self.unit))
        for rows in groups:
            self.pool.add(rows)
        self._sizes = sorted({rows.size for rows in self.pool.groups})
        self._master = Master(self.pool, self.n)
        self._master.cut(generation.charged_cuts)
        proved = generation.proved
        self._duals = Duals(proved.prices / self.unit, proved.charges / self.unit)
        self._costs = self._reduced_costs(self._duals)
        self._few = WorkingSet(self.pool, self.n)
        self._few.begin_with(self._duals, self.cuts)
        self._bound = generation.bound / self.unit

    @property
    def cuts(self) -> GroupCuts:
        """All cuts."""
        return self._master.cuts

    @property
    def bound(self) -> float:
        """The bound, in the unit of the records."""
        return self._bound * self.unit

    def run(self, target: float, seconds_left: Callable[[], float], ticker: Ticker) -> None:
        """Add cuts until the bound is at the target, or they raise it too little."""
        bounds = [self.bound]
        while len(bounds) <= MOST_ROUNDS and self.bound < target:
            if ticker[1] != 0 or not self._round(seconds_left, ticker):
                return
            bounds.append(self.bound)
            before = bounds[max(0, len(bounds) - 1 - LOOKED_BACK)]
            if len(bounds) > LOOKED_BACK and self.bound - before < WORTH_A_ROUND * (
                target - before
            ):
                return

    def within(self, target: float) -> tuple[Rows, float]:
        """Return the numbers of the groups that a partition below a target can hold.

        A partition of the listed groups with any other one costs at least the number that comes second.
        """
        kept = self._costs <= target / self.unit - self._bound
        others = self._costs[~kept].min(initial=np.inf)
        return np.flatnonzero(kept), float((self._bound + others) * self.unit)

    def _round(self, seconds_left: Callable[[], float], ticker: Ticker) -> bool:
        """Solve over all listed groups, then cut; tells whether there was something to cut."""
        while True:
            centre, seconds = self._duals.prices, seconds_left()
            solution = self._master.solve(self._few.numbers, centre, 1.0, seconds, ticker)
            if solution is None:
                return False
            if not self._few.take_in(solution.duals, self.cuts):
                break
        self._raise(solution.duals)
        shares = solution.shares
        cuts = most_violated(self.pool.groups, shares, self.cuts, self.n, ticker)
        self._master.cut(cuts)
        return len(cuts) > 0

    def _raise(self, duals: Duals) -> None:
        """Keep the bound of some duals if it is higher: see `duals`."""
        costs = self._reduced_costs(duals)
        least = np.zeros(self.n)
        for number in np.flatnonzero(costs < 0).tolist():
            rows = self.pool.groups[number]
            least[rows] = np.minimum(least[rows], costs[number] / rows.size)
        margin = 2 * tolerance_of(duals, self._sizes) * self.n / self._sizes[0]
        bound = duals.total() + float(least.sum()) - margin
        if bound > self._bound:
            self._bound, self._duals = bound, duals.lowered(least)
            self._costs = self._reduced_costs(self._duals)

    def _reduced_costs(self, duals: Duals) -> Floats:
        cuts = self.cuts.first(duals.charges.size)
        entries = entries_of(self.pool.groups, cuts, self.n)
        worth = np.concatenate([duals.prices, -duals.charges])
        costs: Floats = self.pool.errors - entries @ worth
        return costs
