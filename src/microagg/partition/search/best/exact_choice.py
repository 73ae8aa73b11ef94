"""The choice: the best partition of the groups seen, and of all groups that a better one can hold.

A partition that is to cost less than the bound and a threshold is made of groups whose reduced costs are
below the threshold. All of them are enumerated where they are few enough; the integer program over them
then says what the best of all partitions is, or at least raises the bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.enumeration import Listed
from microagg.partition.bounds.gap import SAFETY
from microagg.partition.bounds.integer import best_of
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.search.best.candidates import cheap_groups, groups_of
from microagg.partition.search.best.incumbent import Incumbent
from microagg.typing import Rows

MOST_COLUMNS = 12_000
"""Groups that the integer program may choose from where it proves nothing."""

MOST_LISTED = (8_000, 80_000)
"""Groups that may be enumerated: at first, for a better partition, and then for a proof."""

LOWERED, TIMES = 0.4, 5
"""By what the threshold is multiplied where there are too many groups, and how often."""

NARROW = 0.03
"""The gap from which on groups may be few enough, while column generation is not at its end."""

SETTLED = (0.5, 0.9)
"""Shares of a mixture above which a group of the best partition is settled, one after the other."""

SPARE = 1e-4
"""By how much, relatively, the threshold is above what could be gained."""


@dataclass(frozen=True)
class ExactChoice:
    """Integer programs over the groups of a column generation and of the partitions found.

    Attributes
    ----------
    generation : ColumnGeneration
        Where groups are judged and enumerated.
    incumbent : Incumbent
        What is improved.
    partitions : CandidateGroups
        The groups of all partitions found.
    """

    generation: ColumnGeneration
    incumbent: Incumbent
    partitions: CandidateGroups

    def of_seen(self, seconds: float, ticker: Ticker) -> None:
        """Choose of the groups of all partitions found, and of the cheapest others seen."""
        pool = self._pool(self.partitions.groups)
        others = cheap_groups(
            self.generation, self.incumbent.lowest, MOST_COLUMNS - len(pool), ticker
        )
        pool.add(others)
        self._solve(pool, seconds, ticker)

    def of_unsettled(self, seconds: float, ticker: Ticker) -> None:
        """Keep the groups that the master problem has too, and choose anew for all other records.

        On Census with k = 4, the shares lowered a loss of 6.0386 % to 6.0299 % and to 6.0282 %.
        """
        listed = self._listed(MOST_LISTED[1], ticker)
        for number, least in enumerate(SETTLED):
            if listed is None or ticker[1] != 0:
                return
            free = ~self._settled(least)
            groups = [rows[free[rows].all(axis=1)] for rows in listed.groups]
            if sum(map(len, groups)) <= MOST_COLUMNS:
                pool = self._pool([row for rows in groups for row in rows])
                pool.add(rows for rows in self.partitions.groups if free[rows].all())
                self._solve(pool, seconds / (len(SETTLED) - number), ticker)

    def _settled(self, least: float) -> NDArray[np.bool_]:
        """Return the records of those groups of the best partition that a mixture holds more of."""
        settled, solution = np.zeros(self.generation.n, dtype=bool), self.generation.solution
        shares = np.empty(0) if solution is None else solution.shares
        numbers = np.flatnonzero(shares > least).tolist()
        mixed = {self.generation.pool.groups[number].tobytes() for number in numbers}
        for rows in groups_of(self.incumbent.labels):
            settled[rows] = rows.tobytes() in mixed
        return settled

    def of_few(self, seconds: float, ticker: Ticker) -> bool:
        """Choose of few groups enumerated, and of others; tells whether that was all there are."""
        listed = self._listed(MOST_LISTED[0], ticker)
        if listed is None:
            return False
        pool = self._pool([row for rows in listed.groups for row in rows])
        whole = self._is_whole(listed)
        if not whole:
            pool.add(self.partitions.groups)
        self._prove(pool, listed, seconds, ticker)
        return whole

    def of_all(self, seconds: float, ticker: Ticker) -> None:
        """Choose of all groups that a better partition can hold, if they are not too many."""
        listed = self._listed(MOST_LISTED[1], ticker)
        if listed is not None and self._is_whole(listed):
            pool = self._pool([row for rows in listed.groups for row in rows])
            self._prove(pool, listed, seconds, ticker, prove=len(pool) > MOST_LISTED[0])

    def _pool(self, groups: list[Rows]) -> CandidateGroups:
        """Return a pool with the groups of the best partition first."""
        pool = CandidateGroups(self.generation.points)
        pool.add(groups_of(self.incumbent.labels))
        pool.add(groups)
        return pool

    def _missing(self) -> float:
        """What a partition may cost above the bound of the prices and yet be better, with room."""
        proved = self.generation.bound * (1 - SAFETY)
        return max(self.incumbent.lowest * (1 + SAFETY) - proved, 0.0)

    def _is_whole(self, listed: Listed) -> bool:
        return listed.threshold >= self._missing()

    def _listed(self, most: int, ticker: Ticker) -> Listed | None:
        """Enumerate the groups of the largest threshold for which they are not too many."""
        threshold = self._missing() * (1 + SPARE)
        if threshold > NARROW * self.incumbent.lowest and not self.generation.finished:
            return None
        for _ in range(TIMES):
            if threshold <= 0 or ticker[1] != 0:
                return None
            listed = self.generation.below(threshold, most, ticker)
            if listed is not None:
                return listed
            threshold *= LOWERED
        return None

    def _prove(
        self,
        pool: CandidateGroups,
        listed: Listed,
        seconds: float,
        ticker: Ticker,
        *,
        prove: bool = False,
    ) -> None:
        """Solve over the groups enumerated, and raise the bound.

        A partition is made of these groups, or holds one that was not enumerated.
        """
        floor = self.generation.bound + listed.threshold
        bound = self._solve(pool, seconds, ticker, prove=prove)
        self.incumbent.prove(min(bound, floor))

    def _solve(
        self, pool: CandidateGroups, seconds: float, ticker: Ticker, *, prove: bool = False
    ) -> float:
        """Solve the integer program; returns what no partition of these groups can beat."""
        n_start = int(self.incumbent.labels.max()) + 1
        chosen = best_of(
            pool.groups,
            pool.errors,
            np.arange(len(pool)) < n_start,
            self.generation.cuts,
            self.generation.n,
            seconds,
            ticker,
            prove=prove,
        )
        if chosen.labels is not None:
            self.incumbent.offer(chosen.labels)
            self.partitions.add(groups_of(chosen.labels))
        return chosen.bound
