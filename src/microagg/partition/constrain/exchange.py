"""Exchange records with the same confidential values as long as that reduces the squared error.

No limit can be violated, because every group keeps its confidential values. Only groups that were changed
to satisfy the limits look for exchanges. The other groups take part if that helps one of these.
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
"""The number of neighbouring groups that a group considers."""

PASSES = 6
"""The number of passes over the groups, at most."""

MOST = 20
"""Exchanges of a group in one pass, at most."""

LOOK = 10
"""Pairs that are considered for each exchange of a pass, those that gain most first."""

LARGEST = 256
"""Groups of up to this size are changed by a kernel, which considers all of their records."""

LEAST = 1e-9
"""The least that an exchange must gain."""


def reduce_loss(groups: ConstrainedGroups, some: Rows, ticker: Ticker) -> int:
    """Make exchanges that reduce the loss of some groups; returns how many. IN/OUT: groups."""
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

    Costs are summed in a different order, so exchanges that gain the same may change places.
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
