"""A semidefinite bound of many records, started from the bounds of parts.

A step takes O(n^3), so that parts of some hundred records are solved in the time of few steps of the whole.
Where parts are far apart, their multipliers prove nearly as much for the whole (`Semidefinite.start_from`).

Parts that hold most of the error are rarely far apart. Where there is time, they are one part: the core. On
EIA with k = 10, the three parts with the largest errors have 1,793 of 4,092 records and 98 % of the error.
Solved one by one they add up to 838 in squared errors, but started from these multipliers the bound of the
three together is 789.
"""

from __future__ import annotations

import time
from types import ModuleType

import numpy as np

from microagg.context import Ticker
from microagg.partition.bounds.certificate import half_squared_distances
from microagg.partition.bounds.parts import parts_of, with_core
from microagg.partition.bounds.semidefinite import Semidefinite
from microagg.partition.bounds.semidefinite_run import step_seconds
from microagg.typing import Floats, Rows

MANY = 1_500
"""Records from which on a bound is started from parts."""

RECORDS, SMALL_K, GROUPS = 600, 10, 100
"""Records of a part: so many up to this k, and so many groups of k records above, where groups reach
further. On EIA with k = 20, parts of 600 proved 5.22 % in 125 s, parts of 2,000 proved 5.30 % in 100 s."""

CORE_PRICES, CORE_RECORDS, CORE_STEPS = 0.98, 2_700, 400
"""The share of the error that the core holds, its records at most, and the steps there must be time for."""

PARTS_SHARE, CORE_SHARE = 0.4, 0.75
"""The share of the time for parts: without a core, and with one, after which little is left to do."""

FEWEST_STEPS, PART_STEPS = 100, 2_500
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
) -> list[tuple[Rows, Semidefinite]]:
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
        The time for all; the parts have a share of it.
    ticker : int64[2]
        Stops it; the state is then as it was.
    xp : module
        numpy or cupy.

    Returns
    -------
    list of (int64[s], Semidefinite)
        The rows and the bound of each part; empty if there is only one part.
    """
    begun = time.monotonic()
    parts, share = _divided(points, prices, k, seconds, xp)
    if len(parts) == 1:
        return []
    states = _all_solved(points, parts, prices, k, begun + share * seconds, ticker, xp)
    if ticker[1] == 0:
        state.start_from([(rows, part.solution()) for rows, part in states])
    return states


def _divided(
    points: Floats, prices: Floats, k: int, seconds: float, xp: ModuleType
) -> tuple[list[Rows], float]:
    """Return parts, with a core where there is time for one, and their share of the time."""
    costs = half_squared_distances(points)
    small = parts_of(costs, prices, k, RECORDS)
    parts = with_core(small, prices, CORE_PRICES, CORE_RECORDS)
    if len(parts) < len(small):
        needed = CORE_STEPS * _step_seconds(points[parts[0]], k, xp)
        if needed < CORE_SHARE * seconds:
            return parts, CORE_SHARE
    if k > SMALL_K:
        small = parts_of(costs, prices, k, max(RECORDS, GROUPS * k))
    return small, PARTS_SHARE


def _step_seconds(points: Floats, k: int, xp: ModuleType) -> float:
    """Return about how long a step takes."""
    if xp is np:
        return step_seconds(len(points))
    trial = Semidefinite(np.ascontiguousarray(points), k, xp, is_part=True)
    trial.step()  # the first loads libraries
    trial.step()
    return trial.step_seconds


def _all_solved(
    points: Floats,
    parts: list[Rows],
    prices: Floats,
    k: int,
    until: float,
    ticker: Ticker,
    xp: ModuleType,
) -> list[tuple[Rows, Semidefinite]]:
    """Return the rows and the bound of each part; what is left of the time is for the last."""
    parts = sorted(parts, key=lambda rows: float(prices[rows].sum()))
    weights = [float(prices[rows].sum()) * len(rows) ** POWER for rows in parts]
    states: list[tuple[Rows, Semidefinite]] = []
    for number, rows in enumerate(parts):
        share = weights[number] / (sum(weights[number:]) or 1.0)
        limit = share * (until - time.monotonic())
        states.append((rows, _solved(np.ascontiguousarray(points[rows]), k, limit, ticker, xp)))
        if ticker[1] != 0:
            break
    return states


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
