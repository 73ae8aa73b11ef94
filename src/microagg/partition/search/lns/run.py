"""Rounds of annealing until the steps are done or the time is up, whatever the records are."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from microagg.budget import CLOCK
from microagg.context import Ticker
from microagg.partition.search.lns.annealing import COLD, HOT, Annealed, most_groups
from microagg.typing import Labels

ROUNDS = 60
"""Rounds that a run is cut into, where that gives a round MOST_A_ROUND steps a record or fewer."""

LEAST_A_ROUND, MOST_A_ROUND = 2, 20
"""Steps of a round for each record: each round looks for near groups once, which takes time."""

SHORTEST = 1e-6
"""Seconds that any round takes at least, whatever the clock says."""

QUENCH = 0.95
"""Share of the run after which nothing for the worse is accepted."""


class Round(NamedTuple):
    """What a round of search is given: how many steps, how hot, and how many groups a step breaks up."""

    steps: int
    heats: tuple[float, float]
    most: int
    is_first: bool


class AnnealingRun(ABC):
    """Rounds of search until the steps are done or the ticker says stop; the best is kept.

    It ends early when it loses no more than is `enough`, or after a round when `deadline` has passed on
    the clock: a search that is one part of a task has a ticker of the whole.

    Parameters
    ----------
    n : int
        How many records there are.
    labels : int32[n]
        Where to start: groups of k to 2k-1 records.
    k : int
        The smallest size of a group.
    rng : Generator
        Where every random choice comes from.
    limit : int or None
        Steps at most.
    seconds : float or None
        Seconds after which to stop.
    threads : int
        How many parts are searched at once.
    """

    enough, deadline, hot = 0.0, math.inf, HOT

    def __init__(
        self,
        n: int,
        labels: Labels,
        k: int,
        rng: np.random.Generator,
        limit: int | None,
        seconds: float | None,
        threads: int,
    ) -> None:
        self.n, self.k, self.rng, self.threads = n, k, rng, threads
        self.limit = math.inf if limit is None else limit
        self.seconds = math.inf if seconds is None else seconds
        self.labels = self.best = labels
        self.total = 1000  # the share done in thousandths, whichever limit it is of
        self.steps = self.accepted = 0
        self.spent = 0.0
        self.trial = n  # steps of a first round that tells how fast the machine is
        self.loss_start = self.lowest = 0.0

    @abstractmethod
    def search(self, settings: Round, executor: Executor, ticker: Ticker) -> tuple[Annealed, float]:
        """Search from `labels` for one round; return what came of it and what the best groups lose."""

    def __call__(self, ticker: Ticker) -> None:
        begun = CLOCK.now()
        with ThreadPoolExecutor(self.threads) as executor:
            while self.steps < self.limit and ticker[1] == 0 and self.lowest > self.enough:
                self._round(executor, ticker)
                now = CLOCK.now()
                self.spent = now - begun
                if now >= self.deadline:
                    return
                ticker[0] = int(self.total * min(self._share(0), 1.0))

    def _round(self, executor: ThreadPoolExecutor, ticker: Ticker) -> None:
        steps = self._steps()
        hot = self._heat(self._share(0))
        heats = hot, min(hot, max(self._heat(self._share(steps)), COLD))
        if hot == 0.0:
            self.labels = self.best
        most = most_groups(self._expected() * self.k / self.n)
        settings = Round(steps, heats, most, self.steps == 0)
        annealed, lost = self.search(settings, executor, ticker)
        self.labels = annealed.last
        self.steps += annealed.steps
        self.accepted += annealed.accepted
        if lost < self.lowest:
            self.best, self.lowest = annealed.best, lost

    def _steps(self) -> int:
        """Steps of the next round."""
        steps = max(LEAST_A_ROUND * self.n, min(self.limit / ROUNDS, MOST_A_ROUND * self.n))
        if not math.isinf(self.seconds):
            timely = self.seconds / ROUNDS * self._speed() if self.steps else self.trial
            steps = min(steps, timely)
        return int(min(max(steps, 1), self.limit - self.steps))

    def _expected(self) -> float:
        """Steps of the whole run; of one in time, as many as the speed so far tells."""
        if math.isinf(self.seconds):
            return self.limit
        return min(self.limit, self.seconds * self._speed())

    def _speed(self) -> float:
        """Steps a second so far."""
        return self.steps / max(self.spent, SHORTEST)

    def _share(self, more: int) -> float:
        """How much of the run will be done after some more steps: of its time or of its steps."""
        steps, spent = self.steps + more, self.spent
        if self.steps:
            spent *= steps / self.steps
        return max(steps / self.limit, spent / self.seconds if self.seconds else 1.0)

    def _heat(self, share: float) -> float:
        """Heat when this share of the run is done."""
        return self.hot * (COLD / self.hot) ** (share / QUENCH) if share < QUENCH else 0.0
