"""Bound the loss of a cell by the prices of parts: a certificate for many records that fall into clusters.

    export MICROAGG_DATA=...
    python -m benchmarks.quality.joined eia 5 --minutes 10

Column generation finds prices and charges for each part of near records alone. Put together, they make some
groups that cross parts cost less than their prices. These groups are looked for, and a linear program then
lowers the prices as little as possible until there are none. At the end, exact pricing looks at all groups.
The prices and cuts are written as ``NAME-kK.csv`` and ``NAME-kK-cuts.csv`` next to this file.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.quality.cell import scaled_columns
from benchmarks.quality.optimal import HERE, known_labels, write
from microagg.partition.bounds import pricing
from microagg.partition.bounds.certificate import half_squared_distances
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.columns_start import groups_within
from microagg.partition.bounds.cuts import GroupCuts, entries_of
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.lower_bound import first_groups
from microagg.partition.bounds.parts import parts_of
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.pricing import Effort
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.search.best.candidates import groups_of
from microagg.partition.sum_of_squares import error_of
from microagg.typing import Floats, Labels, Rows

RECORDS = 300
"""Records of a part at most, unless small ones have to join it."""

SETTLED = 0.002
"""The gap between linear program and bound at which a part is left."""

HEAVY = 0.985
"""The share of the prices in the parts that are solved. The others keep the prices of near neighbours."""

LOOKING, ROUNDS = Effort(60, 60_000), 50
"""How hard groups that cross parts are looked for, and how often."""

SPARE = 1e-7
"""By how much prices are lowered further, as a share of the largest."""

GO = np.zeros(2, dtype=np.int64)

Part = tuple[Rows, ColumnGeneration]


def solved_parts(points: Floats, k: int, groups: Sequence[Rows], minutes: float) -> list[Part]:
    """Return the rows of each part and its column generation; `groups` are those to begin with."""
    prices, until = quick_prices(points, k, GO), time.monotonic() + 60 * minutes
    parts = parts_of(half_squared_distances(points), prices, k, RECORDS)
    parts.sort(key=lambda rows: -float(prices[rows].sum()))
    shares = np.cumsum([prices[rows].sum() for rows in parts]) / prices.sum()
    heavy = int(np.searchsorted(shares, HEAVY)) + 1
    solved: list[Part] = []
    for number, own in enumerate(groups_within(groups, parts, len(points))):
        rows = parts[number]
        found = ColumnGeneration(np.ascontiguousarray(points[rows]), k, prices[rows])
        found.pool.add(own)
        if number < heavy:
            left = until - time.monotonic()
            _run(found, time.monotonic() + left / (heavy - number))
        solved.append((rows, found))
    return solved


def _run(found: ColumnGeneration, until: float) -> None:
    """Take a part as far as it is worth it."""
    while not found.finished and time.monotonic() < until:
        found.step(lambda: math.inf, GO)
        solution = found.solution
        near = solution is not None and solution.boxed < 1e-3
        if near and solution and found.bound > (1 - SETTLED) * solution.value * found.unit:
            break


def joined(points: Floats, k: int, parts: Sequence[Part]) -> ColumnGeneration:
    """Return a column generation of all records that proves what the parts prove together.

    Parameters
    ----------
    points : float64[n, d]
        The records.
    k : int
        The smallest size of a group.
    parts : sequence of (int64[s], ColumnGeneration)
        The rows of each part, and what has proved a bound for it.
    """
    n, sizes = len(points), range(k, 2 * k)
    prices, cuts, charges = np.empty(n), GroupCuts.of(0), [np.empty(0)]
    for rows, part in parts:
        prices[rows] = part.proved.prices
        cuts = cuts.plus(part.charged_cuts.among(rows))
        charges.append(part.proved.charges)
    duals, crossing = Duals(prices, np.concatenate(charges)), CandidateGroups(points)
    lower = duals
    for _ in range(ROUNDS):
        priced = pricing.price(points, sizes, lower, cuts, LOOKING, GO)
        if not crossing.add(priced.groups):
            break
        lower = lowered(duals, cuts, crossing)
    found = ColumnGeneration(points, k, quick_prices(points, k, GO))
    pricing.WIDEST = max(pricing.WIDEST, n)  # of far records, all others count as near
    found.start_at(lower, cuts, GO)
    return found


def lowered(duals: Duals, cuts: GroupCuts, crossing: CandidateGroups) -> Duals:
    """Return duals whose prices are lowered by least in all, so that no group given costs less."""
    from scipy.optimize import linprog

    n = duals.prices.size
    entries = entries_of(crossing.groups, cuts, n)
    worth = np.concatenate([duals.prices, -duals.charges])
    costs = crossing.errors - entries @ worth
    cheap, size = np.flatnonzero(costs < 0), float(np.abs(worth).max())
    members = entries[cheap][:, :n]
    solution = linprog(np.ones(n), A_ub=-members, b_ub=costs[cheap] / size - SPARE)
    return duals.lowered(-size * solution.x)


def main() -> None:
    """Bound the loss of a cell, and write the certificate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("k", type=int)
    parser.add_argument("--minutes", type=float, default=10.0, help="for the parts")
    options = parser.parse_args()
    k, stem = options.k, HERE / f"{options.data}-k{options.k}"
    columns = scaled_columns(options.data)
    points, sst = np.ascontiguousarray(columns.T), float(np.sum(columns**2))
    labels: Labels = known_labels(stem, columns, k, 120.0)
    groups = [*groups_of(labels), *first_groups(points, k, GO)[0]]
    parts = solved_parts(points, k, groups, options.minutes)
    alone = 100 * sum(part.bound for _, part in parts) / sst
    sys.stdout.write(f"{len(parts)} parts: {alone:.6f} % if no group crossed them\n")
    found = joined(points, k, parts)
    lost = 100 * error_of(columns, labels) / sst
    sys.stdout.write(f"loss {lost:.6f} %, no partition below {100 * found.bound / sst:.6f} %\n")
    write(stem, labels, found)


if __name__ == "__main__":
    main()
