"""LNS: large-neighbourhood search.

Reference: developed for microagg. The changes of shifts and swaps are the closed forms of local
search for sums of squares (Spaeth 1980), and annealing is that of Kirkpatrick, Gelatt, Vecchi 1983.

Idea: break up the group of a record and a few of the groups nearest to the record, and rebuild
them. The new groups are one fewer, as many, or one more, grown from seeds, or the old ones
perturbed. Then shift and swap records while that helps. A change that reduces the loss is kept; one
that increases it is kept with a probability that decreases over time. Before the search, one sweep
shifts and swaps records between each group and its three nearest groups, which gives most of the
gain of a short run in little time.

Cost: a step takes O(k^2 (d + the rounds of descent)) for any n. The default is 15 n steps or what
one second allows, and 0.3 n steps above 20,000 records; above k = 20 it is fewer, in proportion to
1/k^2. Time O(n k^2 d) and that of the start; memory O(nd + k^2).

Choices: the temperature is in units of the local mean error of a record, so that dense and sparse
regions are annealed alike. Distant regions are searched in parallel; their borders do not depend on
the number of threads, and neither do the labels. With a time limit, the number of steps depends on
the machine, and so do the labels. The temperature falls with elapsed time or completed steps,
whichever is further advanced; the last steps accept no deterioration. The result is the partition
with the least loss at the end of any round, and it never loses more than the start. If every record
occurs at least k times, equal records are grouped together and nothing is searched.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Annotated

import numpy as np

from microagg.budget import CLOCK, Stop
from microagg.constraints import AtLeast, WordOr
from microagg.context import Context, Ticker
from microagg.errors import OutOfMemoryError, ParameterError, Phrase
from microagg.partition.equal_records import equal_groups
from microagg.partition.grouping import Facts, Grouping, Labels
from microagg.partition.registry import method
from microagg.partition.rules.initial import named
from microagg.partition.search.lns.annealing import COLD, HOT, admissible, most_groups, renumbered
from microagg.partition.search.lns.regions import search_round
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import Prepared
from microagg.threads import workers
from microagg.typing import Floats

INITIAL = WordOr(("mdav-nc",), "the name of another method")

STEPS_A_RECORD, OF_MANY, MANY = 15, 0.3, 20_000
"""Steps for each record when neither a time nor a number is given, up to MANY records and beyond.

Beyond, the start and the sweep take most of the gain and most of the time: in all two to three times
that of MDAV."""

MOST_OF_FEW, A_SECOND = 200, 1_500_000
"""Few records get more steps: as many as take about a second, A_SECOND / k^2, but at most MOST_OF_FEW each.

Three seeds each, against 15 a record: 4 % less loss on diabetes (442 records) and Census with k=3, 3 %
with k=5, in half a second to a second."""

LARGE_K = 20
"""From here on steps grow fewer with k^2, as each takes longer: 2,000 records of three columns took 25 s
with k = 100, and 1.4 s with k = 20."""

ROUNDS = 60
"""Rounds that a run is cut into, where that gives a round MOST_A_ROUND steps a record or fewer."""

LEAST_A_ROUND, MOST_A_ROUND = 2, 20
"""Steps of a round for each record: each round looks for near groups once, which takes time."""

SHORTEST = 1e-6
"""Seconds that any round takes at least, whatever the clock says."""

QUENCH = 0.95
"""Share of the run after which nothing for the worse is accepted."""


@method(
    "lns",
    summary="breaks up and rebuilds a few neighbouring groups at a time, with simulated annealing",
    reference="developed for microagg: large-neighbourhood search",
    time="O(n k^2 d)",
    max_size="2k-1",
    deterministic=False,
    timed=True,
    brief={"max_iterations": 1},
)
def lns(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    initial: Annotated[str, INITIAL] = "mdav-nc",
    max_iterations: Annotated[int, AtLeast(0)] | None = None,
    threads: Annotated[int, AtLeast(1)] | None = None,
) -> Grouping:
    """Group the records as described in the module docstring."""
    _check(initial)
    equal = equal_groups(prepared.columns, k)
    if equal is not None:
        nothing = Facts(steps=0, accepted=0, loss_start=0.0, loss_end=0.0, stopped=Stop.PROVED)
        return Grouping(equal, nothing)
    start = _start(prepared, k, initial, context)
    if prepared.n < 2 * k or context.budget.stopped is Stop.INTERRUPTED:
        return start
    left = context.budget.left()
    if max_iterations is None and left is None:
        max_iterations = usual_steps(prepared.n, k)
    _require_memory(k)
    columns, rng = prepared.columns, context.rng
    run = LnsRun(columns, start.labels, k, rng, max_iterations, left, threads or workers())
    context.run("Searching", run.total, run, keep=True)
    facts = replace(
        start.facts,
        steps=run.steps,
        accepted=run.accepted,
        loss_start=run.loss_start,
        loss_end=run.lowest,
        stopped=context.budget.stopped or Stop.ITERATIONS,
    )
    return Grouping(renumbered(run.best), facts)


def usual_steps(n: int, k: int) -> int:
    """Return how many steps n records get unless told otherwise.

    Examples
    --------
    >>> [usual_steps(n, 5) for n in (100, 1000, 20_000, 100_000)]
    [20000, 60000, 300000, 30000]
    >>> [usual_steps(2_000, k) for k in (20, 40, 200)]
    [30000, 7500, 300]
    """
    share = min(1.0, (LARGE_K / k) ** 2)
    if n > MANY:
        return max(int(OF_MANY * n * share), 1)
    return max(int(STEPS_A_RECORD * n * share), min(MOST_OF_FEW * n, A_SECOND // k**2), 1)


def _check(initial: str) -> None:
    """Raise when a start is not known, or is this method."""
    if named(initial, "lns", INITIAL).method.name == "lns":
        raise ParameterError(
            f"must be {INITIAL}. Got {initial!r}.", parameter="initial", caller="lns"
        )


def _require_memory(k: int) -> None:
    """Raise when a step of one region, which has a matrix of 12k x 12k distances, has no room."""
    needed = 8 * (most_groups(math.inf) * (2 * k - 1)) ** 2
    if needed > physical_memory():
        raise OutOfMemoryError(
            f"lns takes at least {needed / 1e9:.2g} GB of memory with k={k}.",
            hint=Phrase("Use {method}, or a smaller k.", method="mdav-nc"),
        )


def physical_memory() -> float:
    """Return the bytes of memory that the computer has, infinity where it does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # as on Windows
        return math.inf


def _start(prepared: Prepared, k: int, initial: str, context: Context) -> Grouping:
    """Group by another method in half of the time, and cut groups of 2k or more."""
    half = replace(context, budget=context.budget.part(0.5))
    start = half.group(prepared, k, initial, seed=int(context.rng.integers(2**31)))
    return replace(start, labels=admissible(prepared.columns, start.labels, k))


class LnsRun:
    """Rounds of search until the steps are done or the ticker says stop; the best is kept.

    It ends early when it loses no more than is `enough`, or after a round when `deadline` has passed on
    the clock: a search that is one part of a task has a ticker of the whole.
    """

    enough, deadline = 0.0, math.inf

    def __init__(
        self,
        columns: Floats,
        labels: Labels,
        k: int,
        rng: np.random.Generator,
        limit: int | None,
        seconds: float | None,
        threads: int,
    ) -> None:
        self.columns, self.k, self.rng, self.threads = columns, k, rng, threads
        self.limit = math.inf if limit is None else limit
        self.seconds = math.inf if seconds is None else seconds
        self.points = np.ascontiguousarray(columns.T)
        self.labels = self.best = labels
        self.loss_start = self.lowest = error_of(columns, labels)
        self.total = 1000  # the share done in thousandths, whichever limit it is of
        self.steps = self.accepted = 0
        self.spent = 0.0

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
        hot = _heat(self._share(0))
        heats = hot, min(hot, max(_heat(self._share(steps)), COLD))
        if hot == 0.0:
            self.labels = self.best
        most = most_groups(self._expected() * self.k / len(self.points))
        annealed = search_round(
            self.points,
            self.labels,
            self.k,
            steps,
            heats,
            most,
            int(self.steps == 0),  # swept over before the first round
            self.rng,
            executor,
            ticker,
        )
        self.labels = annealed.last
        self.steps += annealed.steps
        self.accepted += annealed.accepted
        lost = error_of(self.columns, annealed.best)
        if lost < self.lowest:
            self.best, self.lowest = annealed.best, lost

    def _steps(self) -> int:
        """Steps of the next round."""
        n = len(self.points)
        steps = max(LEAST_A_ROUND * n, min(self.limit / ROUNDS, MOST_A_ROUND * n))
        if not math.isinf(self.seconds):  # a first short round tells how fast the machine is
            timely = self.seconds / ROUNDS * self._speed() if self.steps else n
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


def _heat(share: float) -> float:
    """Heat when this share of the run is done."""
    return HOT * (COLD / HOT) ** (share / QUENCH) if share < QUENCH else 0.0
