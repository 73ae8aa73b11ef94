"""A higher bound once column generation has come to its end: an integer program over listed groups.

A partition that holds a group of reduced cost r costs at least the bound of the prices and r. So a
partition is made of groups below a threshold, all of which can be listed, or costs at least the bound and
the threshold. A linear program with more cuts over the listed groups leaves few of them, and an integer
program says what partitions of these cost at least.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microagg.budget import CLOCK
from microagg.context import Ticker
from microagg.partition.bounds.integer import best_of
from microagg.partition.bounds.listed_cuts import ListedCuts
from microagg.typing import Labels

if TYPE_CHECKING:
    from microagg.partition.bounds.column_generation import ColumnGeneration
    from microagg.partition.bounds.enumeration import Listed

MOST = 300_000
"""Groups that may be listed."""

SHARES = (1.0, 0.5, 0.25, 0.12, 0.06)
"""Thresholds that are tried one after the other, as shares of what is missing."""

SPARE = 1e-4
"""By how much, relatively, a threshold is above its share."""

CUTTING = 0.5
"""The share of the time for cuts over the listed groups."""


@dataclass(frozen=True)
class ListedProof:
    """What listed groups have proved.

    Attributes
    ----------
    bound : float
        What no partition can beat, at least the bound of the generation.
    labels : int32[n] or None
        A partition with a smaller error than the one to begin with.
    listed : Listed or None
        The groups listed; None where there are too many.
    """

    bound: float
    labels: Labels | None = None
    listed: Listed | None = None


def prove_listed(
    generation: ColumnGeneration,
    labels: Labels,
    missing: float,
    seconds: float,
    ticker: Ticker,
) -> ListedProof:
    """Return a bound that no partition can beat, at least that of the generation.

    Parameters
    ----------
    generation : ColumnGeneration
        What has proved a bound.
    labels : int32[n]
        A partition into groups of k to 2k-1 records, which the integer program starts from.
    missing : float
        The difference between the lowest known error and the bound.
    seconds : float
        The time for it.
    ticker : int64[2]
        Stops it.
    """
    begun = CLOCK.now()
    listed = _listed(generation, missing, ticker)
    if listed is None:
        return ListedProof(generation.bound)
    start = [np.flatnonzero(labels == group) for group in range(int(labels.max()) + 1)]
    program = ListedCuts(generation, [start, *listed.groups])
    target = generation.bound + listed.threshold

    def left(share: float) -> Callable[[], float]:
        return lambda: share * seconds - (CLOCK.now() - begun)

    program.run(target, left(CUTTING), ticker)
    bound, better = _chosen(program, len(start), target, left(1.0)(), ticker)
    return ListedProof(max(generation.bound, min(bound, target)), better, listed)


def _chosen(
    program: ListedCuts, start: int, target: float, seconds: float, ticker: Ticker
) -> tuple[float, Labels | None]:
    """Solve the integer program over what is left; the first groups are the partition to begin with."""
    if program.bound >= target or seconds <= 0 or ticker[1] != 0:
        return program.bound, None
    within, others = program.within(target)
    numbers = np.union1d(np.arange(start), within)
    groups = [program.pool.groups[number] for number in numbers]
    chosen = best_of(
        groups,
        program.pool.errors[numbers],
        numbers < start,
        program.cuts,
        program.n,
        seconds,
        ticker,
        prove=True,
    )
    return max(program.bound, min(chosen.bound * program.unit, others)), chosen.labels


def _listed(generation: ColumnGeneration, missing: float, ticker: Ticker) -> Listed | None:
    """List the groups of the largest threshold for which they are not too many."""
    for share in SHARES:
        if missing <= 0 or ticker[1] != 0:
            return None
        listed = generation.below(share * missing * (1 + SPARE), MOST, ticker)
        if listed is not None:
            return listed
    return None
