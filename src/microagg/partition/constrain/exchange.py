"""Exchange records with the same confidential values as long as that lowers the squared error.

No limit can be broken by it: every group keeps the values it has. What exchanges and merges have
made for the sake of the limits, and nothing else, is looked at: groups that held them from the start
and were let alone only take part where that helps one that was not.
"""

from __future__ import annotations

import numpy as np

from microagg.context import Ticker
from microagg.lazy import lazy
from microagg.partition.constrain.groups import ConstrainedGroups
from microagg.partition.constrain.swap import MANY
from microagg.typing import Rows

kernels = lazy("microagg.kernels.constrain.reduce")
swaps = lazy("microagg.kernels.constrain.swap")

NEAR = 8
"""Groups that a group looks at."""

PASSES = 6
"""How often the groups are gone through."""

MOST = 20
"""Exchanges of a group in a pass."""

LOOK = 10
"""Pairs that are looked at for each exchange of a pass, those that gain most first."""

LARGEST = 256
"""Groups of up to this size have a compiled loop, in which all of their records are looked at."""

LEAST = 1e-9
"""What an exchange must gain at least."""


def reduce_loss(groups: ConstrainedGroups, some: Rows, ticker: Ticker) -> int:
    """Make exchanges that gain, for some groups; returns how many. IN/OUT: groups."""
    done = 0
    if np.bincount(groups.classes).max() == 1:
        return done  # no two records have the same confidential values
    if some.size > MANY and groups.sizes.max() <= LARGEST:
        return reduce_many(groups, some, ticker)
    for _ in range(PASSES):
        before = done
        for group, near in zip(some.tolist(), groups.near(some, NEAR), strict=True):
            if near.size and ticker[1] == 0:
                done += _exchanges(groups, group, near)
            ticker[0] += 1
        if done == before:
            break
    return done


def reduce_many(groups: ConstrainedGroups, some: Rows, ticker: Ticker) -> int:
    """Do the same in a compiled loop; returns how many exchanges there were. IN/OUT: groups.

    Costs are summed in another order, so exchanges that gain the same may be made in another order too.
    """
    changing = swaps.Constrained(**groups.arrays())
    counts = np.zeros(1, dtype=np.int64)
    before = np.full((some.size, NEAR), -1, dtype=np.int64)
    for _ in range(PASSES):
        done = int(counts[0])
        near = groups.padded_near(some, NEAR)
        kernels.reduce_pass(changing, some, near, before, MOST, LOOK, LEAST, counts, ticker)
        before = near
        groups.take_over(changing.rows, np.flatnonzero(changing.changed > done))
        if counts[0] == done:
            break
    return int(counts[0])


def _exchanges(groups: ConstrainedGroups, group: int, near: Rows) -> int:
    """Make the exchanges of a group that gain most; returns how many. IN/OUT: groups.

    Each one moves the means, so what the next one costs is computed anew before it is made.
    """
    ours, theirs, home = groups.candidates(group, near)
    cost = groups.exchange_cost(group, ours, theirs, home)
    cost[~groups.alike(ours, theirs)] = np.inf
    i, j = np.nonzero(cost < -LEAST)
    order = np.argsort(cost[i, j], kind="stable")[: LOOK * MOST]
    moved: set[int] = set()
    made = 0
    for x, y in zip(i[order].tolist(), j[order].tolist(), strict=True):
        one, other, where = int(ours[x]), int(theirs[y]), int(home[y])
        if made == MOST or one in moved or other in moved:
            continue
        pair = (np.array([one]), np.array([other]), np.array([where]))
        if groups.exchange_cost(group, *pair)[0, 0] < -LEAST:
            groups.exchange(group, where, one, other)
            moved |= {one, other}
            made += 1
    return made
