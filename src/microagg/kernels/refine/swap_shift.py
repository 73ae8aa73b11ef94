"""Swap-shift: move single records and exchange pairs until neither reduces the error."""

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.refine.exchanges import best_change, new_exchanges
from microagg.kernels.refine.groups import gap, list_members, shift, swap
from microagg.kernels.space.fetch import fetch_row
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import search_nearest


@kernel
def swap_shift(groups, k, width, ticker):
    """Improve one group after the other until a whole pass changes nothing; return the changes made.

    The records of a group may move to the `width` groups whose means are nearest to its own. A group is
    visited again only if it or one of these groups has changed since. IN/OUT: groups.
    """
    n_groups = groups.sizes.size
    changed = np.zeros(n_groups, dtype=np.int64)
    looked = np.full(n_groups, -1, dtype=np.int64)
    near, near_gaps = np.full((n_groups, width), -1, dtype=np.int64), np.empty(width)
    largest = larger(2 * k - 1, groups.sizes.max())
    exchanges, rows = new_exchanges(width, largest), np.empty(largest, dtype=np.int64)
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
                search_nearest(groups.tree, groups.room, mean, group, limit, near_gaps, near[group])
            open_stale(group, looked, near[group], changed, is_open)
            fetch_near(groups, near[group], is_open)
            exchanges.counts[:] = -1
            looked[group] = changes
            for i in range(list_members(groups, group, rows)):
                row = rows[i]
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


@borrowing
def is_stale(group, looked, near, changed):
    """Tell whether a group or one near it has changed since it was last visited."""
    if looked[group] < changed[group]:
        return True
    for other in near:
        if other >= 0 and looked[group] < changed[other]:
            return True
    return False


@borrowing
def fetch_near(groups, near, is_open):
    """Prefetch the means and records of near groups; their records are mostly adjacent in memory."""
    for place in range(near.size):
        target = near[place]
        if target >= 0 and is_open[place]:
            first = groups.first[target]
            fetch_row(groups.means, target)
            for row in range(first, first + groups.sizes[target]):
                fetch_row(groups.points, row)


@borrowing
def open_stale(group, looked, near, changed, is_open):
    """Choose the near groups to try: all, or only those that have changed if the group has not.

    No exchange with the others reduced the error at the last visit, and they are unchanged. OUT: is_open.
    """
    anew = looked[group] < changed[group]
    for place in range(near.size):
        is_open[place] = anew or (near[place] >= 0 and looked[group] < changed[near[place]])


@borrowing
def last_reach(groups, group, near):
    """Return the largest squared distance to the groups that were near last: as many are no farther now."""
    farthest = 0.0
    for target in near:
        if target < 0:
            return FARTHER_THAN_ALL
        farthest = larger(farthest, gap(groups.means, group, groups.means, target))
    return farthest


@borrowing
def exchange(groups, row, target, other):
    """Move a record to the group `target`, in exchange for `other` if that is not -1. IN/OUT: groups."""
    if other < 0:
        shift(groups, row, target)
    else:
        swap(groups, row, other)
