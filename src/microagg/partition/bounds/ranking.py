"""Ranking: the groups of a pool in the order of their reduced costs."""

from __future__ import annotations

import numpy as np

from microagg.partition.bounds.cuts import GroupCuts, entries_of
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.pool import CandidateGroups
from microagg.typing import Floats, Rows

SPARE = 3
"""How many times as many groups are looked at before charges as are wanted after them."""


def ranked(
    pool: CandidateGroups, duals: Duals, cuts: GroupCuts, most: int, among: Rows | None = None
) -> tuple[Rows, Floats]:
    """Return the numbers and reduced costs of up to `most` groups of a pool, the cheapest first.

    Only the cheapest before charges are looked at: SPARE times as many.

    Parameters
    ----------
    pool : CandidateGroups
        The groups.
    duals, cuts
        Prices of the records, and charges of the first of these cuts.
    most : int
        How many groups there may be.
    among : int64[m], optional
        The numbers of the groups to look at; all unless given.

    Examples
    --------
    >>> pool, none = CandidateGroups(np.array([[0.0], [2.0], [3.0]])), GroupCuts.of(0)
    >>> pool.add([np.array([0, 1]), np.array([1, 2])])
    2
    >>> numbers, costs = ranked(pool, Duals(np.ones(3), np.empty(0)), none, 2)
    >>> numbers.tolist(), costs.tolist()
    ([1, 0], [-1.5, 0.0])
    """
    n, costs = duals.prices.size, pool.costs(duals.prices)
    numbers = np.arange(costs.size) if among is None else among
    few = numbers[np.argsort(costs[numbers], kind="stable")[: SPARE * most]]
    groups = [pool.groups[number] for number in few]
    in_cuts = entries_of(groups, cuts.first(duals.charges.size), n)[:, n:]
    charged = costs[few] + in_cuts @ duals.charges
    order = np.argsort(charged, kind="stable")[:most]
    return few[order], charged[order]
