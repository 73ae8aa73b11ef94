"""A higher bound once column generation has come to its end: an integer program over listed groups.

A partition that holds a group of reduced cost r costs at least the bound of the prices and r. So a
partition is made of groups below a threshold, all of which can be listed, or costs at least the bound and
the threshold. A linear program with more cuts over the listed groups leaves few of them, and branch and
bound says what partitions of these cost at least (`branching`). Where it comes to no end, integer programs
for sets of records that no group joins may say more (`components`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microagg.budget import CLOCK
from microagg.context import Ticker
from microagg.partition.bounds.branching import Branching
from microagg.partition.bounds.components import best_of_components
from microagg.partition.bounds.listed_cuts import ListedCuts
from microagg.partition.sum_of_squares import error_of
from microagg.typing import Labels, Rows

if TYPE_CHECKING:
    from microagg.partition.bounds.column_generation import ColumnGeneration
    from microagg.partition.bounds.enumeration import Listed

MOST = 400_000
"""Groups that may be listed."""

SHARES = (0.12, 0.25, 0.5, 1.0)
"""Thresholds of one search after the other, as shares of what is missing. A search that comes to its end
raises the bound by its threshold. The smaller the threshold, the sooner it ends."""

SPARE = 1e-4
"""By how much, relatively, a threshold is above its share."""

CUTTING, SEARCHED = 0.15, 0.9
"""The shares of the time after which cuts over the listed groups, and branch and bound, are stopped."""


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
    shares: Sequence[float] = SHARES,
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
    shares : sequence of float
        Thresholds, as shares of what is missing, in increasing order.
    """
    begun, proof = CLOCK.now(), ListedProof(generation.bound)
    for share in shares:
        if missing <= 0 or ticker[1] != 0:
            break
        listed = generation.below(share * missing * (1 + SPARE), MOST, ticker)
        if listed is None:
            break
        target = generation.bound + min(listed.threshold, missing)
        left = seconds - (CLOCK.now() - begun)
        bound, better = _of_listed(generation, labels, listed, target, left, ticker)
        if better is not None:
            labels = better
            missing = min(missing, error_of(generation.points.T, better) - generation.bound)
        kept = proof.labels if better is None else better
        proof = ListedProof(max(proof.bound, min(bound, target)), kept, listed)
        if bound < target:
            break
    return proof


def _of_listed(
    generation: ColumnGeneration,
    labels: Labels,
    listed: Listed,
    target: float,
    seconds: float,
    ticker: Ticker,
) -> tuple[float, Labels | None]:
    """Return what no partition of listed groups below a target can beat, and a better partition."""
    begun = CLOCK.now()
    start = [np.flatnonzero(labels == group) for group in range(int(labels.max()) + 1)]
    program, chosen = ListedCuts(generation, [start, *listed.groups]), np.arange(len(start))

    def left(share: float) -> Callable[[], float]:
        return lambda: share * seconds - (CLOCK.now() - begun)

    program.run(target, left(CUTTING), ticker)
    bound, better = _searched(program, target, left(SEARCHED), ticker)
    if better is not None:
        chosen, target, labels = (
            better,
            min(target, program.error_of(better)),
            program.labels_of(better),
        )
    improved = None
    if bound < target:
        other, improved = _chosen(program, chosen, target, left(1.0)(), ticker)
        bound = max(bound, other)
    if improved is None and better is not None:
        improved = labels
    return bound, improved


def _searched(
    program: ListedCuts, target: float, seconds_left: Callable[[], float], ticker: Ticker
) -> tuple[float, Rows | None]:
    """Search the groups that are left by branch and bound: a bound, and a partition below the target."""
    if program.bound >= target or seconds_left() <= 0 or ticker[1] != 0:
        return program.bound, None
    numbers, others = program.within(target)
    tree = Branching(program.program(numbers), target / program.unit, seconds_left, ticker)
    tree.run()
    bound = max(program.bound, min(tree.bound * program.unit, others))
    return bound, None if tree.chosen is None else numbers[tree.chosen]


def _chosen(
    program: ListedCuts, start: Rows, target: float, seconds: float, ticker: Ticker
) -> tuple[float, Labels | None]:
    """Solve integer programs over what is left, from a partition: a bound, and a better partition."""
    if seconds <= 0 or ticker[1] != 0:
        return program.bound, None
    within, others = program.within(target)
    numbers = np.union1d(start, within)
    groups = [program.pool.groups[number] for number in numbers]
    chosen = best_of_components(
        groups,
        program.pool.errors[numbers],
        np.isin(numbers, start),
        program.cuts,
        program.n,
        lambda own: program.floor(numbers[own]),
        seconds,
        ticker,
    )
    return max(program.bound, min(chosen.bound * program.unit, others)), chosen.labels
