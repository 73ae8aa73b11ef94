"""What every search with a lower bound shares: the records, its limits and the incumbent."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from microagg.budget import CLOCK, Stop
from microagg.context import Ticker
from microagg.partition.bounds.bound_search import COLUMNS_FIRST
from microagg.partition.bounds.gap import PROVED
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.bounds.semidefinite import Semidefinite
from microagg.partition.bounds.semidefinite_run import is_affordable, run_semidefinite
from microagg.partition.search.best.incumbent import Incumbent
from microagg.partition.search.lns.annealing import renumbered
from microagg.partition.search.lns.chains import affordable_steps, run_chains
from microagg.partition.search.lns.lns import LnsRun, usual_steps
from microagg.threads import workers
from microagg.typing import Floats, Labels

SEARCHED = 0.5
"""The share of the time that is searched, where a relaxation proves."""

POLISHED = 0.1
"""The share of the time that is searched from the solution of a relaxation."""

WARM = 0.3
"""Heat of the searches after the first: they start from something good."""

UNTIMED_RECORDS, UNTIMED_STEPS = 2000, 100
"""Without a clock: the records up to which a relaxation is used, and its steps."""

STEPS_TO_THE_END = 2**50
"""More than fit into any time."""


class Proving(ABC):
    """A search over one set of records; its incumbent can be read at all times.

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

    Attributes
    ----------
    incumbent : Incumbent
        The best partition and the best bound so far.
    rounds : int
        How many rounds have been done.
    stopped : Stop
        Why it ended, unless a clock or the user ended it.
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
        self._points = np.array(columns.T, order="C")
        self._gap, self._rounds = max(gap, PROVED), rounds
        self._seconds = math.inf if seconds is None else seconds
        self._begun = CLOCK.now()
        self.incumbent = Incumbent(columns, labels, tell)
        self.rounds = 0
        self.stopped = Stop.ITERATIONS

    def run(self, ticker: Ticker) -> None:
        """Search, and where k is large prove by a semidefinite relaxation, which has its share of time."""
        whole, share = self._seconds, (1 - SEARCHED) * self._seconds
        relaxing = self._k > COLUMNS_FIRST and self._is_affordable(share)
        self._seconds = SEARCHED * whole if relaxing else whole
        self.search(ticker)
        cut_short, self._seconds = self._seconds_left() <= 0, whole
        if relaxing and not self._over(ticker):
            self._relax(POLISHED * whole if math.isfinite(whole) else 0.0, ticker)
            if cut_short and not self._over(ticker):  # the relaxation needed less than its share
                self._anneal(STEPS_TO_THE_END, 1.0, ticker)
                self._over(ticker)

    @abstractmethod
    def search(self, ticker: Ticker) -> None:
        """Search and prove until something says stop."""

    def _over(self, ticker: Ticker) -> bool:
        """Return whether the gap is small enough, the time is up, or the ticker says stop."""
        if self.incumbent.gap <= self._gap:
            self.stopped = Stop.GAP
            return True
        if self._seconds_left() <= 0:
            self.stopped = Stop.TIME_LIMIT
            return True
        return bool(ticker[1] != 0)

    def _is_affordable(self, seconds: float) -> bool:
        n = len(self._points)
        return is_affordable(n, seconds) and (math.isfinite(seconds) or n <= UNTIMED_RECORDS)

    def _relax(self, kept: float, ticker: Ticker) -> None:
        """Raise the bound by a semidefinite relaxation, and search from its solution.

        The search has the `kept` seconds at the end of the time.
        """

        def enough(bound: float) -> bool:
            self.incumbent.prove(bound)
            return self._over(ticker)

        state = Semidefinite(self._points, self._k)
        most = None if math.isfinite(self._seconds) else UNTIMED_STEPS
        late = run_semidefinite(state, lambda: self._seconds_left() - kept, ticker, enough, most)
        if not self._over(ticker):
            self._polish(state.rounded(), kept, ticker)
        if late:
            self._seconds = 0.0  # what is left is too short for a step

    def _polish(self, labels: Labels | None, seconds: float, ticker: Ticker) -> None:
        """Search from groups of the relaxation for some seconds, or for the usual steps without a clock."""
        if labels is None:
            return
        chains, columns, k = workers(), self._columns, self._k
        if math.isfinite(self._seconds):
            seconds = min(seconds, self._seconds_left())
            steps = affordable_steps(columns, labels, k, chains, chains, seconds)
        else:
            seconds, steps, chains = math.inf, usual_steps(len(self._points), k), 1
        searched = run_chains(
            columns,
            [labels] * chains,
            k,
            steps=steps,
            seeds=self._rng.integers(2**62, size=chains).tolist(),
            hot=WARM,
            seconds=seconds,
            at_once=chains,
            ticker=ticker,
        )
        for chain in searched:
            self.incumbent.offer(chain.labels)

    def _seconds_left(self) -> float:
        return max(self._seconds - (CLOCK.now() - self._begun), 0.0)

    def _prove_quickly(self, ticker: Ticker) -> Floats:
        """Prove what near neighbours can; returns their prices."""
        prices = quick_prices(self._points, self._k, ticker)
        self.incumbent.prove(float(prices.sum()))
        return prices

    def _anneal(self, steps: int, part: float, ticker: Ticker) -> int:
        """Do as `lns` does until so many steps are done; returns how many were.

        That is a `part` of the whole, which determines the progress that is shown.
        """
        left = self._seconds_left()
        seconds = None if math.isinf(left) else left
        start = self.incumbent.labels
        run = LnsRun(self._columns, start, self._k, self._rng, steps, seconds, workers())
        run.total = int(part * len(self._points))
        run.deadline = self._begun + self._seconds
        run.enough = self.incumbent.bound / (1 - self._gap)
        run(ticker)
        self.incumbent.offer(renumbered(run.best))
        return run.steps
