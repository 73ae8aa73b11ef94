"""The portfolio of `best`: search, column generation, dives and integer programs, round by round.

It begins as `lns` does, so that with little time it is no worse. Then each finds what the others
need: search finds good groups and the partition to beat, column generation the prices by which groups
are judged, a mixture of groups and the bound; dives make partitions of the mixture, from which search
goes on; the integer program the best of all groups seen.
"""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from microagg.budget import CLOCK
from microagg.context import Ticker
from microagg.partition.bounds import columns_start
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.columns_start import start_columns_in_parts
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.search.best.candidates import groups_of
from microagg.partition.search.best.dive import shaken_dives
from microagg.partition.search.best.exact_choice import ExactChoice
from microagg.partition.search.best.proving import WARM, Proving
from microagg.partition.search.lns.annealing import HOT, admissible
from microagg.partition.search.lns.chains import LOOK_EVERY, Chained, affordable_steps, run_chains
from microagg.partition.search.lns.lns import usual_steps
from microagg.threads import workers
from microagg.typing import Floats, Labels

CHAINS, BESIDE = 4, 2
"""Searches from the best partition, each with a seed of its own: as many whatever the processors; and
as many beside column generation."""

DIVES = 12
"""Partitions made of a mixture, each of which is searched from."""

STEPS_A_RECORD = 30
"""Steps of a search for each record when there is no time limit."""

MOST_STEPS_A_RECORD = {"search": 500, "columns": 500, "dives": 150}
"""Steps of a search for each record at most: few records are soon at their best."""

COLUMN_STEPS = 40
"""Steps of column generation in a round when there is no time limit."""

LATE = 1.2
"""By how much a search may outlast its share: its steps are many or few by a guess of the speed."""

SLOWED = 0.6
"""How much of its speed a search keeps beside column generation."""

PHASES = {"search": 0.08, "columns": 0.28, "dives": 0.1, "integer": 0.08, "proof": 1.0}
"""Share of the whole time that each part of a round may take: two rounds fit in."""

BEHIND = 1.01
"""How far quick pricing may be ahead of the bound when a second round begins."""


class Portfolio(Proving):
    """Rounds of search, column generation, dives and integer programs."""

    def search(self, ticker: Ticker) -> None:
        """Begin as `lns` does, and go round until something says stop."""
        if self._over(ticker):
            return
        prices = self._prove_quickly(ticker)
        self._partitions = CandidateGroups(self._points)
        self._generation = ColumnGeneration(self._points, self._k, prices)
        if not self._over(ticker):
            self._anneal(usual_steps(len(self._points), self._k), PHASES["search"], ticker)
        self._search([self.incumbent.labels] * CHAINS, "search", HOT, ticker)
        self._start_in_parts(prices, ticker)
        while not self._over(ticker) and self.rounds != self._rounds:
            self._generate_and_search(ticker)
            self._dive(ticker)
            self._choose(ticker)
            self.rounds += int(ticker[1] == 0)  # one that was cut short is not done

    def _start_in_parts(self, prices: Floats, ticker: Ticker) -> None:
        """Start the column generation of many records from those of parts."""
        many = columns_start.MANY < len(self._points) <= columns_start.MOST
        if many and self._is_timed and not self._over(ticker):
            seconds = self._left("columns")
            start_columns_in_parts(self._generation, prices, self._k, seconds, ticker)
            self.incumbent.prove(self._generation.bound)

    @property
    def _is_timed(self) -> bool:
        return math.isfinite(self._seconds)

    def _left(self, phase: str) -> float:
        """Seconds that a part of a round may take."""
        return min(self._seconds_left(), PHASES[phase] * self._seconds)

    def _search(self, starts: list[Labels], phase: str, hot: float, ticker: Ticker) -> None:
        """Anneal from some partitions at once, and keep the groups seen."""
        if not self._over(ticker):
            self._keep(self._chains(starts, phase, hot, workers(), ticker))

    def _chains(
        self, starts: list[Labels], phase: str, hot: float, at_once: int, ticker: Ticker
    ) -> list[Chained]:
        return run_chains(
            self._columns,
            starts,
            self._k,
            steps=self._steps(len(starts), phase, at_once),
            seeds=self._rng.integers(2**62, size=len(starts)).tolist(),
            hot=hot,
            seconds=LATE * self._left(phase),
            at_once=at_once,
            ticker=ticker,
        )

    def _keep(self, chains: list[Chained]) -> None:
        for labels, groups in chains:
            self.incumbent.offer(labels)
            self._partitions.add(groups_of(labels))
            self._generation.pool.add(groups)

    def _steps(self, chains: int, phase: str, at_once: int) -> int:
        """Steps of each of some chains."""
        seconds = self._left(phase) * (SLOWED if phase == "columns" else 1.0)
        if not self._is_timed:
            return STEPS_A_RECORD * len(self._points)
        labels = self.incumbent.labels
        steps = affordable_steps(self._columns, labels, self._k, chains, at_once, seconds)
        return min(steps, MOST_STEPS_A_RECORD[phase] * len(self._points))

    def _generate_and_search(self, ticker: Ticker) -> None:
        """Generate columns while other threads search from the best partition.

        Master problems take most of the time, and one thread. With a clock the searches end with
        it; without, each does its steps, so that what is found does not depend on the speed.
        """
        stop, at_once, timed = np.zeros_like(ticker), max(workers() - 1, 1), self._is_timed
        until = CLOCK.now() + self._left("columns")
        starts = [self.incumbent.labels] * BESIDE
        self._generation.pool.add(self._partitions.groups)
        with ThreadPoolExecutor(2) as threads:
            chains = threads.submit(self._chains, starts, "columns", WARM, at_once, stop)
            generating = threads.submit(self._generate, until, stop)
            both: list[Future[Any]] = [chains, generating]
            while wait(both, LOOK_EVERY).not_done:
                over = ticker[1] != 0 or CLOCK.now() > until
                stop[1] = over or (timed and generating.done())
                self._show(ticker)
            generating.result()
            self._keep(chains.result())

    def _generate(self, until: float, ticker: Ticker) -> None:
        """Raise the bound and find groups by column generation."""
        generation, steps = self._generation, 0
        if self.rounds and generation.reached > BEHIND * generation.bound:
            generation.climb(ticker)  # a bound is due
        most = math.inf if self._is_timed else COLUMN_STEPS
        if self._is_timed and generation.finished:
            generation.look_deeper()  # integer programs were tried
        while not (generation.finished or self._over(ticker) or steps == most):
            generation.step(lambda: until - CLOCK.now(), ticker)
            steps += 1
            self.incumbent.prove(generation.bound)

    def _dive(self, ticker: Ticker) -> None:
        """Make partitions of the mixture that the master problem holds, and search from them."""
        solution = self._generation.solution
        if solution is None or self._over(ticker):
            return
        used = np.flatnonzero(solution.shares > 1e-6)
        groups, shares = [self._generation.pool.groups[i] for i in used], solution.shares[used]
        made = shaken_dives(self._points, groups, shares, self._k, DIVES, self._rng, ticker)
        starts = [admissible(self._columns, labels, self._k) for labels in made]
        self._search([self.incumbent.labels] * CHAINS + starts, "dives", WARM, ticker)

    def _choose(self, ticker: Ticker) -> None:
        """Choose the best partition of the groups seen and of those enumerated.

        Those of all that can be in a better partition take long: with little time left, another
        round is worth more.
        """
        choice = ExactChoice(self._generation, self.incumbent, self._partitions)
        if not self._over(ticker):
            choice.of_seen(self._left("integer"), ticker)
        if not self._over(ticker):
            choice.of_unsettled(self._left("integer"), ticker)
        if self._over(ticker) or choice.of_few(self._left("integer"), ticker):
            return
        late = self._left("proof") < 2 * PHASES["integer"] * self._seconds
        if not (late or self._over(ticker)):
            choice.of_all(self._left("proof"), ticker)

    def _show(self, ticker: Ticker) -> None:
        """Let the progress bar know how much of the time is gone."""
        if self._is_timed and self._seconds > 0:
            share = min((CLOCK.now() - self._begun) / self._seconds, 1.0)
            ticker[0] = int(share * len(self._points))
