"""Pricing: the groups that would make the master problem cheaper, and what they prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microagg.context import Ticker
from microagg.lazy import lazy
from microagg.partition.bounds.cuts import HEAVIEST, GroupCuts, shares_of
from microagg.partition.bounds.duals import Duals
from microagg.threads import spread
from microagg.typing import Floats, Rows

if TYPE_CHECKING:
    from microagg.kernels.bounds.pricing import PricedGroups, Prices

kernels = lazy("microagg.kernels.bounds.pricing")

KEPT = 8
"""Groups kept of each size and root."""

WIDEST = 3_000
"""Records near a root that are looked at, at most: the distances of all pairs of them are kept."""

TOLERANCE = 1e-11
"""Reduced costs above minus this, times the size squared and the largest price, count as 0.

Rounding is some thousand times less. Twice as much is taken off the bound for each group that a
partition can have.
"""


@dataclass(frozen=True)
class Effort:
    """How hard to look: records near each root, and how often one is looked at in all."""

    width: int
    work: int


@dataclass(frozen=True)
class Priced:
    """What a pricing found.

    Attributes
    ----------
    groups : list of int64[m, s]
        Groups of negative reduced cost, one array a size.
    costs : list of float64[m]
        Their reduced costs.
    least : float64[n]
        For each record the least reduced cost of a group that holds it, divided by the size.
    bound : float
        What no partition can beat, if exhausted; see `duals`.
    margin : float
        What has been taken off the bound for rounding.
    exhausted : bool
        Whether every group has been accounted for.
    """

    groups: list[Rows]
    costs: list[Floats]
    least: Floats
    bound: float
    margin: float
    exhausted: bool


def price(
    points: Floats,
    sizes: Sequence[int],
    duals: Duals,
    cuts: GroupCuts,
    effort: Effort,
    ticker: Ticker,
) -> Priced:
    """List groups of these sizes with negative reduced costs, for duals of any kind."""
    n, prices = len(points), kernel_prices(duals, cuts, len(points))
    tolerance = tolerance_of(duals, sizes)
    by_size = [_price_size(points, prices, s, -tolerance, effort, ticker) for s in sizes]
    least = np.min([part.least for parts in by_size for part in parts], axis=0)
    margin = 2 * tolerance * n / min(sizes)
    return Priced(
        [np.concatenate([part.rows[_kept(part)] for part in parts]) for parts in by_size],
        [np.concatenate([part.costs[_kept(part)] for part in parts]) for parts in by_size],
        least,
        duals.total() + float(least.sum()) - margin,
        margin,
        all(bool(part.exhausted.all()) for parts in by_size for part in parts),
    )


def _price_size(
    points: Floats,
    prices: Prices,
    size: int,
    limit: float,
    effort: Effort,
    ticker: Ticker,
) -> list[PricedGroups]:
    n = len(points)
    halves = np.empty((n, size))

    def half(roots: Rows) -> None:
        kernels.half_sums(points, prices, roots, size, halves, ticker)

    def search(roots: Rows) -> PricedGroups:
        priced = room(roots.size, size, n, KEPT)
        width = min(effort.width, n, WIDEST)
        work = effort.work
        kernels.price(points, prices, halves, roots, size, limit, width, work, priced, ticker)
        return priced

    spread(half, n)
    return spread(search, n)


def tolerance_of(duals: Duals, sizes: Sequence[int]) -> float:
    """Return how far below 0 a reduced cost must be to count, in groups of these sizes."""
    return TOLERANCE * max(sizes) ** 2 * max(duals.scale(), 1e-100)


def room(roots: int, size: int, n: int, kept: int) -> PricedGroups:
    """Return room for some groups of one size from each root."""
    empty: PricedGroups = kernels.PricedGroups(
        np.empty((roots, kept, size), dtype=np.int64),
        np.empty((roots, kept)),
        np.zeros(roots, dtype=np.int64),
        np.zeros(n),
        np.zeros(roots, dtype=bool),
    )
    return empty


def _kept(priced: PricedGroups) -> np.ndarray:
    return np.arange(KEPT) < priced.counts[:, np.newaxis]


def kernel_prices(duals: Duals, cuts: GroupCuts, n: int) -> Prices:
    """Return duals as the kernels take them, with the cuts of each record that charge anything."""
    charged = np.flatnonzero(duals.charges > 0)
    moduli, limits = cuts.moduli[charged, np.newaxis], cuts.limits[charged, np.newaxis]
    levels = shares_of(np.arange(HEAVIEST + 1.0), moduli, limits)
    levels *= duals.charges[charged, np.newaxis]
    which, place = np.nonzero(cuts.weights[charged])
    rows, weights = cuts.rows[charged][which, place], cuts.weights[charged][which, place]
    first = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int64)
    order = np.argsort(rows, kind="stable")
    prices: Prices = kernels.Prices(duals.prices, levels, first, which[order], weights[order])
    return prices
