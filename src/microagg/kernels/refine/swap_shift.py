"""Swap-shift: move single records and exchange pairs until neither lowers the error."""

import numpy as np

from microagg.kernels.jit import inlined, kernel
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
    changes = 0
    again = True
    while again and ticker[1] == 0:
        again = False
        for group in range(n_groups):
            if groups.sizes[group] == 0 or not is_stale(group, looked, near[group], changed):
                continue
            if looked[group] < changed[group]:
                mean = groups.means[group]
                nearest_points(groups.tree, mean, group, FARTHER_THAN_ALL, near_gaps, near[group])
            looked[group] = changes
            for row in members(groups, group):
                if groups.labels[row] == group and ticker[1] == 0:
                    if improve(groups, row, near[group], k, changed, changes + 1):
                        changes += 1
                        ticker[0] = changes
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


@kernel
def improve(groups, row, near, k, changed, time):
    """Do the best shift or swap of a record with a near group, if one gains. IN/OUT: groups.

    Of those that gain the same, but for rounding, the first is done.
    """
    group = groups.labels[row]
    size = groups.sizes[group]
    own = gap(groups.points, row, groups.means, group)
    best, best_group, best_other = 0.0, np.int64(-1), np.int64(-1)
    for target in near:
        if target < 0 or groups.sizes[target] == 0:
            continue
        there, other_size = gap(groups.points, row, groups.means, target), groups.sizes[target]
        if size > k and other_size < 2 * k - 1:
            change = there * other_size / (other_size + 1) - own * size / (size - 1)
            if change < best - groups.least:
                best, best_group, best_other = change, target, np.int64(-1)
        other = groups.first[target]
        while other >= 0:
            change = there - own + swap_change(groups, row, group, other, target)
            if change < best - groups.least:
                best, best_group, best_other = change, target, other
            other = groups.following[other]
    if best_group < 0:
        return False
    if best_other < 0:
        shift(groups, row, best_group)
    else:
        swap(groups, row, best_other)
    changed[group] = changed[best_group] = time
    return True


@kernel
def swap_change(groups, row, group, other, target):
    """What the exchange of x = `row` and y = `other` adds beside |x - c_y|^2 - |x - c_x|^2.

    The whole change is
    |x - c_y|^2 - |x - c_x|^2 + |y - c_x|^2 - |y - c_y|^2 - |x - y|^2 (1/n_x + 1/n_y).
    """
    here = there = between = 0.0
    for j in range(groups.points.shape[1]):
        y = groups.points[other, j]
        t = y - groups.means[group, j]
        here += t * t
        t = y - groups.means[target, j]
        there += t * t
        t = y - groups.points[row, j]
        between += t * t
    return here - there - between * (1.0 / groups.sizes[group] + 1.0 / groups.sizes[target])


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
