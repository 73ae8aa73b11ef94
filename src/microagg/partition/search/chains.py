"""Chains: searches that run at the same time, each from a start and with a seed of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from microagg.partition.bounds.duals import Floats
from microagg.partition.bounds.pool import Rows
from microagg.partition.registry import Labels
from microagg.partition.search.annealing import Pool, search
from microagg.partition.threads import workers
from microagg.progress import Ticker

CAPACITY = 50_000
"""Groups that a chain may keep."""


class Chained(NamedTuple):
    """Where a chain ended, and the good groups seen on the way, int64[m, s] for each size s."""

    labels: Labels
    groups: list[Rows]


def run_chains(
    columns: Floats,
    starts: Sequence[Labels],
    k: int,
    *,
    steps: int,
    seeds: Sequence[int],
    hot: float,
    ticker: Ticker,
) -> list[Chained]:
    """Search from each start; what comes back does not depend on how many run at once."""

    def chain(start: Labels, seed: int) -> Chained:
        pool = Pool(CAPACITY, k)
        labels = search(
            columns, start, k, steps=steps, seed=seed, pool=pool, hot=hot, ticker=ticker
        )
        return Chained(labels, pool.groups())

    with ThreadPoolExecutor(workers()) as threads:
        return list(threads.map(chain, starts, seeds))


def affordable_steps(columns: Floats, labels: Labels, k: int, chains: int, seconds: float) -> int:
    """Return how many steps of each of some chains fit into some seconds, by trying a few."""
    trial = max(labels.size // 4, 50)
    begun = time.monotonic()
    search(columns, labels, k, steps=trial, seed=0)
    each = max((time.monotonic() - begun) / trial, 1e-9)
    at_once = min(workers(), chains)
    return max(int(seconds / each * at_once / chains), 1)
