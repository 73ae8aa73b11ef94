"""The search for a bound: which proofs are tried, and in which order."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np

from microagg.budget import CLOCK
from microagg.context import Context, Ticker
from microagg.partition.bounds import columns_start
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.columns_start import start_columns_in_parts
from microagg.partition.bounds.gap import SAFETY, gap_of, safe
from microagg.partition.bounds.listed_proof import SHARES, prove_listed
from microagg.partition.bounds.parts_start import MANY, start_in_parts
from microagg.partition.bounds.proof import Proof
from microagg.partition.bounds.proven import rounded_down
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.bounds.semidefinite import Semidefinite, lack_of_memory
from microagg.partition.bounds.semidefinite_run import is_affordable, run_semidefinite
from microagg.partition.sum_of_squares import error_of
from microagg.typing import Floats, Labels, Rows

LARGEST = 20_000
"""Records for which column generation is tried; its pricing looks at all pairs of records."""

COLUMNS_FIRST, EITHER = 5, 6
"""Up to the first k column generation proves most, except for many records on a GPU at that k; up to the
second either proof may be the better one, so that they share the time; above, the semidefinite relaxation
is ahead."""

EARLY = 0.25
"""The share of the time left for an integer program while there are cuts that are violated less."""

PARTS_SHARE = 0.4
"""The share of the time in which column generation for many records is started from parts."""

STEPS_SHOWN = 1000

FirstGroups = Callable[[Floats, int, Ticker], tuple[list[Rows], Labels]]
"""Good groups of records to begin with, and a partition."""


class BoundSearch:
    """Near neighbours first, then the stronger proofs; the best bound is there whenever it is stopped.

    Parameters
    ----------
    points : float64[n, d]
        At least 2k records.
    k : int
        The smallest size of a group.
    sst : float
        The total sum of squares.
    judged : float or None
        The error of the groups that the bound is to judge: once it is as high, nothing is left to do.
    first_groups : function of (points, k, ticker)
        Searches for the groups that column generation begins with.
    xp : module
        numpy or cupy, for the semidefinite relaxation.
    context : Context
        The time limit, and what shows the progress.

    Attributes
    ----------
    bound, proved_by, stopped
        As in `LowerBound`.
    """

    def __init__(
        self,
        points: Floats,
        k: int,
        sst: float,
        judged: float | None,
        first_groups: FirstGroups,
        xp: ModuleType,
        context: Context,
    ) -> None:
        self._points, self._k, self._sst, self._reporter = points, k, sst, context.reporter
        self._first_groups, self._xp = first_groups, xp
        self._limit, self._start = context.budget.seconds, CLOCK.now()
        self._judged = math.inf if judged is None else judged
        self._lowest = min(self._judged, sst)
        self.bound, self.proved_by, self.stopped = 0.0, Proof.NEIGHBOURS, "exhausted"
        lack = lack_of_memory(len(points)) if xp is np and k > COLUMNS_FIRST else None
        if lack is not None:
            self._reporter.warn(f"{lack} Only weaker bounds are computed.")

    def run(self, ticker: Ticker) -> None:
        """Prove what is quick, then go from the strongest proof to the other."""
        if self._closed():
            return
        prices = quick_prices(self._points, self._k, ticker)
        self._raise(float(prices.sum()), Proof.NEIGHBOURS)
        if self._k > COLUMNS_FIRST or self._is_for_gpu():
            self._relax(prices, ticker)
            if self.stopped != "time limit":
                self._generate_columns(prices, ticker)
            return
        self._generate_columns(prices, ticker)
        if self.stopped in ("size", "solver"):  # all columns prove more than the relaxation
            self._relax(prices, ticker)

    def _is_for_gpu(self) -> bool:
        """Return whether there are many records for column generation, and a GPU for the relaxation."""
        many = len(self._points) > columns_start.MANY
        return many and self._k == COLUMNS_FIRST and self._xp is not np

    def _generate_columns(self, prices: Floats, ticker: Ticker) -> None:
        if len(self._points) > LARGEST:
            self.stopped = "size"
            return
        if self._closed() or ticker[1] != 0:
            return
        generation = ColumnGeneration(self._points, self._k, prices)
        groups, labels = self._first_groups(self._points, self._k, ticker)
        generation.pool.add(groups)
        self._lowest = min(self._lowest, error_of(self._points.T, labels))
        if columns_start.MANY < generation.n <= columns_start.MOST:
            seconds = PARTS_SHARE * self._seconds_left()
            start_columns_in_parts(generation, prices, self._k, seconds, ticker)
            self._raise(generation.bound, _proof_of(generation))
        deeper = True
        while deeper:
            self._step(generation, ticker)
            if generation.finished and not (generation.failed or generation.crowded):
                labels = self._list_groups(generation, labels, ticker)
            deeper = not self._closed() and ticker[1] == 0 and generation.look_deeper()
        if generation.failed or generation.crowded:
            self.stopped = "solver" if generation.failed else "size"

    def _step(self, generation: ColumnGeneration, ticker: Ticker) -> None:
        """Add groups and cuts until there are no more."""
        while not (self._closed() or generation.finished or ticker[1]):
            generation.step(self._seconds_left, ticker)
            self._raise(generation.bound, _proof_of(generation))
            self._show(ticker)

    def _list_groups(self, generation: ColumnGeneration, labels: Labels, ticker: Ticker) -> Labels:
        """Raise the bound by an integer program, once there are no more groups and cuts.

        While there are cuts that are violated less, it is worth some of the time, and only if it can close
        the gap. Returns the best partition.
        """
        left, missing = self._seconds_left(), self._lowest - generation.bound
        if left > 0 and ticker[1] == 0 and not self._closed():
            deepest = generation.is_deepest
            seconds, shares = (left, SHARES) if deepest else (EARLY * left, SHARES[-1:])
            proof = prove_listed(generation, labels, missing, seconds, ticker, shares)
            if proof.labels is not None:
                self._lowest = min(self._lowest, error_of(self._points.T, proof.labels))
                labels = proof.labels
            self._raise(proof.bound, Proof.INTEGER)
            self._closed()
        return labels

    def _relax(self, prices: Floats, ticker: Ticker) -> None:
        if self._closed() or ticker[1] != 0:
            return
        kept = 0.0  # seconds for column generation
        if COLUMNS_FIRST < self._k <= EITHER and self._limit is not None:
            kept = self._limit / 2
        on_gpu = self._xp is not np
        if not (on_gpu or is_affordable(len(self._points), self._seconds_left() - kept)):
            return
        state = Semidefinite(self._points, self._k, self._xp)
        if len(self._points) > MANY:
            seconds = self._seconds_left() - kept
            start_in_parts(state, self._points, prices, self._k, seconds, ticker, self._xp)

        def enough(bound: float) -> bool:
            proof = Proof.SEMIDEFINITE_AND_CUTS if state.cuts else Proof.SEMIDEFINITE
            self._raise(bound, proof)
            self._show(ticker)
            return self._closed()

        late = run_semidefinite(state, lambda: self._seconds_left() - kept, ticker, enough)
        if late and not kept:
            self.stopped = "time limit"

    def _show(self, ticker: Ticker) -> None:
        """Let the progress bar know how much of the time is gone."""
        if self._limit:
            share = (CLOCK.now() - self._start) / self._limit
            ticker[0] = int(STEPS_SHOWN * min(share, 1.0))

    def _seconds_left(self) -> float:
        if self._limit is None:
            return math.inf
        return self._limit - (CLOCK.now() - self._start)

    def _raise(self, bound: float, proved_by: Proof) -> None:
        if safe(bound) > self.bound:
            self.bound, self.proved_by = safe(bound), proved_by
            percent = rounded_down(100 * self.bound / self._sst, ".4f")
            self._reporter.retitle(f"No groups lose less than {percent} %")

    def _closed(self) -> bool:
        """Return whether some groups are as good as the bound: those to judge, or some of a search."""
        if self._lowest > 0 and gap_of(self._lowest, self.bound) > 10 * SAFETY:
            return False
        self.stopped = "gap" if self._lowest == self._judged else "exhausted"
        return True


def _proof_of(generation: ColumnGeneration) -> Proof:
    return Proof.COLUMNS_AND_CUTS if generation.cuts else Proof.COLUMNS
