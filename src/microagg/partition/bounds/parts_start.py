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
from microagg.partition.bounds.semidefinite import Semidefinite
from microagg.typing import Floats, Rows

MANY = 1_500
"""Records from which on a bound is started from parts."""

RECORDS, SMALL_K, GROUPS = 600, 10, 100
"""Records of a part: so many up to this k, and so many groups of k records above, where groups reach
further. On EIA with k = 20, parts of 600 proved 5.22 % in 125 s, parts of 2,000 proved 5.30 % in 100 s."""

FEWEST_STEPS, PART_STEPS = 100, 800
"""Steps of each part, whatever the time, and at most."""

SMALL = 250
"""A part of so many records is solved on the processor."""

POWER = 1.0
"""The power of its number of records that the time of a part is in proportion to, besides what its records
add to the error: what a part with little error lacks is little, too."""


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
    parts = parts_of(costs, prices, k, RECORDS if k <= SMALL_K else max(RECORDS, GROUPS * k))
    del costs
    if len(parts) == 1:
        return
    parts.sort(
        key=lambda rows: float(prices[rows].sum())
    )  # what is left of the time is for the last
    weights = [float(prices[rows].sum()) * len(rows) ** POWER for rows in parts]
    until = time.monotonic() + seconds
    states: list[tuple[Rows, Semidefinite]] = []
    for number, rows in enumerate(parts):
        share = weights[number] / (sum(weights[number:]) or 1.0)
        limit = share * (until - time.monotonic())
        states.append((rows, _solved(np.ascontiguousarray(points[rows]), k, limit, ticker, xp)))
        if ticker[1] != 0:
            return
    state.start_from(states)


def _solved(points: Floats, k: int, seconds: float, ticker: Ticker, xp: ModuleType) -> Semidefinite:
    """Return the bound of a part after as many steps as there is time for."""
    engine = np if len(points) <= SMALL else xp
    part = Semidefinite(points, k, engine, is_part=True)
    until = time.monotonic() + seconds
    while not (part.finished or ticker[1] or part.steps == PART_STEPS):
        if part.steps >= FEWEST_STEPS and time.monotonic() > until:
            break
        part.step()
    return part
