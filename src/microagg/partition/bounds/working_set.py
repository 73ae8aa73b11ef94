"""The working set: the groups of a pool that the master problem has at a moment."""

from __future__ import annotations

import numpy as np

from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.ranking import ranked
from microagg.typing import Rows

FEWEST_COLUMNS = 14_000
"""With so many groups a master problem is never large."""

COLUMNS_A_RECORD, NEW_COLUMNS_A_RECORD = 8, 4
"""Groups for each record that the master problem may have, and may get at once."""

OVERLOOKED = 1e-6
"""A reduced cost below minus this is worth another master problem, in the mean price."""


class WorkingSet:
    """Few groups of a pool of n records: those that were cheap when they were looked at.

    Examples
    --------
    >>> pool, none = CandidateGroups(np.array([[0.0], [2.0], [3.0]])), GroupCuts.of(0)
    >>> few = WorkingSet(pool, 3)
    >>> pool.add([np.array([0, 1]), np.array([1, 2])])
    2
    >>> few.take_in(Duals(np.ones(3), np.empty(0)), none), few.numbers.tolist()
    (1, [1])
    """

    def __init__(self, pool: CandidateGroups, n: int) -> None:
        self._pool, self._n = pool, n
        self.numbers: Rows = np.empty(0, dtype=np.int64)

    def take_in(self, duals: Duals, cuts: GroupCuts) -> int:
        """Take in groups of negative reduced costs; returns how many of the cheapest were not in."""
        most = NEW_COLUMNS_A_RECORD * self._n
        numbers, costs = ranked(self._pool, duals, cuts, most + len(self.numbers))
        cheaper = numbers[(costs < -OVERLOOKED) & ~np.isin(numbers, self.numbers)]
        self.numbers = np.append(self.numbers, cheaper[:most])
        return len(cheaper)

    def begin_with(self, duals: Duals, cuts: GroupCuts) -> None:
        """Take the cheapest groups of the pool, as many as there may be."""
        most = max(COLUMNS_A_RECORD * self._n, FEWEST_COLUMNS)
        self.numbers, _ = ranked(self._pool, duals, cuts, most)

    def forget(self, duals: Duals, cuts: GroupCuts) -> None:
        """Take the dearest groups out where there are too many."""
        most = max(COLUMNS_A_RECORD * self._n, FEWEST_COLUMNS)
        if len(self.numbers) > most:
            self.numbers, _ = ranked(self._pool, duals, cuts, 2 * most // 3, self.numbers)
