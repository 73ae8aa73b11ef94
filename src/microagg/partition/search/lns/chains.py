"""Chains: searches that run at the same time, each from a start and with a seed of its own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np

from microagg.budget import CLOCK
from microagg.context import Ticker
from microagg.partition.search.lns.annealing import GroupPool, search
from microagg.typing import Floats, Labels, Rows

CAPACITY = 50_000
"""Groups that a chain may keep."""

LOOK_EVERY = 0.05
"""Seconds between looks at the clock."""


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
    seconds: float,
    at_once: int,
    ticker: Ticker,
) -> list[Chained]:
    """Search from each start; what comes back does not depend on how many run at once.

    After so many `seconds` what there is comes back.
    """
    own, until = np.zeros_like(ticker), CLOCK.now() + seconds

    def chain(start: Labels, seed: int) -> Chained:
        pool = GroupPool(CAPACITY, k)
        labels = search(columns, start, k, steps=steps, seed=seed, pool=pool, hot=hot, ticker=own)
        return Chained(labels, pool.groups())

    with ThreadPoolExecutor(at_once) as threads:
        running = [threads.submit(chain, *each) for each in zip(starts, seeds, strict=True)]
        while wait(running, LOOK_EVERY).not_done:
            own[1] = ticker[1] != 0 or CLOCK.now() > until
        return [each.result() for each in running]


def affordable_steps(
    columns: Floats, labels: Labels, k: int, chains: int, at_once: int, seconds: float
) -> int:
    """Return how many steps of each of some chains fit into some seconds, by trying a few."""
    trial = 2 * labels.size
    begun = CLOCK.now()
    search(columns, labels, k, steps=trial, seed=0)
    each = max((CLOCK.now() - begun) / trial, 1e-9)
    return max(int(seconds / each * min(at_once, chains) / chains), 1)
