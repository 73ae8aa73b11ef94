"""Best: groups that are proven to be near-optimal.

Reference: developed for microagg. Column generation for sums of squares with groups of at least k
is that of Aloise, Hansen, Rocha and Santi (Journal of Global Optimization 2014). Subset-row cuts
are those of Jepsen, Petersen, Spoorendonk and Pisinger (Operations Research 2008), and with weights
those of Pecin, Pessoa, Poggi, Uchoa and Santos (Operations Research Letters 2017).

Idea: it starts like `lns`. Annealing finds a good partition and many good groups. Column generation
computes prices of records, cheaper groups, a fractional solution and a lower bound. With more than
1,500 records and a time limit, it starts from the prices of separate parts of the data if these are
far apart. Many partitions are derived from the fractional solution and annealed in turn, and an
integer program chooses the best partition from all groups found so far. The prices also limit which
groups a better partition can contain. If these are few enough, they are enumerated, and the best
partition made of them is proved to be optimal. Rounds continue until the proven gap is small
enough. A gap of 2e-6 counts as zero, to allow for rounding.

Cost: a round of annealing takes O(n k^2 d). No useful bound is known for the time of the linear and
integer programs and of the pricing, so the default time limit is 60 s. If k is above 6 or n is
above 6,000, there is no column generation: the groups come from annealing, and the bound from
neighbours. If k is above 5, half of the time is spent on a bound by semidefinite relaxation.
This requires that n x n matrices fit into memory, and some of their eigendecompositions, O(n^3),
into that time. The solution is rounded to groups, from which a search starts in the last tenth of
the time. Memory O(nd) and the stored groups, besides those matrices.

Choices: if every record occurs at least k times, equal records are grouped together and nothing is
searched. Group sizes are k to 2k-1, because an optimal partition with such sizes always exists.
With a time limit, the labels depend on the machine. With ``time_limit=None``, each part of a round
has a fixed number of steps or nodes, and the labels depend only on the seed and the number of
rounds (2 by default).

On mixed records (categories, missing values, weights), `best` searches as `lns` does on these. For
up to 6,000 complete records without weights, half of the time is spent on a bound on the reported
loss: that of points whose squared errors are at most this loss (see `lower_bound`). The search does
not stop at a gap, so there is no parameter `gap`.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from microagg.budget import Stop
from microagg.constraints import AtLeast, IsShare
from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.bounds.gap import gap_of
from microagg.partition.equal_records import equal_groups
from microagg.partition.grouping import Facts, Grouping
from microagg.partition.registry import method
from microagg.partition.search.lns.annealing import admissible, renumbered
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records

annealing_only = lazy("microagg.partition.search.best.annealing_only")
mixed_records = lazy("microagg.partition.search.best.mixed_records")
portfolio = lazy("microagg.partition.search.best.portfolio")

LARGEST_K, LARGEST_N = 6, 6_000
"""The largest k and n for which column generation is useful. In a minute, it proved 8.06 % for Census with
k=6, where near neighbours prove 6.54 %, and no more than these for k=8 or 10."""

A_MINUTE = 60.0
"""The default time limit in seconds."""

ROUNDS = 2
"""The number of rounds without a time limit or a number of iterations."""


def best_mixed(
    records: Records,
    k: int,
    context: Context,
    *,
    max_iterations: Annotated[int, AtLeast(0)] | None = None,
) -> Grouping:
    """Group records with categories, missing values or weights by the reported loss."""
    limits = {"max_iterations": max_iterations, "largest": LARGEST_N}
    grouping: Grouping = mixed_records.search_and_prove(records, k, context, **limits)
    return grouping


@method(
    "best",
    summary="annealing, column generation and integer programming, until the proven gap is small",
    reference="developed for microagg: search and column generation",
    time="O(n k^2 d) per round of search; the programs are unbounded: set time_limit",
    max_size="2k-1",
    deterministic=False,
    timed=True,
    optimal="where the proven gap is 0",
    time_limit=A_MINUTE,
    brief={"max_iterations": 1},
    mixed=best_mixed,
)
def best(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    max_iterations: Annotated[int, AtLeast(0)] | None = None,
    gap: Annotated[float, IsShare()] = 0.0005,
) -> Grouping:
    """Group the records as described in the module docstring."""
    equal = equal_groups(prepared.columns, k)
    if equal is not None:
        return Grouping(equal, _facts(0.0, 0.0, 0.0, Stop.PROVED, iterations=0))
    sst = error_of(prepared.columns, np.zeros(prepared.n, dtype=np.int32))
    if context.budget.seconds is None and max_iterations is None:
        max_iterations = ROUNDS
    start = np.asarray(context.group(prepared, k, "mdav-nc").labels)
    if prepared.n < 2 * k:
        return Grouping(start, _facts(sst, error_of(prepared.columns, start), sst, Stop.GAP))
    few = k <= LARGEST_K and prepared.n <= LARGEST_N
    search = (portfolio.Portfolio if few else annealing_only.Alone)(
        prepared.columns,
        admissible(prepared.columns, start, k),
        k,
        context.rng,
        gap=gap,
        rounds=max_iterations,
        seconds=context.budget.left(),
        tell=lambda lost, bound: context.reporter.retitle(_title(lost, bound, sst)),
    )
    context.run("Searching", prepared.n, search.run, keep=True)
    stopped, incumbent = context.budget.stopped or search.stopped, search.incumbent
    facts = _facts(sst, incumbent.lowest, incumbent.bound, stopped, iterations=search.rounds)
    return Grouping(renumbered(incumbent.labels), facts)


def _facts(
    sst: float, lost: float, bound: float, stopped: Stop, iterations: int | None = None
) -> Facts:
    """Return what was proved, and how the search stopped."""
    return Facts(
        stopped=stopped,
        iterations=iterations,
        lower_bound=100 * bound / sst if sst else 0.0,
        lower_bound_sse=bound,
        gap=gap_of(lost, bound),
    )


def _title(lost: float, bound: float, sst: float) -> str:
    share = 100 / sst if sst else 0.0
    return f"Loss {lost * share:.4f} %, bound {bound * share:.4f} %, gap {gap_of(lost, bound):.2%}"
