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
one second allows, and 0.3 n steps above 20,000 records. Above k = 10, it is fewer steps, so that a
search takes at most about two to three times as long as with k = 5. Time O(n k^2 d) and that of the
start; memory O(nd + k^2).

Choices: the temperature is in units of the local mean error of a record, so that dense and sparse
regions are annealed alike. Distant regions are searched in parallel; their borders do not depend on
the number of threads, and neither do the labels. With a time limit, the number of steps depends on
the machine, and so do the labels. The temperature falls with elapsed time or completed steps,
whichever is further advanced; the last steps accept no deterioration. The result is the partition
with the least loss at the end of any round, and it never loses more than the start. If every record
occurs at least k times, equal records are grouped together and nothing is searched.

On mixed records (categories, missing values, weights), the same search judges groups by the loss
that the release reports. It starts from the groups of `initial`, refined by `decompose` and
`swap-shift`. A group is grown by adding the record that adds least to its loss. Groups of k equal
records lose nothing and are left alone. The default is 5 n steps or what takes about one second,
and fewer in proportion to 1/k^2 above k = 10.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import Executor
from dataclasses import replace
from typing import Annotated

import numpy as np

from microagg.budget import Stop
from microagg.constraints import AtLeast, WordOr
from microagg.context import Context, Ticker
from microagg.errors import OutOfMemoryError, ParameterError, Phrase
from microagg.partition.equal_records import equal_groups
from microagg.partition.grouping import Facts, Grouping, Labels
from microagg.partition.registry import method
from microagg.partition.rules.equal_mixed import equal_mixed_groups
from microagg.partition.rules.initial import named
from microagg.partition.search.lns.annealing import Annealed, admissible, most_groups, renumbered
from microagg.partition.search.lns.mixed_records import MixedRun, split_groups
from microagg.partition.search.lns.regions import search_round
from microagg.partition.search.lns.run import AnnealingRun, Round
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.threads import workers
from microagg.typing import Floats

INITIAL = WordOr(("mdav-nc",), "the name of another method")

BEFORE_MIXED = ("decompose", "swap-shift")
"""The refinements of the initial groups of mixed records, as in `auto`."""

NOTHING_TO_SEARCH = Facts(steps=0, accepted=0, loss_start=0.0, loss_end=0.0, stopped=Stop.PROVED)
"""The facts if each record occurs at least k times."""

STEPS_A_RECORD, OF_MANY, MANY = 15, 0.3, 20_000
"""The default number of steps per record, up to MANY records and above.

Above, the start and the sweep make most of the gain and take most of the time: in all two to three times
that of MDAV."""

MOST_OF_FEW, A_SECOND = 200, 1_500_000
"""Small files get more steps: A_SECOND / k^2, about a second, but at most MOST_OF_FEW per record.

Compared with 15 per record, with three seeds each, the loss is 4 % lower on diabetes (442 records) and
Census with k=3, and 3 % lower with k=5, in half a second to a second."""

LARGE_K = 20
"""The k above which the number of steps decreases with k^2, because each takes longer: 2,000 records of
three columns took 25 s with k = 100, and 1.4 s with k = 20."""

USUAL_K, UNBOUNDED_K, LONGEST = 5, 10, 2.2
"""Above k = UNBOUNDED_K, a search takes at most about LONGEST times as long as with USUAL_K."""

DEARER, DEAREST = 1.6, 25.0
"""The time of a step grows with about this power of k, up to this multiple of the time with USUAL_K: 5 us
with k = 5, 54 us with k = 20, and 110 to 160 us with k = 50."""

MIXED_STEPS, MOST_MIXED, MIXED_SECONDS, LARGE_MIXED_K = 5, 60, 400_000, 10
"""The same for mixed records, whose steps take three to ten times as long: steps per record, the maximum
per record of small files, the steps of small files, and the k above which steps decrease.

On 4,580 records of sdcMicro's test data with k=5, 10,000 steps took 0.5 s of processor time and reduced
the loss by 4.6 %, 50,000 steps 2.4 s and 9.3 %, and 200,000 steps 14 s and 17.5 %."""


def lns_mixed(
    records: Records,
    k: int,
    context: Context,
    *,
    initial: Annotated[str, INITIAL] = "mdav-nc",
    max_iterations: Annotated[int, AtLeast(0)] | None = None,
    threads: Annotated[int, AtLeast(1)] | None = None,
) -> Grouping:
    """Group records with categories, missing values or weights by the reported loss."""
    _check(initial)
    equal = equal_mixed_groups(records, k)
    if equal is not None:
        return Grouping(equal, NOTHING_TO_SEARCH)
    half = replace(context, budget=context.budget.part(0.5))
    seed = int(context.rng.integers(2**31))
    start = half.group(records, k, initial, refine=BEFORE_MIXED, seed=seed)
    if records.n < 2 * k or context.budget.stopped is Stop.INTERRUPTED:
        return start
    left = context.budget.left()
    if max_iterations is None and left is None:
        max_iterations = usual_mixed_steps(records.n, k)
    labels = split_groups(records, start.labels, k)
    run = MixedRun(records, labels, k, context.rng, max_iterations, left, threads or workers())
    context.run("Searching", run.total, run, keep=True)
    return Grouping(renumbered(run.best), _facts_of(run, start.facts, context))


@method(
    "lns",
    summary="breaks up and rebuilds a few neighbouring groups at a time, with simulated annealing",
    reference="developed for microagg: large-neighbourhood search",
    time="O(n k^2 d)",
    max_size="2k-1",
    deterministic=False,
    timed=True,
    brief={"max_iterations": 1},
    mixed=lns_mixed,
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
        return Grouping(equal, NOTHING_TO_SEARCH)
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
    return Grouping(renumbered(run.best), _facts_of(run, start.facts, context))


def _facts_of(run: AnnealingRun, facts: Facts, context: Context) -> Facts:
    """Return the facts of the start with those of the search."""
    return replace(
        facts,
        steps=run.steps,
        accepted=run.accepted,
        loss_start=run.loss_start,
        loss_end=run.lowest,
        stopped=context.budget.stopped or Stop.ITERATIONS,
    )


def usual_steps(n: int, k: int) -> int:
    """Return the default number of steps for n records.

    Examples
    --------
    >>> [usual_steps(n, 5) for n in (100, 1000, 20_000, 100_000)]
    [20000, 60000, 300000, 30000]
    >>> [usual_steps(2_000, k) for k in (10, 20, 40, 200)]
    [30000, 14364, 5280, 300]
    """
    share = min(1.0, (LARGE_K / k) ** 2)
    if n > MANY:
        return max(int(OF_MANY * n * share), 1)
    steps = max(int(STEPS_A_RECORD * n * share), min(MOST_OF_FEW * n, A_SECOND // k**2), 1)
    if k <= UNBOUNDED_K:
        return steps
    dearer = min((k / USUAL_K) ** DEARER, DEAREST)
    return min(steps, max(int(LONGEST * usual_steps(n, USUAL_K) / dearer), 1))


def usual_mixed_steps(n: int, k: int) -> int:
    """Return the default number of steps for n mixed records.

    Examples
    --------
    >>> [usual_mixed_steps(n, 5) for n in (100, 1_000, 10_000, 100_000)]
    [6000, 16000, 50000, 30000]
    """
    share = min(1.0, (LARGE_MIXED_K / k) ** 2)
    if n > MANY:
        return max(int(OF_MANY * n * share), 1)
    return max(int(MIXED_STEPS * n * share), min(MOST_MIXED * n, MIXED_SECONDS // k**2), 1)


def _check(initial: str) -> None:
    """Raise if the initial method is unknown, or is this method."""
    if named(initial, "lns", INITIAL).method.name == "lns":
        raise ParameterError(
            f"must be {INITIAL}. Got {initial!r}.", parameter="initial", caller="lns"
        )


def _require_memory(k: int) -> None:
    """Raise if memory does not suffice for a step of one region, which uses 12k x 12k distances."""
    needed = 8 * (most_groups(math.inf) * (2 * k - 1)) ** 2
    if needed > physical_memory():
        raise OutOfMemoryError(
            f"lns needs at least {needed / 1e9:.2g} GB of memory with k={k}.",
            hint=Phrase("Use {method}, or a smaller k.", method="mdav-nc"),
        )


def physical_memory() -> float:
    """Return the memory of the computer in bytes, or infinity if unknown."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # as on Windows
        return math.inf


def _start(prepared: Prepared, k: int, initial: str, context: Context) -> Grouping:
    """Group by another method in half of the time, and cut groups of 2k or more."""
    half = replace(context, budget=context.budget.part(0.5))
    start = half.group(prepared, k, initial, seed=int(context.rng.integers(2**31)))
    return replace(start, labels=admissible(prepared.columns, start.labels, k))


class LnsRun(AnnealingRun):
    """Rounds of search on complete numbers, float64[d, n]."""

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
        super().__init__(columns.shape[1], labels, k, rng, limit, seconds, threads)
        self.columns, self.points = columns, np.array(columns.T, order="C")
        self.loss_start = self.lowest = error_of(columns, labels)

    def search(self, settings: Round, executor: Executor, ticker: Ticker) -> tuple[Annealed, float]:
        """Search all regions once; a sweep precedes the first round."""
        annealed = search_round(
            self.points,
            self.labels,
            self.k,
            settings.steps,
            settings.heats,
            settings.most,
            int(settings.is_first),
            self.rng,
            executor,
            ticker,
        )
        return annealed, error_of(self.columns, annealed.best)
