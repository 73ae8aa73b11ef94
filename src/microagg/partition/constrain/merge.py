"""Merge a group that breaks a limit with a near one, the worst first, until none does.

Every merge leaves one group less, and one group of all records (of each stratum) holds every
limit that can be held, so it ends.
"""

from __future__ import annotations

import heapq

import numpy as np

from microagg.context import Ticker
from microagg.partition.constrain.groups import ConstrainedGroups
from microagg.typing import Floats, Rows

NEAR = 8
"""Groups that a group looks at."""


def merge(groups: ConstrainedGroups, ticker: Ticker) -> int:
    """Merge until every group holds the limits; returns how often. IN/OUT: groups."""
    done = 0
    waiting = [(-groups.violation[g], g) for g in groups.failing().tolist()]
    heapq.heapify(waiting)
    while waiting and ticker[1] == 0:
        violation, group = heapq.heappop(waiting)
        ticker[0] += 1
        if groups.violation[group] <= 0 or violation != -groups.violation[group]:
            continue  # it has changed since, or is gone
        other = _partner(groups, group)
        rows = np.concatenate([groups.members[group], groups.members[other]])
        groups.set_members(group, np.empty(0, dtype=np.int64))
        groups.set_members(other, rows)
        done += 1
        if groups.violation[other] > 0:
            heapq.heappush(waiting, (-groups.violation[other], other))
    return done


def _partner(groups: ConstrainedGroups, group: int) -> int:
    """Return the group whose union costs least of those near that hold the limits, or the nearest."""
    cost = groups.union_cost(group, slice(None))
    cost[(groups.sizes == 0) | (groups.stratum != groups.stratum[group])] = np.inf
    cost[group] = np.inf
    near = _smallest(cost)
    for other in near.tolist():
        rows = np.concatenate([groups.members[group], groups.members[other]])
        if groups.violation_of(rows[None, :])[0] <= 0:
            return int(other)
    return int(near[0])


def _smallest(cost: Floats) -> Rows:
    """Return the places of the NEAR smallest that are not infinite, the smallest first."""
    few = np.argpartition(cost, NEAR - 1)[:NEAR] if cost.size > NEAR else np.arange(cost.size)
    few = few[np.argsort(cost[few], kind="stable")]
    return few[np.isfinite(cost[few])]
