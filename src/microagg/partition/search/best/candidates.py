"""Candidates: the groups that an integer program may choose from."""

from __future__ import annotations

import numpy as np

from microagg.context import Ticker
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.typing import Labels, Rows

GROUPS_OF_A_RECORD = 10
"""Groups of a record that the integer program has, unless they are needed for others."""


def groups_of(labels: Labels) -> list[Rows]:
    """Return the rows of each group, in order.

    Examples
    --------
    >>> [rows.tolist() for rows in groups_of(np.array([0, 1, 0, 1], dtype=np.int32))]
    [[0, 2], [1, 3]]
    """
    order = np.argsort(labels, kind="stable")
    return [rows.astype(np.int64) for rows in np.split(order, np.cumsum(np.bincount(labels))[:-1])]


def cheap_groups(
    generation: ColumnGeneration, lowest: float, most: int, ticker: Ticker
) -> list[Rows]:
    """Return the cheapest groups seen that a better partition may hold, by their reduced costs."""
    generation.pool.add(generation.near_groups(ticker))
    numbers, _ = generation.cheapest(max(lowest - generation.reached, 0.0))
    groups = [generation.pool.groups[number] for number in numbers]
    return _spread_out(groups, generation.n)[: max(most, 0)]


def _spread_out(groups: list[Rows], n: int) -> list[Rows]:
    """Return those groups that have a record which few of the groups before have.

    Where records are dense, thousands of groups cost next to nothing more than the best; without
    this there would be no room for those of all others.
    """
    used, chosen = [0] * n, []
    for rows in groups:
        members = rows.tolist()
        if min(used[row] for row in members) < GROUPS_OF_A_RECORD:
            chosen.append(rows)
            for row in members:
                used[row] += 1
    return chosen
