"""A higher bound once column generation has come to its end: an integer program over listed groups.

A partition that holds a group of reduced cost r costs at least the bound of the prices and r. So a
partition is made of groups below a threshold, all of which can be listed, or costs at least the bound and
the threshold. The integer program says what the first kind costs at least.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from microagg.context import Ticker
from microagg.partition.bounds.integer import best_of
from microagg.partition.bounds.pool import CandidateGroups
from microagg.typing import Labels

if TYPE_CHECKING:
    from microagg.partition.bounds.column_generation import ColumnGeneration
    from microagg.partition.bounds.enumeration import Listed

MOST = 80_000
"""Groups that may be listed."""

SHARES = (1.0, 0.5, 0.25, 0.12, 0.06)
"""Thresholds that are tried one after the other, as shares of what is missing."""

SPARE = 1e-4
"""By how much, relatively, a threshold is above its share."""


def bound_of_listed(
    generation: ColumnGeneration,
    labels: Labels,
    missing: float,
    seconds: float,
    ticker: Ticker,
) -> float:
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
        The time for the integer program.
    ticker : int64[2]
        Stops it.
    """
    listed = _listed(generation, missing, ticker)
    if listed is None:
        return generation.bound
    pool = CandidateGroups(generation.points)
    pool.add([np.flatnonzero(labels == group) for group in range(int(labels.max()) + 1)])
    start = len(pool)
    for rows in listed.groups:
        pool.add(rows)
    begin_with, triples = np.arange(len(pool)) < start, generation.charged_triples
    chosen = best_of(
        pool.groups,
        pool.errors,
        begin_with,
        triples,
        generation.n,
        seconds,
        ticker,
        prove=True,
    )
    return max(generation.bound, min(chosen.bound, generation.bound + listed.threshold))


def _listed(generation: ColumnGeneration, missing: float, ticker: Ticker) -> Listed | None:
    """List the groups of the largest threshold for which they are not too many."""
    for share in SHARES:
        if missing <= 0 or ticker[1] != 0:
            return None
        listed = generation.below(share * missing * (1 + SPARE), MOST, ticker)
        if listed is not None:
            return listed
    return None
