"""Column generation: master problem and pricing in turn, and a bound that holds at every moment.

The master problem says what records are worth over the groups of the pool; pricing at those prices
finds groups that cost less, or proves that there are none. Four things make it quick:

- The master problem has few groups at a time: the pool is looked through for cheaper ones first, and
  only then is there pricing. So the groups of a search are of use from the start.
- Prices are trusted only near the best known, and only part of the way: a step that
  raises the bound moves the centre and widens the box, one that does not narrows it.
- Pricing looks at few near records until that finds little, then at all; a bound counts only when
  every root has been exhausted. Where that takes too much work, the step is shortened: the nearer
  to prices that have been proved, the less there is to look at.
- Where quick pricing finds little more, triples that the master problem violates become cuts, and it
  goes on; only then is there exact pricing, so that what takes longest is done for all cuts at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from microagg.partition.bounds.cuts import Triples, entries_of, violated
from microagg.partition.bounds.duals import Duals, Floats
from microagg.partition.bounds.enumeration import Listed, list_below
from microagg.partition.bounds.master import Master, Solution
from microagg.partition.bounds.pool import GroupPool, Rows
from microagg.partition.bounds.pricing import Effort, Priced, price
from microagg.partition.bounds.units import power_of_four
from microagg.progress import Ticker

FIRST_EFFORT = Effort(width=20, work=20_000)
WHOLE = 2**62
"""More than any width or work."""

EXACT_WORK = 1_000_000
"""Records looked at from one root before a step is called too long, at first."""

FEWEST_COLUMNS = 5_000
"""With so many groups a master problem is never large."""

COLUMNS_A_RECORD, NEW_COLUMNS_A_RECORD = 16, 4
"""Groups for each record that the master problem may have, and may get at once."""

SPARE = 3
"""How many times as many groups are looked at before charges as are wanted after them."""

OVERLOOKED = 1e-6
"""A reduced cost below minus this is worth another master problem, in the mean price."""

CUTS_AT_ONCE, RECORDS_A_CUT = 150, 7
"""Cuts that may be added at once: so many, or one for so many records."""

MOST_QUICK_CUTS = 4
"""How often cuts are added before there is exact pricing."""

BOXED, QUICKLY_BOXED = 1e-5, 3e-3
"""How much the ends of boxes may supply in a mixture that is to be cut: of all records, and before
exact pricing of each."""

FEW = 20
"""Pricing that finds fewer than n / FEW new groups looks harder next time."""

RAISE = 0.03
"""By how much, in the mean price and in each one's own, prices are raised to list groups that are
nearly cheap enough."""

NEARLY = 1e-3
"""The gap between the master problem and what quick pricing has reached at which it looks harder."""

SETTLED = 3e-4
"""The gap between master problem and bound at which cuts are looked for."""

MOST_IDLE = 10
"""Steps without a new group or cut after which the gap left is the solver's tolerance."""

CLOSED = 1e-9
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
    points, n
        The records, and how many there are.
    bound : float
        What no partition can beat. Holds at every moment.
    unit : float
        What errors are counted in within, a power of 4: the solver's tolerances are absolute, so
        prices should be about 1.
    pool : GroupPool
        The groups seen, with errors in that unit.
    solution : Solution or None
        The last solution of the master problem.
    finished : bool
        Whether nothing is left to do: neither cheaper groups nor violated cuts.
    failed : bool
        Whether it is finished because the solver gave no prices.
    """

    def __init__(self, points: Floats, k: int, prices: Floats) -> None:
        self.unit = power_of_four(float(prices.mean()) or _spread(points) or 1.0)
        self.points, self.n = points, len(points)
        self._points = points / np.sqrt(self.unit)  # exactly: the root is a power of two
        self._sizes = range(k, min(2 * k - 1, len(points) - k) + 1)
        self.pool = GroupPool(self._points)
        self._master = Master(self.pool, len(points))
        self._proved = self._centre = Duals(prices / self.unit, np.empty(0))
        self._bound = self._reached = self._centre.total()
        self._latest = self._centre
        self._chosen: Rows = np.empty(0, dtype=np.int64)
        self._width, self._share = 1.0, 1.0
        self._effort = FIRST_EFFORT
        self.solution: Solution | None = None
        self.finished = self.failed = False
        self._idle = self._quick_cuts = 0

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

    def cheapest(self, allowed: float) -> tuple[Rows, Floats]:
        """Return the numbers of the groups of the pool of reduced costs up to `allowed`, and these.

        They are judged by the best duals, counted in the unit of the records, and come in order.
        """
        duals, most = self._judging, allowed / self.unit
        few = np.flatnonzero(self.pool.costs(duals.prices) <= most)  # charges only add to them
        numbers, costs = self._ranked(duals, few.size, few)
        count = int(np.searchsorted(costs, most, side="right"))
        return numbers[:count], costs[:count] * self.unit

    def _ranked(self, duals: Duals, most: int, among: Rows | None = None) -> tuple[Rows, Floats]:
        """Return up to `most` groups of the pool, or of some of it, by their reduced costs.

        Only the cheapest before charges are looked at: SPARE times as many.
        """
        costs = self.pool.costs(duals.prices)
        numbers = np.arange(costs.size) if among is None else among
        few = numbers[np.argsort(costs[numbers], kind="stable")[: SPARE * most]]
        triples = self._master.triples[: duals.charges.size]
        groups = [self.pool.groups[number] for number in few]
        held = entries_of(groups, triples, len(self._points))[:, len(self._points) :]
        charged = costs[few] + held @ duals.charges
        order = np.argsort(charged, kind="stable")[:most]
        return few[order], charged[order]

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
    def triples(self) -> Triples:
        """The triples of all cuts."""
        return self._master.triples

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

    def look_at_all(self) -> None:
        """Price exactly from now on, whether or not quick pricing finds more."""
        if not self.exact:
            self._effort, self._quick_cuts = Effort(WHOLE, EXACT_WORK), 0
            self._reached = self._bound  # what pricing by halves had reached was no proof

    def step(self, seconds_left: Callable[[], float], ticker: Ticker) -> None:
        """Solve the master problem once, and price once unless the pool has cheaper groups still.

        Stopped, it leaves all as it was.
        """
        centre = self._centre.prices
        solution = self._master.solve(self._chosen, centre, self._width, seconds_left(), ticker)
        if solution is None:
            self.failed = seconds_left() > 0 and ticker[1] == 0
            self.finished = self.failed  # time alone will not mend it
            return
        self.solution, self._latest = solution, solution.duals
        if self._choose() > len(self._points):
            return
        duals = self._centre.towards(solution.duals, self._share) if self.exact else solution.duals
        priced = price(self._points, self._sizes, duals, self._master.triples, self._effort, ticker)
        if ticker[1] != 0:
            return
        if priced.exhausted and priced.bound > self._bound:
            self._bound, self._proved = priced.bound, duals.lowered(priced.least)
        self._move(duals, priced)
        new = self.pool.add(priced.groups)
        self._forget()
        self._choose()
        if priced.exhausted:
            self._settle(solution, new, priced)
        elif self.exact:
            self._effort = replace(self._effort, work=min(2 * self._effort.work, WHOLE))
            self._reached, self._centre = self._bound, self._proved
        elif new < self.n / FEW or solution.value - self._reached < NEARLY * solution.value:
            self._look_harder(solution)

    def _choose(self) -> int:
        """Let groups that are cheaper now into the master problem; returns how many there are."""
        n = len(self._points)
        numbers, costs = self._ranked(self._latest, NEW_COLUMNS_A_RECORD * n + len(self._chosen))
        cheaper = numbers[(costs < -OVERLOOKED) & ~np.isin(numbers, self._chosen)]
        self._chosen = np.append(self._chosen, cheaper[: NEW_COLUMNS_A_RECORD * n])
        return len(cheaper)

    def _forget(self) -> None:
        """Take the dearest groups out of the master problem where it has become large."""
        most = max(COLUMNS_A_RECORD * len(self._points), FEWEST_COLUMNS)
        if len(self._chosen) > most:
            self._chosen, _ = self._ranked(self._latest, 2 * most // 3, self._chosen)

    def _move(self, duals: Duals, priced: Priced) -> None:
        """Move the centre to better duals and trust more, or trust less."""
        if self.exact and not priced.exhausted:
            self._share = max(self._share / 2, 1e-3)
        elif priced.bound > self._reached:
            self._reached, self._centre = priced.bound, duals.lowered(priced.least)
            self._width, self._share = min(self._width * 1.5, 1.0), min(self._share * 1.2, 1.0)
        elif self.exact:
            self._width, self._share = max(self._width / 1.5, 1e-3), max(self._share / 1.5, 0.3)

    def _look_harder(self, solution: Solution) -> None:
        """Cut, and where there is nothing to cut, go on to exact pricing."""
        near = solution.boxed <= QUICKLY_BOXED * self.n
        if self._quick_cuts < MOST_QUICK_CUTS and near and self._cut(solution):
            self._quick_cuts += 1
            return
        self.look_at_all()

    def _settle(self, solution: Solution, new: int, priced: Priced) -> None:
        """Look for cuts when the master problem has come close to the bound."""
        gap = solution.value - self._bound
        if solution.boxed > BOXED or (gap > SETTLED * solution.value and new):
            return
        if self._cut(solution):
            self._effort, self._idle = FIRST_EFFORT, 0
        elif gap <= CLOSED * solution.value + 2 * priced.margin:
            self.finished = True
        elif not new:
            self._idle += 1
            self.finished = self._idle == MOST_IDLE

    def _cut(self, solution: Solution) -> bool:
        """Add the triples that a mixture violates most; tells whether there are any."""
        fractional = np.flatnonzero((solution.shares > 1e-6) & (solution.shares < 1 - 1e-6))
        groups = [self.pool.groups[number] for number in fractional]
        most = max(CUTS_AT_ONCE, self.n // RECORDS_A_CUT)
        found = violated(groups, solution.shares[fractional], self._master.triples, most)
        if len(found):
            self._master.cut(found)
        return len(found) > 0


def _spread(points: Floats) -> float:
    """Return the mean squared distance of the records to their mean."""
    return float(points.var(axis=0).sum())
