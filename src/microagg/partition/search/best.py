"""Best: groups proven to be near the best possible.

Reference: ours. Column generation for sums of squares with groups of at least k is that of Aloise,
Hansen, Rocha and Santi (Journal of Global Optimization 2014); subset-row cuts are those of Jepsen,
Petersen, Spoorendonk and Pisinger (Operations Research 2008).

Idea: annealing (`lns`) finds a good partition and many good groups; column generation finds the
prices of records, cheaper groups and a bound; by these prices the groups that a better partition can
hold are enumerated, all of them where they are few enough; an integer program chooses the best
partition of them, which is then proved to be the best of all; else of all groups seen, and again from
there, until the proven gap is small enough. A gap of 2e-6 counts as none: it is room for rounding.

Cost: a round of annealing is O(n k^2 d); the linear and integer programs and the pricing have no good
bound, so where k is above 5 or n above 6,000 there is annealing alone, with the bound by neighbours.
Memory O(nd) and the groups kept.

Where there was a choice: sizes are k to 2k-1, which holds a best partition. With a time limit the labels
depend on the machine; with a number of rounds they depend on the seed alone.
"""

from __future__ import annotations

import time
from typing import Annotated

import numpy as np

from microagg.constraints import AtLeast
from microagg.partition.bounds.duals import Floats
from microagg.partition.bounds.gap import SAFETY, gap_of
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.error import error_of
from microagg.partition.registry import Labels, method
from microagg.partition.search.annealing import admissible, renumbered
from microagg.partition.search.lns import lns
from microagg.partition.search.portfolio import Portfolio
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress

LARGEST_K, LARGEST_N = 5, 6_000
"""Up to here column generation is of use."""

ROUNDS = 2
"""Rounds when neither a time nor a number is given."""

STEPS_A_RECORD = 100
"""Steps of annealing alone, for each record and round."""


@method(
    "best",
    summary="annealing, column generation and an integer program, until the proven gap is small",
    reference="portfolio of search and column generation; ours",
    time="O(n k^2 d) a round of search; the programs have no bound: give time_limit",
    max_size="2k-1",
    deterministic=False,
)
def best(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    time_limit: Annotated[float, AtLeast(0)] | None = None,
    max_iterations: Annotated[int, AtLeast(0)] | None = None,
    gap: Annotated[float, AtLeast(0)] = 0.001,
) -> Labels:
    """Group as the file's opening says."""
    from microagg.partition.driver import group

    begun = time.monotonic()
    sst = error_of(prepared.columns, np.zeros(prepared.n, dtype=np.int32))
    if time_limit is None and max_iterations is None:
        max_iterations = ROUNDS
    start = group(prepared, k, "mdav", progress=progress).labels
    if prepared.n < 2 * k:
        _note(progress, sst, error_of(prepared.columns, start), sst, stopped="gap")
        return np.asarray(start)
    left = None if time_limit is None else max(time_limit - (time.monotonic() - begun), 0.0)
    if k > LARGEST_K or prepared.n > LARGEST_N:
        return _annealing_alone(prepared, k, rng, progress, left, max_iterations, sst)
    portfolio = Portfolio(
        prepared.columns,
        admissible(prepared.columns, np.asarray(start), k),
        k,
        rng,
        gap=gap,
        rounds=max_iterations,
        seconds=left,
        tell=lambda lost, bound: progress.retitle(_title(lost, bound, sst)),
    )
    progress.run("Searching", prepared.n, portfolio.run, time_limit=left, keep=True)
    stopped = progress.notes.get("stopped", portfolio.stopped)
    _note(progress, sst, portfolio.lowest, portfolio.bound, stopped=stopped)
    progress.note(iterations=portfolio.rounds)
    return renumbered(portfolio.labels)


def _annealing_alone(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    seconds: float | None,
    rounds: int | None,
    sst: float,
) -> Labels:
    """Search without column generation, and prove what neighbours can."""
    steps = None if rounds is None else STEPS_A_RECORD * rounds * prepared.n
    prices = quick_bound(prepared.columns, k)
    labels = lns(prepared, k, rng, progress, time_limit=seconds, max_iterations=steps)
    stopped = progress.notes.get("stopped", "iterations")
    _note(progress, sst, error_of(prepared.columns, labels), prices, stopped=stopped)
    return labels


def quick_bound(columns: Floats, k: int) -> float:
    """Return the bound of the error by neighbours alone."""
    points = np.ascontiguousarray(columns.T)
    prices = quick_prices(points, k, np.zeros(2, dtype=np.int64))
    return float(prices.sum()) * (1 - SAFETY)


def _note(progress: Progress, sst: float, lost: float, bound: float, *, stopped: str) -> None:
    """Keep the bound and the gap among the details of the partition."""
    percent = 100 * bound / sst if sst else 0.0
    progress.note(
        stopped=stopped,
        lower_bound=percent,
        lower_bound_sse=bound,
        gap=gap_of(lost, bound),
    )


def _title(lost: float, bound: float, sst: float) -> str:
    share = 100 / sst if sst else 0.0
    return f"Loss {lost * share:.4f} %, bound {bound * share:.4f} %, gap {gap_of(lost, bound):.2%}"
