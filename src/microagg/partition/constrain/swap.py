"""Exchange records between neighbouring groups to reduce violations of the limits; sizes do not change.

A group that violates a limit considers the records of the groups whose means are nearest. Of the exchanges
that reduce the violations of both groups together, it makes the cheapest one that achieves at least half as
much as the best one. The cheapest of all would make little progress, and the best would take records from
far away. An exchange that costs more squared error than its share of a merge with a neighbouring group is
not made. The sum of violations falls with every exchange, so the procedure ends. It ends early if hardly
any of many groups gains.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.lazy import lazy
from microagg.partition.constrain.groups import WIDE, ConstrainedGroups
from microagg.typing import Floats, Rows

kernels = lazy("microagg.kernels.constrain.swap")
violations = lazy("microagg.kernels.constrain.violation")

NEAR = 8
"""The number of neighbouring groups that a group considers."""

PAIRS = 256
"""Exchanges that are considered, the cheapest first."""

PASSES = 3
"""The number of passes over all groups, because an exchange of one group may help another."""

FEWEST_TRIED, LEAST_USEFUL = 2_000, 0.1
"""After so many groups, exchanges end if there were fewer than this number for each group: most groups then
have to be merged anyway."""

MANY = 800
"""More groups that violate a limit are changed by a kernel, which has to be compiled first."""

LEAST = 1e-9
"""The least that an exchange must gain."""


def swap(groups: ConstrainedGroups, ticker: Ticker) -> int:
    """Exchange records until no group gains; returns the number of exchanges. IN/OUT: groups."""
    failing = groups.failing()
    if failing.size > MANY and groups.sizes.max() <= WIDE:
        return swap_many(groups, ticker)
    done = tried = 0
    unsuccessful: dict[int, list[Rows]] = {}
    for _ in range(PASSES):
        failing, before = groups.failing(), done
        for group, near in zip(failing.tolist(), groups.near(failing, NEAR), strict=True):
            if not _is_as_before(groups, group, near, unsuccessful):
                while ticker[1] == 0 and groups.violation[group] > 0:
                    if not _exchange(groups, group, near):
                        unsuccessful[group] = _members(groups, group, near)
                        break
                    done += 1
            tried += 1
            ticker[0] += 1
            if tried > FEWEST_TRIED and done < tried * LEAST_USEFUL:
                return done
        if done == before:
            break
    return done


def swap_many(groups: ConstrainedGroups, ticker: Ticker) -> int:
    """Do the same in a compiled loop; returns how many exchanges there were. IN/OUT: groups.

    Costs are summed in a different order, so exchanges that cost the same may change places.
    """
    changing = kernels.Constrained(**groups.arrays())
    confidential = violations.Confidential(**groups.limits.arrays(groups.columns, WIDE))
    rules = kernels.SwapRules(PAIRS, LEAST, FEWEST_TRIED, LEAST_USEFUL)
    counts = np.zeros(2, dtype=np.int64)
    before = np.full((groups.sizes.size, NEAR), -1, dtype=np.int64)
    for _ in range(PASSES):
        failing, done = groups.failing(), int(counts[0])
        near = groups.padded_near(failing, NEAR)
        state = (changing, confidential, failing, near, before[failing], rules, counts)
        goes_on = kernels.swap_pass(*state, ticker)
        before[failing] = near
        groups.take_over(changing.rows, np.flatnonzero(changing.changed > done))
        if not goes_on or counts[0] == done:
            break
    return int(counts[0])


def _members(groups: ConstrainedGroups, group: int, near: Rows) -> list[Rows]:
    return [groups.members[each] for each in (group, *near.tolist())]


def _is_as_before(
    groups: ConstrainedGroups, group: int, near: Rows, unsuccessful: dict[int, list[Rows]]
) -> bool:
    """Return whether a group and its neighbours are as they were when it last had no exchange to make."""
    before, now = unsuccessful.get(group, []), _members(groups, group, near)
    return len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True))


def _exchange(groups: ConstrainedGroups, group: int, near: Rows) -> bool:
    """Make the best exchange of a group, if there is one. IN/OUT: groups."""
    if not near.size:
        return False
    ours, theirs, home = groups.candidates(group, near)
    cost = groups.exchange_cost(group, ours, theirs, home)
    price = groups.union_cost(group, near).min() / groups.violation[group]
    costly = cost > price * groups.most_gained(group, ours, theirs)
    if costly.all():
        return False
    i, j, cost = _cheapest(cost, costly, groups.alike(ours, theirs))
    gain = groups.violation[group] - _after(groups, np.full(i.size, group), ours[i], theirs[j])
    useful = np.flatnonzero((gain > LEAST) & (cost <= price * gain))
    if not useful.size:
        return False
    i, j, cost, gain = i[useful], j[useful], cost[useful], gain[useful]
    gain = gain + groups.violation[home[j]] - _after(groups, home[j], theirs[j], ours[i])
    good = (gain > max(LEAST, gain.max() / 2)) & (cost <= price * gain)
    if not good.any():
        return False
    best = np.flatnonzero(good)[np.argmin(cost[good])]
    groups.exchange(group, int(home[j[best]]), int(ours[i[best]]), int(theirs[j[best]]))
    return True


def _cheapest(
    cost: Floats, costly: NDArray[np.bool_], alike: NDArray[np.bool_]
) -> tuple[Rows, Rows, Floats]:
    """Return pairs of places that change something, the cheapest first, and their costs.

    Of the cheapest PAIRS, those that cost more than they can gain are left out.
    """
    i, j = np.nonzero(~alike)
    order = np.argsort(cost[i, j], kind="stable")[:PAIRS]
    order = order[~costly[i[order], j[order]]]
    i, j = i[order], j[order]
    return i, j, cost[i, j]


def _after(groups: ConstrainedGroups, which: Rows, out: Rows, into: Rows) -> Floats:
    """Return the violation of a group for each exchange of a record of it for another."""
    after, sizes = np.empty(which.size), groups.sizes[which]
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        rows = np.stack([groups.members[group] for group in which[same].tolist()])
        rows = np.where(rows == out[same, None], into[same, None], rows)
        after[same] = groups.violation_of(rows)
    return after
