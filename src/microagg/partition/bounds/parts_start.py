"""A semidefinite bound of many records, started from the bounds of parts.

A step takes O(n^3), so that parts of some hundred records are solved in the time of few steps of the whole.
Where parts are far apart, their multipliers prove nearly as much for the whole (`Semidefinite.start_from`).
"""

from __future__ import annotations

import time
from types import ModuleType

import numpy as np

from microagg.context import Ticker
from microagg.partition.bounds.certificate import half_squared_distances
from microagg.partition.bounds.parts import parts_of
from microagg.partition.bounds.semidefinite import COUNTED_EVERY, Semidefinite
from microagg.typing import Floats, Rows

MANY = 1_500
"""Records from which on a bound is started from parts."""

RECORDS, GROUPS = 600, 12
"""Records of a part: so many, or so many groups of k records."""

PART_STEPS = 800
"""Steps of each part at most."""

SMALL = 250
"""A part of so many records takes all its steps, whatever the time: there are few, and on the processor."""

POWER = 2.5
"""The power of its number of records that the time of a part is in proportion to."""


def start_in_parts(
    state: Semidefinite,
    points: Floats,
    prices: Floats,
    k: int,
    seconds: float,
    ticker: Ticker,
    xp: ModuleType = np,
) -> None:
    """Start the bound of all points from those of parts, unless there is only one part.

    Parameters
    ----------
    state : Semidefinite
        The bound of all points, before its first step.
    points : float64[n, d]
        The records.
    prices : float64[n]
        About what each record adds to the error of a partition: what parts are chosen by.
    k : int
        The smallest size of a group.
    seconds : float
        The time for the parts.
    ticker : int64[2]
        Stops it; the state is then as it was.
    xp : module
        numpy or cupy.
    """
    costs = half_squared_distances(points)
    parts = parts_of(costs, prices, k, max(RECORDS, GROUPS * k))
    del costs
    if len(parts) == 1:
        return
    sizes = np.array([len(rows) for rows in parts], dtype=float) ** POWER
    states: list[tuple[Rows, Semidefinite]] = []
    for rows, limit in zip(parts, seconds * sizes / sizes.sum(), strict=True):
        states.append((rows, _solved(np.ascontiguousarray(points[rows]), k, limit, ticker, xp)))
        if ticker[1] != 0:
            return
    state.start_from(states)


def _solved(points: Floats, k: int, seconds: float, ticker: Ticker, xp: ModuleType) -> Semidefinite:
    """Return the bound of a part after as many steps as there is time for."""
    small = len(points) <= SMALL
    part = Semidefinite(points, k, np if small else xp, is_part=True)
    until = time.monotonic() + seconds
    while not (part.finished or ticker[1] or part.steps == PART_STEPS):
        if not small and part.steps >= COUNTED_EVERY and time.monotonic() > until:
            break
        part.step()
    return part
