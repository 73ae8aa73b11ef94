"""Column generation: master problem and pricing in turn, and a bound that holds at every moment.

The master problem says what records are worth over the groups of the pool; pricing at those prices
finds groups that cost less, or proves that there are none. Three things make it quick:

- Prices are trusted only in a box around the best known, and only part of the way: a step that
  raises the bound moves the centre and widens the box, one that does not narrows it.
- Pricing looks at few near records until that finds little, then at all; a bound counts only when
  every root has been exhausted. Where that takes too much work, the step is shortened: the nearer
  to prices that have been proved, the less there is to look at.
- When the master problem has settled, triples that it violates become cuts, and it goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from microagg.partition.bounds.cuts import Triples, holds_two, violated
from microagg.partition.bounds.duals import Duals, Floats
from microagg.partition.bounds.enumeration import Listed, list_below
from microagg.partition.bounds.master import Master, Solution
from microagg.partition.bounds.pool import Pool, Rows, errors_of
from microagg.partition.bounds.pricing import Effort, Priced, choose, price
from microagg.progress import Ticker

FIRST_EFFORT = Effort(width=20, work=20_000)
WHOLE = 2**62
"""More than any width or work."""

EXACT_WORK = 1_000_000
"""Records looked at from one root before a step is called too long, at first."""

NEW_GROUPS_OF_A_RECORD = 4
CUTS_AT_ONCE = 150
FEW = 20
"""Pricing that finds fewer than n / FEW new groups looks harder next time."""

RAISE = 0.03
"""By how much, in the mean price and in each one's own, prices are raised to list groups that are
nearly cheap enough."""

SETTLED = 3e-4
"""The gap between master problem and bound at which cuts are looked for."""

CLOSED = 1e-7
"""The gap at which nothing is left to find."""


class ColumnGeneration:
    """The state of a column generation; `step` takes it further.

    Parameters
    ----------
    points : float64[n, d]
        At least 2k records.
    k : int
        The smallest size of a group.
    prices : float64[n]
        Prices that no group costs less than, to start from: the first bound is their sum.

    Attributes
    ----------
    bound : float
        What no partition can beat. Holds at every moment.
    unit : float
        What errors are counted in within: the solver's tolerances are absolute, so prices should be
        about 1.
    pool : Pool
        The groups seen, with errors in that unit.
    solution : Solution or None
        The last solution of the master problem.
    finished : bool
        Whether nothing is left to do: neither cheaper groups nor violated cuts.
    """

    def __init__(self, points: Floats, k: int, prices: Floats) -> None:
        self.unit = float(prices.mean()) or float(points.var(axis=0).sum()) or 1.0
        self._points = points / np.sqrt(self.unit)
        self._sizes = range(k, min(2 * k - 1, len(points) - k) + 1)
        self.pool = Pool(self._points)
        self._master = Master(self.pool, len(points))
        self._proved = self._centre = Duals(prices / self.unit, np.empty(0))
        self._bound = self._reached = self._centre.total()
        self._width, self._share = 0.3, 0.5
        self._effort = FIRST_EFFORT
        self.solution: Solution | None = None
        self.finished = False

    @property
    def cuts(self) -> int:
        """How many cuts have been added."""
        return len(self._master.triples)

    @property
    def exact(self) -> bool:
        """Whether pricing looks at all records by now."""
        return self._effort.width == WHOLE

    @property
    def bound(self) -> float:
        """The bound, in the unit of the records."""
        return self._bound * self.unit

    def within(self, groups: Rows, allowed: float, most: int) -> tuple[Rows, Floats]:
        """Return groups of one size, int64[m, s], that a good partition may hold, and their costs.

        By the duals to judge by, which may be ahead of those proved: only groups of reduced costs of at
        most `allowed` are returned. There may be `most` of them, the cheapest before charges.
        """
        duals, n = self._judging, len(self._points)
        triples = self._master.triples[: duals.charges.size]
        costs = errors_of(self._points[groups]) - duals.prices[groups].sum(axis=1)
        few = np.argsort(costs, kind="stable")[:most]
        few = few[costs[few] <= allowed / self.unit]
        for number in few:
            costs[number] += duals.charges[holds_two(triples, groups[number], n)].sum()
        few = few[costs[few] <= allowed / self.unit]
        return groups[few], costs[few]

    def below(self, allowed: float, most: int, ticker: Ticker) -> Listed | None:
        """List all groups of reduced costs below `allowed`; None where there are more than `most`.

        A partition with any other group costs at least the bound and the threshold that comes back.
        """
        triples = self.charged_triples
        listed = list_below(
            self._points, self._sizes, self._proved, triples, allowed / self.unit, most, ticker
        )
        return listed and replace(listed, threshold=listed.threshold * self.unit)

    @property
    def _judging(self) -> Duals:
        """The duals to judge groups by: while pricing is by halves, they are ahead of the proof."""
        return self._centre if self._reached > self._bound else self._proved

    @property
    def reached(self) -> float:
        """What the duals to judge by add up to, in the unit of the records: no proof."""
        return max(self._reached, self._bound) * self.unit

    @property
    def charged_triples(self) -> Triples:
        """The triples whose cuts the bound is made with."""
        return self._master.triples[: self._proved.charges.size]

    @property
    def proved(self) -> Duals:
        """The duals of the bound, in the unit of the records: no group has a negative reduced cost."""
        return Duals(self._proved.prices * self.unit, self._proved.charges * self.unit)

    def near_groups(self, ticker: Ticker) -> list[Rows]:
        """List groups of small reduced costs, a few from each root: what raised prices would find."""
        duals = self._judging
        sizes = np.abs(duals.prices)
        raised = Duals(duals.prices + RAISE * (sizes + sizes.mean()), duals.charges)
        triples = self._master.triples[: duals.charges.size]
        return price(self._points, self._sizes, raised, triples, FIRST_EFFORT, ticker).groups

    def step(self, seconds_left: Callable[[], float], ticker: Ticker) -> None:
        """Solve the master problem once and price once. Stopped, it leaves all as it was."""
        self._master.take_in()
        self._master.box(self._centre.prices, self._width)
        solution = self._master.solve(seconds_left())
        if solution is None:
            self.finished = seconds_left() > 0  # it went wrong: time alone will not mend it
            return
        self.solution = solution
        duals = self._centre.towards(solution.duals, self._share)
        priced = price(self._points, self._sizes, duals, self._master.triples, self._effort, ticker)
        if ticker[1] != 0:
            return
        if priced.exhausted and priced.bound > self._bound:
            self._bound, self._proved = priced.bound, duals.lowered(priced.least)
        self._move(duals, priced)
        new = self.pool.add(choose(priced, len(self._points), NEW_GROUPS_OF_A_RECORD))
        self._look_harder(new, priced)
        self._settle(solution, new, priced)

    def _move(self, duals: Duals, priced: Priced) -> None:
        """Move the centre to better duals and trust more, or trust less."""
        if self.exact and not priced.exhausted:
            self._share = max(self._share / 2, 1e-3)
        elif priced.bound > self._reached:
            self._reached, self._centre = priced.bound, duals.lowered(priced.least)
            self._width, self._share = min(self._width * 1.5, 1.0), min(self._share * 1.2, 1.0)
        else:
            self._width, self._share = max(self._width / 1.5, 1e-3), max(self._share / 1.5, 0.3)

    def _look_harder(self, new: int, priced: Priced) -> None:
        if priced.exhausted:
            return
        if not self.exact and new < len(self._points) / FEW:
            self._effort = Effort(WHOLE, EXACT_WORK)
            # What pricing by halves had reached was no proof.
            self._reached = self._bound
        elif self.exact:
            self._effort = replace(self._effort, work=2 * self._effort.work)
            self._reached, self._centre = self._bound, self._proved

    def _settle(self, solution: Solution, new: int, priced: Priced) -> None:
        """Look for cuts when the master problem has come close to the bound."""
        if not priced.exhausted or solution.boxed > 1e-9:
            return
        gap = solution.value - self._bound
        if gap > SETTLED * solution.value and new:
            return
        fractional = np.flatnonzero((solution.shares > 1e-6) & (solution.shares < 1 - 1e-6))
        groups = [self.pool.groups[number] for number in fractional]
        found = violated(groups, solution.shares[fractional], self._master.triples, CUTS_AT_ONCE)
        if len(found):
            self._master.cut(found)
        elif gap <= CLOSED * solution.value + 2 * priced.margin:
            self.finished = True
