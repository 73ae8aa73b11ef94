"""Enumeration: every group that a partition better than the best known can hold.

Where prices and charges prove a bound, a partition with a group of reduced cost r costs at least the
bound and r. So a partition that is to cost less than the bound and a threshold is made of groups
whose reduced costs are below the threshold, and there may be few enough of them to list: then an
integer program over these alone says what the best of all partitions is.

A group of s records is below the threshold where it is below 0 once each of its records' prices is
raised by the threshold / s: the listing is that of pricing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microagg.context import Ticker
from microagg.lazy import lazy
from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.pricing import WIDEST, kernel_prices, room, tolerance_of
from microagg.threads import spread
from microagg.typing import Floats, Rows

if TYPE_CHECKING:
    from microagg.kernels.bounds.pricing import Prices

kernels = lazy("microagg.kernels.bounds.pricing")

MOST_OF_A_ROOT, SHARE_OF_A_ROOT = 20_000, 0.25
"""Groups of one size that may begin with one record: the larger of this and the share of all that there
may be. More than that are too many in all."""

WORK = 1_000_000
"""Records looked at from one root before there are too many."""


@dataclass(frozen=True)
class Listed:
    """Groups below a threshold.

    Attributes
    ----------
    groups : list of int64[m, s]
        One array a size.
    threshold : float
        Every group whose reduced cost is less than this is among them.
    """

    groups: list[Rows]
    threshold: float


def list_below(
    points: Floats,
    sizes: Sequence[int],
    duals: Duals,
    cuts: GroupCuts,
    threshold: float,
    most: int,
    ticker: Ticker,
) -> Listed | None:
    """List all groups of reduced costs below a threshold; None if there are more than `most`.

    Parameters
    ----------
    points : float64[n, d]
        The records.
    sizes : sequence of int
        The sizes of groups.
    duals, cuts
        Prices of the records, and charges of these cuts.
    threshold : float
        Above 0.
    most : int
        How many groups there may be.
    ticker : int64[2]
        It stops when ``ticker[1]`` is not 0, and returns None.
    """
    groups, room_left, margin = [], most, 0.0
    for size in sizes:
        raised = Duals(duals.prices + threshold / size, duals.charges)
        tolerance = tolerance_of(raised, sizes)
        prices = kernel_prices(raised, cuts, len(points))
        listed = _below(points, prices, size, -tolerance, room_left, ticker)
        if listed is None:
            return None
        groups.append(listed)
        room_left -= len(listed)
        margin = max(margin, 2 * tolerance)
    return Listed(groups, threshold - margin)


def _below(
    points: Floats, prices: Prices, size: int, limit: float, most: int, ticker: Ticker
) -> Rows | None:
    """List the groups of one size, root by root; None if there are too many."""
    n, halves = len(points), np.empty((len(points), size))
    width = min(n, WIDEST)
    spread(lambda roots: kernels.half_sums(points, prices, roots, size, halves, ticker), n)
    most_of_a_root = max(MOST_OF_A_ROOT, int(SHARE_OF_A_ROOT * most))
    counted = [0]  # to give up early; threads may lose a number, so nothing is proved by it

    def search(roots: Rows) -> list[Rows]:
        own, rows = room(1, size, n, most_of_a_root), []
        for at in range(roots.size):
            if counted[0] > most or ticker[1] != 0:
                break
            root = roots[at : at + 1]
            kernels.price(points, prices, halves, root, size, limit, width, WORK, own, ticker)
            many = int(own.counts[0])
            if not own.exhausted[0] or many == most_of_a_root:
                counted[0] = most + 1
                break
            counted[0] += many
            rows.append(own.rows[0, :many].copy())
        return rows

    rows = [rows for part in spread(search, n) for rows in part]
    if len(rows) < n or ticker[1] != 0:  # a root was not listed, or not to the end
        return None
    listed: Rows = np.concatenate(rows)
    return listed if len(listed) <= most else None
