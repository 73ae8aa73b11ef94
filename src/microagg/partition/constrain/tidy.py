"""Exchange records with the same confidential values as long as that lowers the squared error.

No limit can be broken by it: every group keeps the values it has. What exchanges and merges have
made for the sake of the limits, and nothing else, is looked at: groups that held them from the start
and were let alone only take part where that helps one that was not.
"""

from __future__ import annotations

import numpy as np

from microagg.partition.constrain.groups import Groups
from microagg.partition.constrain.limits import Rows

NEAR = 8
"""Groups that a group looks at."""

PASSES = 2
"""How often the groups are gone through."""

MOST = 20
"""Exchanges of a group in a pass."""

LEAST = 1e-9
"""What an exchange must gain at least."""


def tidy(groups: Groups, some: Rows) -> int:
    """Make exchanges that gain, for some groups; returns how many. IN/OUT: groups."""
    done = 0
    for _ in range(PASSES):
        before = done
        for group, near in zip(some.tolist(), groups.near(some, NEAR), strict=True):
            made = 0
            while made < MOST and near.size and _exchange(groups, group, near):
                made += 1
            done += made
        if done == before:
            break
    return done


def _exchange(groups: Groups, group: int, near: Rows) -> bool:
    """Make the exchange of a group that gains most, if one does. IN/OUT: groups."""
    ours = groups.members[group]
    theirs, home = groups.records_of(near)
    cost = groups.exchange_cost(group, ours, theirs, home)
    cost[~groups.alike(ours, theirs)] = np.inf
    i, j = np.unravel_index(np.argmin(cost), cost.shape)
    if cost[i, j] > -LEAST:
        return False
    groups.exchange(group, int(home[j]), int(ours[i]), int(theirs[j]))
    return True
