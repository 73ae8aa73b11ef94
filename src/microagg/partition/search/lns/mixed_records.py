"""The search of `lns` on mixed records, judged by the loss that the release reports.

Groups of k equal records lose nothing and are left alone. All others are cut into regions, as those of
numbers are: by halves, along the difference of the distances to two groups that are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np

from microagg.context import Ticker
from microagg.lazy import lazy
from microagg.partition.rules.equal_mixed import combinations
from microagg.partition.search.lns.annealing import NEAR, Annealed, renumbered
from microagg.partition.search.lns.regions import merged, n_regions
from microagg.partition.search.lns.run import AnnealingRun, Round
from microagg.prepare.objective import SQUARED, TABLE, objective_arrays
from microagg.prepare.records import Records
from microagg.typing import Flags, Floats, Labels, Rows

kernels = lazy("microagg.kernels.mixed.lns")
objectives = lazy("microagg.kernels.mixed.objective")
splits = lazy("microagg.kernels.mixed.split")

Arrays = Mapping[str, Any]

BY_RECORD = ("numbers", "codes", "listed", "weights", "blank")
"""The arrays of an objective that have a row for each record; so has `whole`, where it has several."""

LEAST_TRIAL, OF_RECORDS = 200, 0.1
"""Steps of a first round that tells how fast the machine is: so many at least, and for each record."""


class MixedRun(AnnealingRun):
    """Rounds of search on mixed records."""

    def __init__(
        self,
        records: Records,
        labels: Labels,
        k: int,
        rng: np.random.Generator,
        limit: int | None,
        seconds: float | None,
        threads: int,
    ) -> None:
        super().__init__(records.n, labels, k, rng, limit, seconds, threads)
        self.arrays, self.equal = objective_arrays(records), combinations(records)
        self.trial = max(LEAST_TRIAL, int(OF_RECORDS * records.n))
        nothing = np.zeros(2, dtype=np.int64)
        every = np.arange(records.n)
        self.loss_start = self.lowest = self._anneal(every, 0, 0, (0.0, 0.0), 2, nothing)[1]

    def search(self, settings: Round, executor: Executor, ticker: Ticker) -> tuple[Annealed, float]:
        """Search all regions of the groups that lose something once."""
        searched = np.flatnonzero(~self._perfect())
        if not searched.size:
            return Annealed(self.labels, self.labels, int(settings.steps), 0), 0.0
        regions = self._regions(searched)
        ends = np.cumsum([len(rows) for rows in regions])
        shares = np.diff(settings.steps * np.append(0, ends) // searched.size)
        seeds = self.rng.integers(2**63, size=len(regions))

        def anneal(rows: Rows, steps: int, seed: int) -> tuple[Annealed, float]:
            return self._anneal(rows, steps, seed, settings.heats, settings.most, ticker)

        run = executor.map if len(regions) > 1 else map  # a thread costs more than a few steps
        parts = list(run(anneal, regions, shares.tolist(), seeds.tolist()))
        whole = merged(renumbered(self.labels), regions, [part for part, _ in parts])
        return whole, float(sum(lost for _, lost in parts))

    def _anneal(
        self,
        rows: Rows,
        steps: int,
        seed: int,
        heats: tuple[float, float],
        most: int,
        ticker: Ticker,
    ) -> tuple[Annealed, float]:
        """Search some whole groups; return what came of it and what the best groups of these lose."""
        start = renumbered(self.labels[rows]).astype(np.int64)
        limits = steps, np.uint64(seed), np.array(heats), most, NEAR
        objective = objectives.Objective(**rows_of(self.arrays, rows))
        *annealed, lost = kernels.anneal_mixed(objective, start, self.k, *limits, ticker)
        return Annealed(*annealed), float(lost)

    def _perfect(self) -> Flags:
        """Return which records are in groups of k equal ones: no change of these gains anything."""
        labels = renumbered(self.labels)
        first = np.zeros(int(labels.max()) + 1, dtype=np.int64)
        first[labels[::-1]] = np.arange(labels.size)[::-1]
        unequal = np.bincount(labels[self.equal != self.equal[first][labels]], minlength=first.size)
        perfect = (unequal == 0) & (np.bincount(labels) == self.k)
        return np.asarray(perfect[labels])

    def _regions(self, searched: Rows) -> list[Rows]:
        """Return the records of each region."""
        labels = renumbered(self.labels[searched])
        first = searched[np.unique(labels, return_index=True)[1]]
        parts = [np.arange(first.size)]
        while len(parts) < n_regions(first.size):
            parts = [half for part in parts for half in self._halves(first, part)]
        region_of_group = np.empty(first.size, dtype=np.int64)
        for region, groups in enumerate(parts):
            region_of_group[groups] = region
        regions = region_of_group[labels]
        return [searched[regions == region] for region in range(len(parts))]

    def _halves(self, first: Rows, part: Rows) -> tuple[Rows, Rows]:
        one, other = self.rng.choice(part, size=2, replace=False)
        along = pair_costs(self.arrays, first[part], first[one])
        along -= pair_costs(self.arrays, first[part], first[other])
        order = np.argsort(along, kind="stable")
        return np.sort(part[order[: len(part) // 2]]), np.sort(part[order[len(part) // 2 :]])


def rows_of(arrays: Arrays, rows: Rows) -> dict[str, Any]:
    """Return the arrays of an objective for some of its records."""
    names = (*BY_RECORD, "whole") if arrays["keeps"] else BY_RECORD
    return {**arrays, **{name: np.ascontiguousarray(arrays[name][rows]) for name in names}}


def pair_costs(arrays: Arrays, rows: Rows, one: int) -> Floats:
    """Return how far some records are from one, over the columns that both have."""
    a, c = arrays["numbers"].shape[1], arrays["codes"].shape[1]
    gaps = [
        (arrays["numbers"][rows] - arrays["numbers"][one]) ** 2,
        arrays["strengths"][:c] * (arrays["codes"][rows] != arrays["codes"][one]),
    ]
    for j, form in enumerate(arrays["forms"]):
        values, value = arrays["listed"][rows, j], arrays["listed"][one, j]
        apart = np.abs(values - value)
        if form == TABLE:
            start, width = arrays["table_at"][j], arrays["widths"][j]
            apart = arrays["tables"][(start + values * width + value).astype(np.int64)]
        gaps.append((apart**2 if form == SQUARED else apart)[:, None])
    both = ~(arrays["blank"][rows] | arrays["blank"][one])
    assert both.shape[1] == a + c + arrays["listed"].shape[1]
    return np.asarray(np.sum(np.hstack(gaps) * both, axis=1))


def split_groups(records: Records, labels: Labels, k: int) -> Labels:
    """Return groups of fewer than 2k records each."""
    if np.bincount(labels).max() < 2 * k:
        return labels
    objective = objectives.Objective(**objective_arrays(records))
    return renumbered(splits.split_mixed(objective, labels.astype(np.int64), k))
