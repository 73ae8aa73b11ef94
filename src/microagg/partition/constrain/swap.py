"""Swap records between near groups, so that both come nearer to the limits; sizes stay.

A group that breaks a limit looks at the records of the groups whose means are nearest. Of the
exchanges that bring both groups together nearer to the limits, it makes the cheapest of those that
do at least half as much as the best one: the cheapest alone would creep, the best alone would
fetch records from afar. An exchange that costs more than its part of a merge with a near group, by
the squared error, is left to the merging. The sum of what is broken falls with every exchange, so
it ends. It ends early where hardly any of many groups gains.
"""

from __future__ import annotations

import numpy as np

from microagg.context import Ticker
from microagg.partition.constrain.groups import ConstrainedGroups
from microagg.typing import Floats, Rows

NEAR = 8
"""Groups that a group looks at."""

PAIRS = 256
"""Exchanges that are looked at, the cheapest first."""

PASSES = 3
"""How often all groups are gone through, as one's exchange may help another."""

FEWEST_TRIED, LEAST_USEFUL = 2_000, 0.1
"""After so many groups, exchanges end where fewer than this number a group are made: most of what is
broken is then left to the merging anyway."""

LEAST = 1e-9
"""What an exchange must gain at least."""


def swap(groups: ConstrainedGroups, ticker: Ticker) -> int:
    """Exchange records until no group gains by it; returns how often. IN/OUT: groups."""
    done = tried = 0
    for _ in range(PASSES):
        failing, before = groups.failing(), done
        for group, near in zip(failing.tolist(), groups.near(failing, NEAR), strict=True):
            while ticker[1] == 0 and groups.violation[group] > 0 and _exchange(groups, group, near):
                done += 1
            tried += 1
            ticker[0] += 1
            if tried > FEWEST_TRIED and done < tried * LEAST_USEFUL:
                return done
        if done == before:
            break
    return done


def _exchange(groups: ConstrainedGroups, group: int, near: Rows) -> bool:
    """Make the best exchange of a group, if there is one. IN/OUT: groups."""
    if not near.size:
        return False
    ours, theirs, home = groups.candidates(group, near)
    i, j, cost = _cheapest(groups, group, ours, theirs, home)
    gain = groups.violation[group] - _after(groups, group, ours[i], theirs[j])
    useful = np.flatnonzero(gain > LEAST)
    price = groups.union_cost(group, near).min() / groups.violation[group]
    useful = useful[cost[useful] <= price * gain[useful]]
    if not useful.size:
        return False
    i, j, cost, gain = i[useful], j[useful], cost[useful], gain[useful]
    gain = gain + _gain_of_others(groups, home[j], ours[i], theirs[j])
    good = (gain > max(LEAST, gain.max() / 2)) & (cost <= price * gain)
    if not good.any():
        return False
    best = np.flatnonzero(good)[np.argmin(cost[good])]
    groups.exchange(group, int(home[j[best]]), int(ours[i[best]]), int(theirs[j[best]]))
    return True


def _cheapest(
    groups: ConstrainedGroups, group: int, ours: Rows, theirs: Rows, home: Rows
) -> tuple[Rows, Rows, Floats]:
    """Return pairs of places in `ours` and `theirs` that change something, the cheapest first."""
    cost = groups.exchange_cost(group, ours, theirs, home)
    i, j = np.nonzero(~groups.alike(ours, theirs))
    order = np.argsort(cost[i, j], kind="stable")[:PAIRS]
    i, j = i[order], j[order]
    return i, j, cost[i, j]


def _after(groups: ConstrainedGroups, group: int, out: Rows, into: Rows) -> Floats:
    """Return the violation of a group for each exchange of a record of it for another."""
    rows = np.tile(groups.members[group], (out.size, 1))
    rows[rows == out[:, None]] = into
    return groups.violation_of(rows)


def _gain_of_others(groups: ConstrainedGroups, homes: Rows, ours: Rows, theirs: Rows) -> Floats:
    """Return what each exchange takes from the violation of the other group."""
    gain = groups.violation[homes].copy()
    for home in np.unique(homes):
        at = np.flatnonzero(homes == home)
        gain[at] -= _after(groups, int(home), theirs[at], ours[at])
    return gain
