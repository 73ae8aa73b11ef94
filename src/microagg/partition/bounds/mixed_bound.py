"""The search for a bound on the loss of mixed records: that of numbers, on points that lose no more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from microagg.context import Context, Ticker
from microagg.lazy import lazy
from microagg.partition.bounds.bound_search import STEPS_SHOWN, BoundSearch, FirstGroups
from microagg.partition.bounds.gap import safe
from microagg.partition.bounds.mixed_embedding import embedding_of
from microagg.partition.bounds.proof import Proof
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.bounds.semidefinite import Semidefinite
from microagg.partition.bounds.semidefinite_run import is_affordable, run_semidefinite
from microagg.prepare.objective import objective_arrays
from microagg.prepare.records import Records
from microagg.typing import Labels

kernels = lazy("microagg.kernels.mixed.refine")
objectives = lazy("microagg.kernels.mixed.objective")

UNTIMED_RECORDS, UNTIMED_STEPS = 2000, 100
"""Without a clock: the records up to which a relaxation is used, and its steps."""


@dataclass(frozen=True)
class MixedBound:
    """A bound on the loss, its proof, and why the computation ended."""

    loss: float
    proved_by: Proof
    stopped: str


def reported_loss(records: Records, labels: Labels, k: int) -> float:
    """Return the loss that a release of some groups reports."""
    objective = objectives.Objective(**objective_arrays(records))
    state = kernels.grouped(objective, labels.astype(np.int64), k, 2 * k - 1)
    return math.fsum(state.costs)


def timed_bound(
    records: Records,
    k: int,
    total: float,
    lost: float | None,
    first_groups: FirstGroups,
    xp: ModuleType,
    context: Context,
) -> MixedBound:
    """Look for a bound within the time of the context, as for numbers; `lost` is what to judge."""
    points, slack = embedding_of(records, k)
    search = BoundSearch(points, k, total, lost, first_groups, xp, context)
    context.run("Computing a lower bound", STEPS_SHOWN, search.run, keep=True)
    stopped = context.budget.stopped or search.stopped
    return MixedBound(max(search.bound - slack, 0.0), search.proved_by, stopped)


def untimed_bound(records: Records, k: int, context: Context) -> MixedBound:
    """Prove what near neighbours and some steps of a semidefinite relaxation can, without a clock."""
    points, slack = embedding_of(records, k)
    proved = {Proof.NEIGHBOURS: 0.0, Proof.SEMIDEFINITE: 0.0}

    def prove(ticker: Ticker) -> None:
        proved[Proof.NEIGHBOURS] = safe(float(quick_prices(points, k, ticker).sum()))
        if len(points) <= UNTIMED_RECORDS and is_affordable(len(points), math.inf):
            state = Semidefinite(points, k)
            run_semidefinite(state, lambda: math.inf, ticker, lambda _: False, UNTIMED_STEPS)
            proved[Proof.SEMIDEFINITE] = state.bound

    context.run("Computing a lower bound", records.n, prove, keep=True)
    by = max(proved, key=lambda proof: proved[proof])
    return MixedBound(max(proved[by] - slack, 0.0), by, "exhausted")
