"""A column generation of many records, started from those of parts.

A master problem of some hundred records takes a fraction of a second, one of thousands many seconds.
Where parts are far apart, no group that crosses them is cheap, so that the prices and charges of the parts
prove nearly as much for all records (`ColumnGeneration.start_from`). Where they are not, the parts prove
nothing for all records, and their time is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from microagg.budget import CLOCK
from microagg.context import Ticker
from microagg.partition.bounds.certificate import half_squared_distances
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.parts import parts_of
from microagg.threads import workers
from microagg.typing import Floats, Rows

MANY, MOST = 1_500, 6_000
"""Records from which on a generation is started from parts, and up to which: it needs n x n matrices."""

RECORDS = 300
"""Records of a part at most, unless small ones have to join it."""

ACROSS = 0.05
"""The share of records with a near neighbour in another part up to which parts are far apart."""

POWER = 1.5
"""The power of its number of records that the time of a part is in proportion to."""


def start_columns_in_parts(
    generation: ColumnGeneration, prices: Floats, k: int, seconds: float, ticker: Ticker
) -> None:
    """Start a generation from those of parts, if there are parts that are far apart.

    Parameters
    ----------
    generation : ColumnGeneration
        The generation of all records, before its first step. Each part begins with the groups of its
        pool that lie within the part.
    prices : float64[n]
        The prices it was started with: what parts are chosen by.
    k : int
        The smallest size of a group.
    seconds : float
        The time for the parts.
    ticker : int64[2]
        Stops it; the generation is then as it was.
    """
    points = generation.points
    halves = half_squared_distances(points)
    parts = parts_of(halves, prices, k, max(RECORDS, 4 * k))
    if len(parts) == 1 or share_across(halves, parts, k) > ACROSS:
        return
    groups = groups_within(generation.pool.groups, parts, len(points))
    sizes = np.array([len(rows) for rows in parts], dtype=float) ** POWER
    at_once = workers()
    until = CLOCK.now() + seconds

    def solved(number: int) -> tuple[Rows, ColumnGeneration]:
        rows = parts[number]
        left = max(until - CLOCK.now(), 0.0)
        share = at_once * sizes[number] / sizes[number:].sum()
        part = ColumnGeneration(np.ascontiguousarray(points[rows]), k, prices[rows])
        part.pool.add(groups[number])
        _run(part, CLOCK.now() + min(share, 1.0) * left, ticker)
        return rows, part

    with ThreadPoolExecutor(at_once) as threads:
        states = list(threads.map(solved, range(len(parts))))
    if ticker[1] == 0:
        generation.start_from(states, ticker)


def share_across(halves: Floats, parts: Sequence[Rows], k: int) -> float:
    """Return the share of records of which one of the k-1 nearest is in another part.

    Examples
    --------
    >>> halves = half_squared_distances(np.array([[0.0], [1.0], [5.0], [6.0]]))
    >>> share_across(halves, [np.array([0, 1]), np.array([2, 3])], 2)
    0.0
    >>> share_across(halves, [np.array([0, 3]), np.array([1, 2])], 2)
    1.0
    """
    part_of = np.empty(len(halves), dtype=np.int64)
    for number, rows in enumerate(parts):
        part_of[rows] = number
    across = 0
    for number, rows in enumerate(parts):
        near = np.argpartition(halves[rows], k - 1, axis=1)[:, :k]  # with the record itself
        across += int((part_of[near] != number).any(axis=1).sum())
    return across / len(halves)


def _run(part: ColumnGeneration, until: float, ticker: Ticker) -> None:
    """Take a part as far as there is time for."""
    while not (part.finished or ticker[1] or CLOCK.now() >= until):
        part.step(lambda: until - CLOCK.now(), ticker)


def groups_within(groups: Sequence[Rows], parts: Sequence[Rows], n: int) -> list[list[Rows]]:
    """Return the groups that lie within each part, in the numbers of its rows.

    Examples
    --------
    >>> parts = [np.array([0, 2]), np.array([1, 3])]
    >>> groups_within([np.array([1, 3]), np.array([0, 1])], parts, 4)
    [[], [array([0, 1])]]
    """
    labels, places = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for number, rows in enumerate(parts):
        labels[rows], places[rows] = number, np.arange(len(rows))
    within: list[list[Rows]] = [[] for _ in parts]
    for rows in groups:
        first = labels[rows[0]]
        if (labels[rows] == first).all():
            within[first].append(places[rows])
    return within
