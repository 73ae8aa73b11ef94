"""The portfolio of `best`: search, column generation, dives and integer programs, round by round.

Each finds what the others need: search finds good groups and the partition to beat, column
generation the prices by which groups are judged, a mixture of groups and the bound; dives make
partitions of the mixture, from which search goes on; the integer program the best of all groups seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.duals import Floats
from microagg.partition.bounds.gap import PROVED
from microagg.partition.bounds.pool import GroupPool
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.registry import Labels
from microagg.partition.search.annealing import HOT, admissible
from microagg.partition.search.candidates import groups_of
from microagg.partition.search.chains import affordable_steps, run_chains
from microagg.partition.search.choice import Choice
from microagg.partition.search.dive import shaken_dives
from microagg.partition.search.known import Known
from microagg.progress import Ticker

CHAINS = 4
"""Searches from the best partition, each with a seed of its own: as many whatever the processors."""

DIVES = 12
"""Partitions made of a mixture, each of which is searched from."""

STEPS_A_RECORD = 30
"""Steps of a search for each record when there is no time limit."""

MOST_STEPS_A_RECORD = {"search": 500, "dives": 150}
"""Steps of a search for each record at most: few records are soon at their best."""

COLUMN_STEPS = 40
"""Steps of column generation in a round when there is no time limit."""

LATE = 1.2
"""By how much a search may outlast its share: its steps are many or few by a guess of the speed."""

WARM = 0.3
"""Heat of the searches after the first: they start from something good."""

PHASES = {
    "search": 0.08,
    "columns": 0.15,
    "exact columns": 0.35,
    "dives": 0.1,
    "integer": 0.08,
    "proof": 1.0,
}
"""Share of the whole time that each part of a round may take: two rounds fit in."""


class Portfolio:
    """Rounds over one set of records; what is known is there at all times.

    Parameters
    ----------
    columns : float64[d, n]
        At least 2k records.
    labels : int32[n]
        Where to start: groups of k to 2k-1 records.
    k : int
        The smallest size of a group.
    rng : Generator
        Where every random choice comes from.
    gap : float
        The gap between loss and bound at which to stop.
    rounds : int or None
        How many rounds at most.
    seconds : float or None
        Seconds after which to stop, counted from now.
    tell : function of (loss, bound)
        Told whenever one of them has improved.
    """

    def __init__(
        self,
        columns: Floats,
        labels: Labels,
        k: int,
        rng: np.random.Generator,
        *,
        gap: float,
        rounds: int | None,
        seconds: float | None,
        tell: Callable[[float, float], None],
    ) -> None:
        self._columns, self._k, self._rng = columns, k, rng
        self._gap, self._rounds = gap, rounds
        self._points = np.ascontiguousarray(columns.T)
        self._partitions = GroupPool(self._points)
        self._seconds = math.inf if seconds is None else seconds
        self._begun = time.monotonic()
        self.known = Known(columns, labels, tell)
        self.rounds = 0
        self.stopped = "iterations"

    def run(self, ticker: Ticker) -> None:
        """Go round until something says stop."""
        if self._over(ticker):
            return
        prices = quick_prices(self._points, self._k, ticker)
        self.known.prove(float(prices.sum()))
        self._generation = ColumnGeneration(self._points, self._k, prices)
        while not self._over(ticker) and self.rounds != self._rounds:
            if self.rounds == 0:
                self._search([self.known.labels] * CHAINS, "search", HOT, ticker)
            self._generate(ticker)
            self._dive(ticker)
            self._choose(ticker)
            self.rounds += 1

    def _over(self, ticker: Ticker) -> bool:
        if self.known.gap <= max(self._gap, PROVED):
            self.stopped = "gap"
            return True
        return bool(ticker[1] != 0)

    def _left(self, phase: str) -> float:
        """Seconds that a part of a round may take."""
        left = self._seconds - (time.monotonic() - self._begun)
        return max(min(left, PHASES[phase] * self._seconds), 0.0)

    def _search(self, starts: list[Labels], phase: str, hot: float, ticker: Ticker) -> None:
        """Anneal from some partitions at once, and keep the groups seen."""
        if self._over(ticker):
            return
        chains = run_chains(
            self._columns,
            starts,
            self._k,
            steps=self._steps(len(starts), phase),
            seeds=self._rng.integers(2**62, size=len(starts)).tolist(),
            hot=hot,
            seconds=LATE * self._left(phase),
            ticker=ticker,
        )
        for labels, groups in chains:
            self.known.offer(labels)
            self._partitions.add(groups_of(labels))
            self._generation.pool.add(groups)

    def _steps(self, chains: int, phase: str) -> int:
        """Steps of each of some chains."""
        seconds = self._left(phase)
        if math.isinf(seconds):
            return STEPS_A_RECORD * len(self._points)
        steps = affordable_steps(self._columns, self.known.labels, self._k, chains, seconds)
        return min(steps, MOST_STEPS_A_RECORD[phase] * len(self._points))

    def _generate(self, ticker: Ticker) -> None:
        """Raise the bound and find groups by column generation."""
        generation, steps = self._generation, 0
        generation.pool.add(self._partitions.groups)
        phase = "columns"
        if self.rounds:
            generation.look_at_all()  # a bound is due
            phase = "exact columns"
        most = COLUMN_STEPS if math.isinf(self._seconds) else math.inf
        until = time.monotonic() + self._left(phase)
        while not (generation.finished or self._over(ticker)):
            if steps == most or time.monotonic() >= until:
                return
            generation.step(lambda: until - time.monotonic(), ticker)
            steps += 1
            self.known.prove(generation.bound)
            self._show(ticker)

    def _dive(self, ticker: Ticker) -> None:
        """Make partitions of the mixture that the master problem holds, and search from them."""
        solution = self._generation.solution
        if solution is None or self._over(ticker):
            return
        used = np.flatnonzero(solution.shares > 1e-6)
        groups, shares = [self._generation.pool.groups[i] for i in used], solution.shares[used]
        made = shaken_dives(self._points, groups, shares, self._k, DIVES, self._rng, ticker)
        starts = [admissible(self._columns, labels, self._k) for labels in made]
        self._search([self.known.labels] * CHAINS + starts, "dives", WARM, ticker)

    def _choose(self, ticker: Ticker) -> None:
        """Choose the best partition of the groups seen and of those enumerated.

        Those of all that can be in a better partition take long: with little time left, another
        round is worth more.
        """
        choice = Choice(self._generation, self.known, self._partitions)
        if not self._over(ticker):
            choice.of_seen(self._left("integer"), ticker)
        if self._over(ticker) or choice.of_few(self._left("integer"), ticker):
            return
        late = self._left("proof") < 2 * PHASES["integer"] * self._seconds
        if not (late or self._over(ticker)):
            choice.of_all(self._left("proof"), ticker)

    def _show(self, ticker: Ticker) -> None:
        """Let the progress bar know how much of the time is gone."""
        if math.isfinite(self._seconds) and self._seconds > 0:
            share = min((time.monotonic() - self._begun) / self._seconds, 1.0)
            ticker[0] = int(share * len(self._points))
