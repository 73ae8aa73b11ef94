"""Swap-shift: move single records and exchange pairs until neither lowers the error."""

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.refine.exchanges import best_change, new_exchanges
from microagg.kernels.refine.groups import gap, members, set_members, shift
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import nearest_points


@kernel
def swap_shift(groups, k, width, ticker):
    """Improve group by group until a whole pass finds nothing; returns how many changes.

    The records of a group look at the `width` groups whose means are nearest to its own. A group is
    looked at again only when it or one of those has changed since. IN/OUT: groups.
    """
    n_groups = groups.sizes.size
    changed = np.zeros(n_groups, dtype=np.int64)
    looked = np.full(n_groups, -1, dtype=np.int64)
    near, near_gaps = np.full((n_groups, width), -1, dtype=np.int64), np.empty(width)
    exchanges = new_exchanges(width, larger(2 * k - 1, groups.sizes.max()))
    is_open = np.empty(width, dtype=np.bool_)
    changes = 0
    again = True
    while again and ticker[1] == 0:
        again = False
        for group in range(n_groups):
            if groups.sizes[group] == 0 or not is_stale(group, looked, near[group], changed):
                continue
            if looked[group] < changed[group]:
                mean, limit = groups.means[group], last_reach(groups, group, near[group])
                nearest_points(groups.tree, mean, group, limit, near_gaps, near[group])
            open_stale(group, looked, near[group], changed, is_open)
            exchanges.counts[:] = -1
            looked[group] = changes
            for row in members(groups, group):
                if groups.labels[row] != group or ticker[1] != 0:
                    continue
                target, other = best_change(exchanges, groups, row, near[group], is_open, k)
                if target >= 0:
                    exchange(groups, row, target, other)
                    changes += 1
                    changed[group] = changed[target] = ticker[0] = changes
                    is_open[:] = True
                    exchanges.counts[:] = -1
                    again = True
    return changes


@kernel
def is_stale(group, looked, near, changed):
    """Tell whether a group or one near it has changed since it was looked at."""
    if looked[group] < changed[group]:
        return True
    for other in near:
        if other >= 0 and looked[group] < changed[other]:
            return True
    return False


@borrowing
def open_stale(group, looked, near, changed, is_open):
    """Choose the near groups to look at: all, or those that have changed if the group has not.

    With the others nothing gained when the group was looked at last, and nothing has changed. OUT: is_open.
    """
    anew = looked[group] < changed[group]
    for place in range(near.size):
        is_open[place] = anew or (near[place] >= 0 and looked[group] < changed[near[place]])


@borrowing
def last_reach(groups, group, near):
    """Largest squared distance to the groups that were near last time: as many are no farther now."""
    farthest = 0.0
    for target in near:
        if target < 0:
            return FARTHER_THAN_ALL
        farthest = larger(farthest, gap(groups.means, group, groups.means, target))
    return farthest


@kernel
def exchange(groups, row, target, other):
    """Move a record to the group `target`, in exchange for `other` if that is not -1. IN/OUT: groups."""
    if other < 0:
        shift(groups, row, target)
    else:
        swap(groups, row, other)


@inlined
def replace(rows, old, new):
    """Put one row in the place of another. IN/OUT: rows."""
    for i in range(rows.size):
        if rows[i] == old:
            rows[i] = new


@kernel
def swap(groups, row, other):
    """Exchange two records between their groups. IN/OUT: groups."""
    group, target = groups.labels[row], groups.labels[other]
    ours, theirs = members(groups, group), members(groups, target)
    replace(ours, row, other)
    replace(theirs, other, row)
    set_members(groups, group, ours)
    set_members(groups, target, theirs)
