"""Column generation: master problem and pricing in turn, and a bound that holds at every moment.

The master problem says what records are worth over the groups of the pool; pricing at those prices
finds groups that cost less, or proves that there are none. Four things make it quick:

- The master problem has few groups at a time: the pool is looked through for cheaper ones first, and
  only then is there pricing. So the groups of a search are of use from the start.
- Prices are trusted only near the best known, and pricing looks harder as it finds less (`steering`); a
  bound counts only when every root has been exhausted.
- Where quick pricing is far ahead of what is proved, the bound climbs after it by a few exact pricings on
  the way: the groups found so far keep these from finding much.
- Where quick pricing finds little more, the master problem gets cuts that it violates, and goes on; only
  then is there exact pricing, so that what takes longest is done for all cuts at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from microagg.context import Ticker
from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.enumeration import Listed, list_below
from microagg.partition.bounds.master import Master, Solution
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.pricing import Effort, Priced, price
from microagg.partition.bounds.ranking import ranked
from microagg.partition.bounds.separation import VIOLATIONS, most_violated
from microagg.partition.bounds.steering import FIRST_EFFORT, NARROW, SHORTEST, WHOLE, Steering
from microagg.partition.bounds.units import power_of_four
from microagg.partition.bounds.working_set import WorkingSet
from microagg.typing import Floats, Rows

CLIMB_WORK = 100_000
"""Records looked at from one root before a step of a climb is called too long."""

CLIMB = (0.5, 0.75, 0.75)
"""Shares of the way that the steps of a climb go.

On Tarragona with k=5 they took 7 s of processor time and proved 20.05 %, where neighbours prove 18.14 %."""

CLIMBED, WORTH_A_CLIMB = 0.65, 0.01
"""A climb must close so much of the gap between bound and master problem, and so much of the bound."""

START, START_WORK = (1.0, 0.9, 0.75, 0.5), 300_000
"""Shares of the way to the prices of parts that are tried one after the other, and records looked at from
one root before a share is called too large."""

QUICK_STARTS = 10
"""How often quick pricing lowers prices of parts first."""

FEW_BOXED = 0.1
"""Where the ends of boxes supply more than this of the records, prices are no more than a guess."""

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

NEARLY = 2e-3
"""The gap between the master problem and what quick pricing has reached at which it looks harder."""

SETTLED = 3e-4
"""The gap between master problem and bound at which cuts are looked for."""

MOST_IDLE = 10
"""Steps without a new group or cut after which the gap left is the solver's tolerance."""

MOST_STALLED = 30
"""Steps that change nothing after which pricing looks at all records, and after which nothing is left to
do if it does: the solver gives the same prices again and again."""

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
    pool : CandidateGroups
        The groups seen, with errors in that unit.
    solution : Solution or None
        The last solution of the master problem.
    finished : bool
        Whether nothing is left to do: neither cheaper groups nor violated cuts.
    failed : bool
        Whether it is finished because the solver gave no prices.
    crowded : bool
        Whether it is finished because too many records are near some of them to look at all of these:
        however short the step, exact pricing came to no end.
    """

    def __init__(self, points: Floats, k: int, prices: Floats) -> None:
        self.unit = power_of_four(float(prices.mean()) or _spread(points) or 1.0)
        self.points, self.n = points, len(points)
        self._points = points / np.sqrt(self.unit)  # exactly: the root is a power of two
        self._sizes = range(k, min(2 * k - 1, len(points) - k) + 1)
        self.pool = CandidateGroups(self._points)
        self._master = Master(self.pool, len(points))
        self._proved = Duals(prices / self.unit, np.empty(0))
        self._bound = self._proved.total()
        self._steering = Steering(self._proved)
        self._few = WorkingSet(self.pool, self.n)
        self.solution: Solution | None = None
        self.finished = self.failed = self.crowded = False
        self._idle = self._quick_cuts = self._stalled = self._depth = 0

    @property
    def exact(self) -> bool:
        """Whether pricing looks at all records by now."""
        return self._steering.exact

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
        numbers, costs = ranked(self.pool, duals, self.cuts, few.size, few)
        count = int(np.searchsorted(costs, most, side="right"))
        return numbers[:count], costs[:count] * self.unit

    def below(self, allowed: float, most: int, ticker: Ticker) -> Listed | None:
        """List all groups of reduced costs below `allowed`; None if there are more than `most`.

        A partition with any other group costs at least the bound and the threshold that comes back.
        """
        cuts = self.charged_cuts
        listed = list_below(
            self._points, self._sizes, self._proved, cuts, allowed / self.unit, most, ticker
        )
        return listed and replace(listed, threshold=listed.threshold * self.unit)

    @property
    def _judging(self) -> Duals:
        """The duals to judge groups by: while pricing is by halves, they are ahead of the proof."""
        return self._steering.centre if self._steering.reached > self._bound else self._proved

    @property
    def reached(self) -> float:
        """What the duals to judge by add up to, in the unit of the records: no proof."""
        return max(self._steering.reached, self._bound) * self.unit

    @property
    def cuts(self) -> GroupCuts:
        """All cuts that have been added."""
        return self._master.cuts

    @property
    def charged_cuts(self) -> GroupCuts:
        """The cuts that the bound is made with."""
        return self.cuts.first(self._proved.charges.size)

    @property
    def proved(self) -> Duals:
        """The duals of the bound, in the unit of the records: no group has a negative reduced cost."""
        return Duals(self._proved.prices * self.unit, self._proved.charges * self.unit)

    def near_groups(self, ticker: Ticker) -> list[Rows]:
        """List groups of small reduced costs, a few from each root: what raised prices would find."""
        duals = self._judging
        sizes = np.abs(duals.prices)
        raised = Duals(duals.prices + RAISE * (sizes + sizes.mean()), duals.charges)
        cuts = self.cuts.first(duals.charges.size)
        return price(self._points, self._sizes, raised, cuts, FIRST_EFFORT, ticker).groups

    def start_from(self, parts: Sequence[tuple[Rows, ColumnGeneration]], ticker: Ticker) -> None:
        """Begin where the generations of parts have come to: the rows of each part, and its state.

        Their prices and charges hold for groups within parts. Exact pricing finds the groups that cross
        parts and cost less; where it takes too much work, prices go part of the way only.
        """
        prices, cuts, charges = np.empty(self.n), GroupCuts.of(0), [np.empty(0)]
        for rows, part in parts:
            duals = part.proved
            prices[rows] = duals.prices / self.unit
            cuts = cuts.plus(part.charged_cuts.among(rows))
            charges.append(duals.charges / self.unit)
            self.pool.add([rows[part.pool.groups[number]] for number in part.chosen])
        self._master.cut(cuts)
        aim = self._without_cheap_groups(Duals(prices, np.concatenate(charges)), ticker)
        for share in START:
            if self._prove_at(self._proved.towards(aim, share), START_WORK, ticker):
                break
            if ticker[1] != 0:
                return
        self._begin_at_the_proof()

    def start_at(self, duals: Duals, cuts: GroupCuts, ticker: Ticker) -> None:
        """Begin with the prices and charges of a certificate, in the unit of the records, and its cuts.

        They are priced exactly first. If a group costs less, its records' prices are lowered.
        """
        self._master.cut(cuts)
        own = Duals(duals.prices / self.unit, duals.charges / self.unit)
        if self._prove_at(own, WHOLE, ticker):
            self._begin_at_the_proof()

    def _begin_at_the_proof(self) -> None:
        """Go on from what is proved, in narrow boxes."""
        self._steering.return_to(self._proved, self._bound)
        self._steering.width = NARROW
        self._few.begin_with(self._proved, self.cuts)
        self._look_at_all()

    def _without_cheap_groups(self, duals: Duals, ticker: Ticker) -> Duals:
        """Lower prices until quick pricing finds no group that costs less."""
        for _ in range(QUICK_STARTS):
            priced = price(self._points, self._sizes, duals, self.cuts, FIRST_EFFORT, ticker)
            self.pool.add(priced.groups)
            duals = duals.lowered(priced.least)
            if ticker[1] != 0 or not priced.least.any():
                break
        return duals

    @property
    def chosen(self) -> Rows:
        """The numbers of the groups that the master problem has."""
        return self._few.numbers

    def climb(self, ticker: Ticker) -> None:
        """Prove what is easy: price exactly on the way to what quick pricing has reached.

        The further from the prices of the master problem, the less there is to look at.
        """
        for share in CLIMB:
            duals = self._proved.towards(self._steering.centre, share)
            if not self._prove_at(duals, CLIMB_WORK, ticker):
                return

    def _prove_at(self, duals: Duals, work: int, ticker: Ticker) -> bool:
        """Price exactly at some duals; tells whether that raised the bound."""
        cuts = self.cuts.first(duals.charges.size)
        effort = Effort(WHOLE, work)
        priced = price(self._points, self._sizes, duals, cuts, effort, ticker)
        self.pool.add(priced.groups)
        return ticker[1] == 0 and self._raise(duals, priced)

    def _raise(self, duals: Duals, priced: Priced) -> bool:
        """Keep the bound of a pricing if it counts and is the best; tells whether it is."""
        if not priced.exhausted or priced.bound <= self._bound:
            return False
        self._bound, self._proved = priced.bound, duals.lowered(priced.least)
        return True

    def step(self, seconds_left: Callable[[], float], ticker: Ticker) -> None:
        """Solve the master problem once, and price once unless the pool has cheaper groups still.

        Stopped, it leaves what is proved as it was.
        """
        before = self._progress()
        self._take_step(seconds_left, ticker)
        self._stalled = self._stalled + 1 if self._progress() == before else 0
        if self._stalled == MOST_STALLED:
            self._stalled = 0
            self.finished |= self.exact
            self._look_at_all()

    @property
    def is_deepest(self) -> bool:
        """Whether the cuts are looked for that are violated least."""
        return self._depth == len(VIOLATIONS) - 1

    def look_deeper(self) -> bool:
        """Go on after the end, to cuts that are violated less; tells whether there can be any."""
        deeper = not (self.failed or self.crowded or self.is_deepest)
        if deeper:
            self._depth, self._idle, self.finished = self._depth + 1, 0, False
        return deeper

    def _progress(self) -> tuple[int, int, int, float, float]:
        reached = self._steering.reached
        return len(self.pool), len(self._few.numbers), len(self.cuts), self._bound, reached

    def _take_step(self, seconds_left: Callable[[], float], ticker: Ticker) -> None:
        steering = self._steering
        centre, width = steering.centre.prices, steering.width
        solution = self._master.solve(self._few.numbers, centre, width, seconds_left(), ticker)
        if solution is None:
            self.failed = seconds_left() > 0 and ticker[1] == 0
            self.finished = self.failed  # more time alone will not help
            return
        self.solution = solution
        cheaper = self._few.take_in(solution.duals, self.cuts)
        if cheaper > self.n or (cheaper and solution.boxed > FEW_BOXED * self.n):
            return
        trusted, duals = steering.trusted, steering.towards(solution.duals)
        priced = price(self._points, self._sizes, duals, self.cuts, steering.effort, ticker)
        if ticker[1] != 0:
            return
        self._raise(duals, priced)
        steering.move(duals, priced)
        new = self.pool.add(priced.groups)
        self._few.forget(solution.duals, self.cuts)
        self._few.take_in(solution.duals, self.cuts)
        if priced.exhausted:
            self._settle(solution, new, priced, ticker)
        elif self.exact:
            steering.work_more()
            steering.return_to(self._proved, self._bound)
            self.finished = self.crowded = trusted <= SHORTEST
        else:
            self._go_on(solution, new, ticker)

    def _go_on(self, solution: Solution, new: int, ticker: Ticker) -> None:
        """Prove what is easy after a quick pricing, and look harder where it has found little."""
        steering = self._steering
        ahead = steering.reached - self._bound
        if ahead > max(CLIMBED * (solution.value - self._bound), WORTH_A_CLIMB * steering.reached):
            self.climb(ticker)
        little, gap = new < self.n / FEW, solution.value - steering.reached
        if gap < NEARLY * solution.value or (little and steering.missed):
            self._look_harder(solution, ticker)
        else:
            steering.missed = little

    def _look_harder(self, solution: Solution, ticker: Ticker) -> None:
        """Cut, and where there is nothing to cut, go on to exact pricing."""
        self._steering.missed = False
        near = solution.boxed <= QUICKLY_BOXED * self.n
        if self._quick_cuts < MOST_QUICK_CUTS and near and self._cut(solution, ticker):
            self._quick_cuts += 1
            return
        self._look_at_all()

    def _look_at_all(self) -> None:
        """Price exactly from now on, whether or not quick pricing finds more."""
        if not self.exact:
            self._quick_cuts = 0
            self._steering.look_at_all(self._proved, self._bound)  # by halves is no proof

    def _settle(self, solution: Solution, new: int, priced: Priced, ticker: Ticker) -> None:
        """Look for cuts when the master problem has come close to the bound."""
        gap = solution.value - self._bound
        unsettled = gap > SETTLED * solution.value and (new or self._steering.trusted < 1.0)
        self._steering.missed = not new
        if solution.boxed > BOXED or unsettled:
            return
        if self._cut(solution, ticker):
            self._steering.look_at_few()
            self._idle = 0
        elif gap <= CLOSED * solution.value + 2 * priced.margin:
            self.finished = True
        elif not new:
            self._idle += 1
            self.finished = self._idle == MOST_IDLE

    def _cut(self, solution: Solution, ticker: Ticker) -> bool:
        """Add the cuts that a mixture violates most; tells whether there are any."""
        violation, groups = VIOLATIONS[self._depth], self.pool.groups
        cuts = most_violated(groups, solution.shares, self.cuts, self.n, ticker, violation)
        if len(cuts):
            self._master.cut(cuts)
        return len(cuts) > 0


def _spread(points: Floats) -> float:
    """Return the mean squared distance of the records to their mean."""
    return float(points.var(axis=0).sum())
