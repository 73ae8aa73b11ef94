"""Lower the loss of the best groups of a cell: branch and bound in regions of near groups.

    export MICROAGG_DATA=...
    python -m benchmarks.quality.regions census 5 --minutes 30

It reads the prices and cuts of a certificate (``NAME-kK.csv`` and ``NAME-kK-cuts.csv``, or other files by
--certificate) and lists all groups of small reduced cost. Then it goes on to choose some groups of the best
partition that listed groups join, about a third of a thousand records, and searches all listed groups of
these records for a better choice. Most regions begin with a group of large reduced cost: where there is
none, little can be gained. A better partition is written to `labels` at once, and the folder's
``losses.csv`` is written again. How many regions there are depends on the time; the order on the seed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.cell import scaled_columns
from benchmarks.quality.check_labels import LABELS, read_labels
from benchmarks.quality.optimal import HERE, read_certificate
from benchmarks.quality.page import keep_labels
from microagg.partition.bounds.branching import Branching
from microagg.partition.bounds.cuts import entries_of
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.enumeration import list_below
from microagg.partition.bounds.listed_program import ListedProgram
from microagg.partition.bounds.pool import CandidateGroups, errors_of
from microagg.partition.search.best.candidates import groups_of
from microagg.partition.sum_of_squares import error_of
from microagg.typing import Floats, Labels, Rows

MOST = 300_000
"""Groups that may be listed."""

LOWERED = 0.7
"""By what the threshold is multiplied where there are too many."""

NEAR = 0.3
"""The reduced cost, in mean prices, at which a listed group joins a third as much as one of none."""

ANYWHERE, SMALLEST = 0.2, 1e-6
"""What is added to each reduced cost, so that any group may begin: shares of two means."""

SPREAD = (0.6, 1.3)
"""Regions have this share of the records asked for, at least and at most."""

LESS = 1e-9
"""By how much, relatively, a better partition loses less."""

GO = np.zeros(2, dtype=np.int64)


class Regions:
    """The best partition of some records, and the listed groups that it is improved with.

    Parameters
    ----------
    points : float64[n, d]
        The records.
    k : int
        The smallest size of a group.
    labels : int32[n]
        A partition into groups of k to 2k-1 records.
    stem : Path
        Where the certificate is, without its endings.
    reach : float
        The largest reduced cost of a listed group, in mean prices; less where there are too many.
    """

    def __init__(self, points: Floats, k: int, labels: Labels, stem: Path, reach: float) -> None:
        self._points, self.labels = points, labels
        duals, self._cuts = read_certificate(stem)
        self._duals, self._worth = duals, np.concatenate([duals.prices, -duals.charges])
        self.mean = float(duals.prices.mean())
        listed = None
        while listed is None:
            sizes, below = range(k, 2 * k), reach * self.mean
            listed = list_below(points, sizes, duals, self._cuts, below, MOST, GO)
            reach *= LOWERED
        self.blocks = [rows for rows in listed.groups if len(rows)]
        self._listed = [
            errors_of(points[rows]) - self._entries(list(rows)) @ self._worth
            for rows in self.blocks
        ]
        self._ties = [np.exp(-np.maximum(own, 0.0) / (NEAR * self.mean)) for own in self._listed]

    @property
    def error(self) -> float:
        """The error of the best partition."""
        return error_of(self._points.T, self.labels)

    def improve(self, records: int, seconds: float, rng: np.random.Generator) -> bool:
        """Choose the groups of one region anew; tells whether that was better.

        The groups elsewhere remain, because no other groups hold their records.
        """
        groups, until = groups_of(self.labels), time.monotonic() + seconds
        costs = self._costs(groups)
        near = self._region(groups, costs, records * rng.uniform(*SPREAD), rng)
        most = costs[near].sum() + self._slack(groups)  # a better region holds no dearer group
        inside = np.zeros(len(self._points), dtype=bool)
        inside[np.concatenate([groups[number] for number in near])] = True
        pool = CandidateGroups(self._points)
        pool.add(groups)
        for rows, own in zip(self.blocks, self._listed, strict=True):
            pool.add([rows[(own < most) & inside[rows].all(axis=1)]])
        duals = Duals(self._duals.prices / self.mean, self._duals.charges / self.mean)
        program = ListedProgram(
            pool.groups, pool.errors / self.mean, self._cuts, duals, len(inside)
        )
        target = self.error / self.mean * (1 - LESS)
        tree = Branching(program, target, lambda: until - time.monotonic(), GO)
        tree.run()
        if tree.chosen is None:
            return False
        for label, number in enumerate(tree.chosen.tolist()):
            self.labels[pool.groups[number]] = label
        return True

    def _region(
        self, groups: list[Rows], costs: Floats, records: float, rng: np.random.Generator
    ) -> list[int]:
        """Return the numbers of some groups: the first by chance, then those that are joined most."""
        of_record, sizes = np.empty(len(self._points), dtype=np.int64), [r.size for r in groups]
        for number, rows in enumerate(groups):
            of_record[rows] = number
        joined = np.zeros((len(groups), len(groups)))
        for rows, ties in zip(self.blocks, self._ties, strict=True):
            own = of_record[rows]
            for column in range(1, rows.shape[1]):
                np.add.at(joined, (own[:, column - 1], own[:, column]), ties)
        joined = joined + joined.T
        odds = np.maximum(costs, 0.0)
        odds += max(ANYWHERE * odds.mean(), SMALLEST * self.mean)
        near = [int(rng.choice(len(groups), p=odds / odds.sum()))]
        while sum(sizes[number] for number in near) < records:
            scores = joined[near].sum(axis=0) / sizes * rng.uniform(0.5, 1.0, len(groups))
            scores[near] = 0.0
            if scores.max() <= 0:
                break
            near.append(int(scores.argmax()))
        return near

    def _costs(self, groups: list[Rows]) -> Floats:
        """Return the reduced costs of groups."""
        errors = np.array([errors_of(self._points[rows][np.newaxis])[0] for rows in groups])
        costs: Floats = errors - self._entries(groups) @ self._worth
        return costs

    def _entries(self, groups: list[Rows]) -> Any:
        return entries_of(groups, self._cuts, len(self._points))

    def _slack(self, groups: list[Rows]) -> float:
        """Return what a better partition could gain from charges of cuts that groups do not use."""
        n = len(self._points)
        used = self._entries(groups).sum(axis=0)[n:]
        return float(-self._worth[n:] @ (1.0 - used))


def main() -> None:
    """Improve a partition region by region, and keep every better one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("k", type=int)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--records", type=int, default=330, help="of a region")
    parser.add_argument("--seconds", type=float, default=240.0, help="of a region at most")
    parser.add_argument("--reach", type=float, default=0.35, help="in mean prices")
    parser.add_argument("--certificate", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    columns = scaled_columns(options.data)
    points, until = np.ascontiguousarray(columns.T), time.monotonic() + 60 * options.minutes
    labels = read_labels(LABELS / f"{options.data}-k{options.k}.csv.gz").astype(np.int32)
    stem = options.certificate or HERE / f"{options.data}-k{options.k}"
    regions = Regions(points, options.k, labels, stem, options.reach)
    rng, sst, tried = np.random.default_rng(options.seed), float(np.sum(points**2)), 0
    sys.stdout.write(f"groups listed: {[len(rows) for rows in regions.blocks]}\n")
    while time.monotonic() < until:
        tried += 1
        if regions.improve(options.records, options.seconds, rng):
            keep_labels(options.data, options.k, regions.labels)
            sys.stdout.write(f"{tried} regions: {100 * regions.error / sst:.6f} %\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
