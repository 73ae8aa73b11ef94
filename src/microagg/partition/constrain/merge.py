"""Merge a group that breaks a limit with a near one, the worst first, until none does.

Every merge leaves one group less, and one group of all records (of each stratum) holds every
limit that can be held, so it ends.

Where very many groups break a limit, they are first merged in rounds. In each round, the worst groups
choose first, and a group that was chosen chooses no more. One merge at a time would compare each of
these groups with all others: with 100,000 records in groups of five, that took minutes.
"""

from __future__ import annotations

import heapq

import numpy as np

from microagg.context import Ticker
from microagg.partition.constrain.groups import ConstrainedGroups
from microagg.typing import Floats, Rows

NEAR = 8
"""Groups that a group looks at."""

MANY = 1_000
"""More groups that break a limit are merged in rounds."""


def merge(groups: ConstrainedGroups, ticker: Ticker) -> int:
    """Merge until every group holds the limits; returns how often. IN/OUT: groups."""
    done = _merge_in_rounds(groups, ticker)
    left = np.flatnonzero(groups.sizes > 0)
    waiting = [(-groups.violation[g], g) for g in groups.failing().tolist()]
    heapq.heapify(waiting)
    while waiting and ticker[1] == 0:
        violation, group = heapq.heappop(waiting)
        ticker[0] += 1
        if groups.violation[group] <= 0 or violation != -groups.violation[group]:
            continue  # it has changed since, or is gone
        other = _partner(groups, group, left)
        rows = np.concatenate([groups.members[group], groups.members[other]])
        groups.set_members(group, np.empty(0, dtype=np.int64))
        groups.set_members(other, rows)
        done += 1
        if groups.violation[other] > 0:
            heapq.heappush(waiting, (-groups.violation[other], other))
    return done


def _merge_in_rounds(groups: ConstrainedGroups, ticker: Ticker) -> int:
    """Merge as long as very many groups break a limit; returns how often. IN/OUT: groups."""
    done = 0
    while ticker[1] == 0:
        failing = groups.failing()
        if failing.size <= MANY:
            return done
        pairs = _pairs(failing.tolist(), _near_by_cost(groups, failing))
        if not pairs:
            return done
        groups.join(pairs)
        done += len(pairs)
        ticker[0] += len(pairs)
    return done


def _near_by_cost(groups: ConstrainedGroups, some: Rows) -> dict[int, Rows]:
    """Return for some groups those of the NEAR nearest means, the cheapest union first."""
    near: dict[int, Rows] = {}
    for inside, here in groups.by_stratum(some):
        width = min(NEAR, inside.size - 1)
        others = inside[np.concatenate(list(groups.nearest_means(inside, here, width)))]
        gaps = groups.means[others] - groups.means[here][:, None, :]
        sizes, own = groups.sizes[others], groups.sizes[here][:, None]
        cost = np.where(
            others == here[:, None], np.inf, (gaps**2).sum(axis=2) * (own * sizes / (own + sizes))
        )
        order = np.argsort(cost, axis=1, kind="stable")
        cheapest = np.take_along_axis(others, order, axis=1)
        near |= dict(zip(here.tolist(), cheapest[:, :width], strict=True))
    return near


def _pairs(failing: list[int], near: dict[int, Rows]) -> list[tuple[int, int]]:
    """Return each group, in this order, with the first near one that is still free.

    Examples
    --------
    >>> _pairs([0, 1, 2], {0: np.array([1, 2]), 1: np.array([0]), 2: np.array([0, 3])})
    [(0, 1), (2, 3)]
    """
    taken: set[int] = set()
    pairs = []
    for group in failing:
        if group in taken:
            continue
        other = next((other for other in near[group].tolist() if other not in taken), None)
        if other is not None:
            taken |= {group, other}
            pairs.append((group, other))
    return pairs


def _partner(groups: ConstrainedGroups, group: int, some: Rows) -> int:
    """Return which of some groups to merge with: the cheapest near one that then holds, or the nearest."""
    cost = groups.union_cost(group, some)
    apart = groups.stratum[some] != groups.stratum[group]
    cost[apart | (groups.sizes[some] == 0) | (some == group)] = np.inf
    near = some[_smallest(cost)]
    for other in near.tolist():
        rows = np.concatenate([groups.members[group], groups.members[other]])
        if groups.hold(rows[None, :])[0]:
            return int(other)
    return int(near[0])


def _smallest(cost: Floats) -> Rows:
    """Return the places of the NEAR smallest that are not infinite, the smallest first."""
    few = np.argpartition(cost, NEAR - 1)[:NEAR] if cost.size > NEAR else np.arange(cost.size)
    few = few[np.argsort(cost[few], kind="stable")]
    return few[np.isfinite(cost[few])]
