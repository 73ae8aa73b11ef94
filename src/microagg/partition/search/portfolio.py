"""The portfolio of `best`: search, column generation, dive and integer program, round by round.

Each finds what the others need: search finds good groups and the partition to beat, column
generation the prices by which groups are judged and the bound, the integer program the best
partition that can be made of all groups seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.duals import Floats
from microagg.partition.bounds.enumeration import Listed
from microagg.partition.bounds.gap import PROVED, SAFETY, gap_of
from microagg.partition.bounds.pool import GroupPool, Rows
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.error import error_of
from microagg.partition.registry import Labels
from microagg.partition.search.annealing import HOT, admissible, search
from microagg.partition.search.annealing import Pool as SearchPool
from microagg.partition.search.dive import dive
from microagg.partition.search.integer import best_of
from microagg.partition.threads import workers
from microagg.progress import Ticker

CHAINS = 4
"""Searches from one partition, each with a seed of its own: as many whatever the processors."""

STEPS_A_RECORD = 30
"""Steps of a search for each record when there is no time limit."""

CAPACITY = 50_000
"""Groups that a search may keep."""

COLUMN_STEPS = 150
"""Steps of column generation in a round, at most."""

WARM = 0.3
"""Heat of the searches after the first: they start from something good."""

MOST_COLUMNS = 12_000
"""Groups that the integer program may choose from: the cheapest by their reduced costs."""

GROUPS_OF_A_RECORD = 10
"""Groups of a record that the integer program has, unless they are needed for others."""

MOST_LISTED = (8_000, 80_000)
"""Groups that may be enumerated: at first, for a better partition, and then for a proof."""

LOWERED, TIMES = 0.4, 5
"""By what the threshold is multiplied where there are too many groups, and how often."""

NARROW = 0.03
"""The gap from which on groups may be few enough, while column generation is not at its end."""

SPARE = 1e-4
"""By how much, relatively, the threshold is above what could be gained."""

PHASES = {"search": 0.1, "columns": 0.45, "integer": 0.25, "proof": 1.0}
"""Share of the whole time that each part of a round may take."""


class Portfolio:
    """Rounds over one set of records; the best partition and the bound are there at all times.

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
        self._gap, self._rounds, self._tell = gap, rounds, tell
        self._points = np.ascontiguousarray(columns.T)
        self._seconds = math.inf if seconds is None else seconds
        self._begun = time.monotonic()
        self.labels, self.lowest, self.bound = labels, error_of(columns, labels), 0.0
        self.rounds = 0
        self.stopped = "iterations"

    def run(self, ticker: Ticker) -> None:
        """Go round until something says stop."""
        prices = quick_prices(self._points, self._k, ticker)
        self._raise(float(prices.sum()))
        self._generation = ColumnGeneration(self._points, self._k, prices)
        while not self._over(ticker) and self.rounds != self._rounds:
            self._search(HOT if self.rounds == 0 else WARM, ticker)
            self._generate(ticker)
            self._dive(ticker)
            self._choose(ticker)
            self.rounds += 1

    def _over(self, ticker: Ticker) -> bool:
        if gap_of(self.lowest, self.bound) <= max(self._gap, PROVED):
            self.stopped = "gap"
            return True
        return bool(ticker[1] != 0)

    def _left(self, phase: str) -> float:
        """Seconds that a part of a round may take."""
        left = self._seconds - (time.monotonic() - self._begun)
        return max(min(left, PHASES[phase] * self._seconds), 0.0)

    def _search(self, hot: float, ticker: Ticker) -> None:
        """Anneal from the best partition, several times at once."""
        if self._over(ticker):
            return
        pools = [SearchPool(CAPACITY, self._k) for _ in range(CHAINS)]
        seeds = [int(seed) for seed in self._rng.integers(2**62, size=CHAINS)]
        steps = self._affordable(self._left("search"))

        def chain(number: int) -> Labels:
            return search(
                self._columns,
                self.labels,
                self._k,
                steps=steps,
                seed=seeds[number],
                pool=pools[number],
                hot=hot,
                ticker=ticker,
            )

        with ThreadPoolExecutor(workers()) as threads:
            for labels in threads.map(chain, range(CHAINS)):
                self._offer(labels)
        for pool in pools:
            self._generation.pool.add(pool.groups())

    def _affordable(self, seconds: float) -> int:
        """Steps of each chain that fit into some seconds, by trying a few."""
        n = len(self._points)
        if math.isinf(seconds):
            return STEPS_A_RECORD * n
        trial = max(n // 4, 50)
        search(
            self._columns, self.labels, self._k, steps=1, seed=0
        )  # compiled before the clock runs
        begun = time.monotonic()
        self._offer(search(self._columns, self.labels, self._k, steps=trial, seed=0, hot=0.0))
        each = (time.monotonic() - begun) / trial
        return max(int(seconds * min(workers(), CHAINS) / CHAINS / max(each, 1e-9)), 1)

    def _generate(self, ticker: Ticker) -> None:
        """Raise the bound and find groups by column generation."""
        generation = self._generation
        generation.pool.add(_groups(self.labels))
        until = time.monotonic() + self._left("columns")
        for _ in range(COLUMN_STEPS):
            if generation.finished or self._over(ticker) or time.monotonic() >= until:
                return
            generation.step(lambda: until - time.monotonic(), ticker)
            self._raise(generation.bound)
            self._show(ticker)

    def _dive(self, ticker: Ticker) -> None:
        """Make a partition of the mixture that the master problem holds, and improve it."""
        solution = self._generation.solution
        if solution is None or self._over(ticker):
            return
        used = np.flatnonzero(solution.shares > 1e-6)
        groups = [self._generation.pool.groups[number] for number in used]
        labels = dive(self._points, groups, solution.shares[used], self._k)
        start = admissible(self._columns, labels, self._k)
        seed = int(self._rng.integers(2**62))
        steps = 10 * len(self._points)
        self._offer(
            search(self._columns, start, self._k, steps=steps, seed=seed, hot=WARM, ticker=ticker)
        )

    def _choose(self, ticker: Ticker) -> None:
        """Choose the best partition of all groups seen and enumerated, by an integer program.

        First of few groups, which makes the gap smaller; then of all that can be in a better
        partition, if they are not too many: then nothing is left to find. That takes long, so that
        with less time left than the first may take, another round is worth more.
        """
        for most in MOST_LISTED:
            late = self._left("proof") < PHASES["integer"] * self._seconds
            if self._over(ticker) or (late and most != MOST_LISTED[0]):
                return
            listed = self._listed(most, ticker)
            if listed is None and most != MOST_LISTED[0]:
                return
            self._solve(listed, ticker)
            if listed is not None and listed.threshold >= self._missing():
                return

    def _missing(self) -> float:
        """What a partition may cost above the bound of the prices and yet be better, with room."""
        proved = self._generation.bound * (1 - SAFETY)
        return max(self.lowest * (1 + SAFETY) - proved, 0.0)

    def _listed(self, most: int, ticker: Ticker) -> Listed | None:
        """Enumerate the groups of the largest threshold for which they are not too many."""
        threshold = self._missing() * (1 + SPARE)
        if threshold > NARROW * self.lowest and not self._generation.finished:
            return None
        for _ in range(TIMES):
            if threshold <= 0 or ticker[1] != 0:
                return None
            listed = self._generation.below(threshold, most, ticker)
            if listed is not None:
                return listed
            threshold *= LOWERED
        return None

    def _solve(self, listed: Listed | None, ticker: Ticker) -> None:
        """Solve the integer program over the groups enumerated and those seen."""
        known = _groups(self.labels)
        pool = GroupPool(self._points)
        pool.add(known)
        whole = listed is not None and listed.threshold >= self._missing()
        floor = 0.0
        if listed is not None:
            floor = self._generation.bound + listed.threshold
            for rows in listed.groups:
                pool.add(rows)
        if not whole:
            pool.add(self._candidates(MOST_COLUMNS - len(pool), ticker))
        chosen = best_of(
            pool.groups,
            pool.errors,
            np.arange(len(pool)) < len(known),
            self._generation.charged_triples,
            len(self._points),
            self._left("proof" if whole else "integer"),
            ticker,
            prove=whole and len(pool) > MOST_LISTED[0],
        )
        if chosen.labels is not None:
            self._offer(chosen.labels)
        # A partition is made of these groups, or holds one that was not enumerated.
        self._raise(min(chosen.bound, floor))

    def _candidates(self, most: int, ticker: Ticker) -> list[Rows]:
        """Return the cheapest groups that a better partition may hold, by their reduced costs."""
        generation = self._generation
        generation.pool.add(generation.near_groups(ticker))
        numbers, costs = generation.cheapest(len(generation.pool))
        allowed = max(self.lowest - generation.reached, 0.0)
        groups = [generation.pool.groups[number] for number in numbers[costs <= allowed]]
        return _spread_out(groups, len(self._points))[: max(most, 0)]

    def _show(self, ticker: Ticker) -> None:
        """Let the progress bar know how much of the time is gone."""
        if math.isfinite(self._seconds) and self._seconds > 0:
            share = min((time.monotonic() - self._begun) / self._seconds, 1.0)
            ticker[0] = int(share * len(self._points))

    def _offer(self, labels: Labels) -> None:
        """Keep a partition if it is the best so far."""
        lost = error_of(self._columns, labels)
        if lost < self.lowest:
            self.labels, self.lowest = labels, lost
            self._tell(self.lowest, self.bound)

    def _raise(self, bound: float) -> None:
        safe = bound * (1 - SAFETY)
        if safe > self.bound:
            self.bound = safe
            self._tell(self.lowest, self.bound)


def _spread_out(groups: list[Rows], n: int) -> list[Rows]:
    """Return those groups that have a record which few of the groups before have.

    Where records are dense, thousands of groups cost next to nothing more than the best; without
    this there would be no room for those of all others.
    """
    used, chosen = [0] * n, []
    for rows in groups:
        members = rows.tolist()
        if min(used[row] for row in members) < GROUPS_OF_A_RECORD:
            chosen.append(rows)
            for row in members:
                used[row] += 1
    return chosen


def _groups(labels: Labels) -> list[Rows]:
    """Return the rows of each group, in order."""
    order = np.argsort(labels, kind="stable")
    return [rows.astype(np.int64) for rows in np.split(order, np.cumsum(np.bincount(labels))[:-1])]
