"""Annealing alone, with the bound by near neighbours: where column generation is of no use."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from microagg.partition.bounds.duals import Floats
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.registry import Labels
from microagg.partition.search.known import Known
from microagg.partition.search.lns import Run
from microagg.partition.threads import workers
from microagg.progress import Ticker

STEPS_A_RECORD, MOST_STEPS_A_RECORD = 100, 5_000
"""Steps for each record: in a round, and at most, since few records are soon at their best."""


class Alone:
    """A bound and then a search; what is known is there at all times. See `Portfolio`."""

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
        self._columns, self._k, self._rng, self._gap = columns, k, rng, gap
        each = MOST_STEPS_A_RECORD if rounds is None else STEPS_A_RECORD * rounds
        self._steps = each * labels.size
        self._deadline = math.inf if seconds is None else time.monotonic() + seconds
        self.known = Known(columns, labels, tell)
        self.rounds = rounds or 1
        self.stopped = "iterations"

    def run(self, ticker: Ticker) -> None:
        """Prove what neighbours can, and search until the gap is small enough or it must stop."""
        prices = quick_prices(np.ascontiguousarray(self._columns.T), self._k, ticker)
        self.known.prove(float(prices.sum()))
        if ticker[1] == 0 and self.known.gap > self._gap:
            self._search(ticker)
        if self.known.gap <= self._gap:
            self.stopped = "gap"

    def _search(self, ticker: Ticker) -> None:
        left = max(self._deadline - time.monotonic(), 0.0)
        seconds = None if math.isinf(left) else left
        run = Run(
            self._columns, self.known.labels, self._k, self._rng, self._steps, seconds, workers()
        )
        run.enough = self.known.bound / (1 - self._gap)
        run(ticker)
        self.known.offer(run.best)
