"""Regions: far-apart parts of the data that are searched at the same time.

Groups are halved by their means along the line through two of them, drawn anew in each round, until
there are enough parts. Which parts there are, and the seed of each, depends on the data and the
seed alone, never on the number of threads; so does the result.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np

from microagg.context import Ticker
from microagg.partition.search.lns.annealing import Annealed, renumbered, run_steps
from microagg.typing import Floats, Labels, Rows

SMALLEST = 32
"""Groups of a region, at least: with fewer, most would lie at its edge."""

PAIR = 16
"""So many groups are cut into two regions all the same: one would leave a processor idle.

Few groups are large ones, whose steps take long. On a busy machine, with no more steps for it, two seeds
gave about the same loss in 8 s: Tarragona, k=25, 43.28 and 43.32 in four regions, 43.29 and 43.29 in
one; Census, k=50, 24.50 and 24.69 in two regions, 24.57 and 24.60 in one."""

MOST = 8
"""Regions, at most; more would only add edges."""


def n_regions(n_groups: int) -> int:
    """Return the power of two of regions that so many groups are cut into.

    Examples
    --------
    >>> [n_regions(groups) for groups in (10, 16, 128, 360, 100_000)]
    [1, 2, 4, 8, 8]
    """
    regions = 1 << (min(n_groups // SMALLEST, MOST) or 1).bit_length() - 1
    return max(regions, 2) if n_groups >= PAIR else regions


def cut(means: Floats, count: int, rng: np.random.Generator) -> list[Rows]:
    """Cut groups with these means, float64[g, d], into `count` parts of nearly equal number."""
    parts = [np.arange(len(means))]
    while len(parts) < count:
        parts = [half for part in parts for half in _halves(means, part, rng)]
    return parts


def _halves(means: Floats, part: Rows, rng: np.random.Generator) -> tuple[Rows, Rows]:
    one, other = rng.choice(part, size=2, replace=False)
    along = means[part] @ (means[one] - means[other])
    order = np.argsort(along, kind="stable")
    return np.sort(part[order[: len(part) // 2]]), np.sort(part[order[len(part) // 2 :]])


def search_round(
    points: Floats,
    labels: Labels,
    k: int,
    steps: int,
    heats: tuple[float, float],
    most: int,
    sweeps: int,
    rng: np.random.Generator,
    executor: Executor,
    ticker: Ticker,
) -> Annealed:
    """Search all regions once, `steps` steps in all, each in proportion to its records.

    Before that, the groups of each are swept over `sweeps` times.
    """
    labels = renumbered(labels)
    parts = cut(_means(points, labels), n_regions(int(labels.max()) + 1), rng)
    region_of_group = np.empty(int(labels.max()) + 1, dtype=np.int64)
    for region, groups in enumerate(parts):
        region_of_group[groups] = region
    order = np.argsort(region_of_group[labels], kind="stable")
    ends = np.cumsum(np.bincount(region_of_group[labels]))
    rows = np.split(order, ends[:-1])
    seeds = rng.integers(2**63, size=len(parts))
    shares = np.diff(steps * np.append(0, ends) // len(labels))
    search = _searcher(points, labels, k, heats, most, sweeps, ticker)
    run = executor.map if len(parts) > 1 else map  # a thread costs more than a few steps
    regions = list(run(search, rows, shares.tolist(), seeds.tolist()))
    return merged(labels, rows, regions)


def _searcher(
    points: Floats,
    labels: Labels,
    k: int,
    heats: tuple[float, float],
    most: int,
    sweeps: int,
    ticker: Ticker,
) -> Callable[[Rows, int, int], Annealed]:
    def search(rows: Rows, steps: int, seed: int) -> Annealed:
        own = renumbered(labels[rows])
        return run_steps(
            points[rows], own, k, steps, seed, heats, most, sweeps=sweeps, ticker=ticker
        )

    return search


def merged(labels: Labels, rows: list[Rows], regions: list[Annealed]) -> Annealed:
    """Put the groups of the regions side by side under numbers of their own; others keep theirs."""
    last, best = labels.copy(), labels.copy()
    used = int(labels.max()) + 1
    for some, region in zip(rows, regions, strict=True):
        last[some], best[some] = region.last + used, region.best + used
        used += int(max(region.last.max(), region.best.max())) + 1
    steps, accepted = (sum(region[i] for region in regions) for i in (2, 3))
    return Annealed(last, best, int(steps), int(accepted))


def _means(points: Floats, labels: Labels) -> Floats:
    sizes = np.bincount(labels)
    return np.stack([np.bincount(labels, column) / sizes for column in points.T], axis=1)
