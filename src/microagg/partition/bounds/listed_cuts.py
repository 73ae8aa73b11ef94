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
from microagg.partition.bounds.listed_program import ListedProgram, least_of
from microagg.partition.bounds.master import Master
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.pricing import tolerance_of
from microagg.partition.bounds.separation import VIOLATIONS, most_violated
from microagg.partition.bounds.working_set import WorkingSet
from microagg.typing import Floats, Labels, Rows

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
        """Add cuts, the most violated ones first, until the bound is at the target or rises too little."""
        for violation in VIOLATIONS:
            bounds = [self.bound]
            while len(bounds) <= MOST_ROUNDS and self.bound < target:
                if ticker[1] != 0:
                    return
                cuts = self._round(violation, seconds_left, ticker)
                if cuts is None:
                    return
                bounds.append(self.bound)
                if cuts == 0 or _is_slow(bounds, target):
                    break

    def within(self, target: float) -> tuple[Rows, float]:
        """Return the numbers of the groups that a partition below a target can hold.

        A partition of the listed groups with any other one costs at least the number that comes second.
        """
        kept = self._costs <= target / self.unit - self._bound
        others = self._costs[~kept].min(initial=np.inf)
        return np.flatnonzero(kept), float((self._bound + others) * self.unit)

    def program(self, numbers: Rows) -> ListedProgram:
        """Return the program of these groups for branch and bound, in the unit of the pool."""
        groups = [self.pool.groups[number] for number in numbers]
        return ListedProgram(groups, self.pool.errors[numbers], self.cuts, self._duals, self.n)

    def labels_of(self, numbers: Rows) -> Labels:
        """Return the label of each record in the partition into these groups."""
        labels = np.empty(self.n, dtype=np.int32)
        for label, number in enumerate(numbers.tolist()):
            labels[self.pool.groups[number]] = label
        return labels

    def error_of(self, numbers: Rows) -> float:
        """Return the error of these groups, in the unit of the records."""
        return float(self.pool.errors[numbers].sum()) * self.unit

    def floor(self, numbers: Rows) -> float:
        """Return what groups that hold each record of these groups once cost at least, in the unit."""
        entries = entries_of([self.pool.groups[number] for number in numbers], self.cuts, self.n)
        used = np.unique(entries.indices)
        worth = np.zeros(self.n + len(self.cuts))
        worth[: self.n] = self._duals.prices
        worth[self.n : self.n + self._duals.charges.size] = -self._duals.charges
        return float(worth[used].sum() + min(self._costs[numbers].min(), 0.0) * numbers.size)

    def _round(
        self, violation: float, seconds_left: Callable[[], float], ticker: Ticker
    ) -> int | None:
        """Solve over all listed groups, then cut; returns the number of cuts, None if there was no time."""
        while True:
            centre, seconds = self._duals.prices, seconds_left()
            solution = self._master.solve(self._few.numbers, centre, 1.0, seconds, ticker)
            if solution is None:
                return None
            if not self._few.take_in(solution.duals, self.cuts):
                break
        self._raise(solution.duals)
        groups, shares = self.pool.groups, solution.shares
        cuts = most_violated(groups, shares, self.cuts, self.n, ticker, violation)
        self._master.cut(cuts)
        return len(cuts)

    def _raise(self, duals: Duals) -> None:
        """Keep the bound of some duals if it is higher: see `duals`."""
        costs = self._reduced_costs(duals)
        least = least_of(costs, self.pool.groups, self.n)
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


def _is_slow(bounds: Sequence[float], target: float) -> bool:
    """Tell whether the last rounds have proved little of what was missing before them."""
    before = bounds[max(0, len(bounds) - 1 - LOOKED_BACK)]
    missing = target - before
    return len(bounds) > LOOKED_BACK and bounds[-1] - before < WORTH_A_ROUND * missing
