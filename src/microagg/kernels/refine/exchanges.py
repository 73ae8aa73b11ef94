"""The best shift or swap of a record with near groups, without comparing most pairs of records.

Let x be a record of a group of n_x records with the mean c_x, and y one of a group of n_y and c_y. To
exchange them changes the error by

    |x - c_y|^2 - |x - c_x|^2 + |y - c_x|^2 - |y - c_y|^2 - |x - y|^2 (1/n_x + 1/n_y).

All but the last term belong to x or to y alone, and those of y are computed once for all records of a
group. In the last term, |x - y| is at most |x - c_y| + |y - c_y| and |x - c_x| + |y - c_x|. Most pairs
are therefore ruled out by numbers that are computed already, and most groups as a whole.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.refine.groups import gap

MARGIN = 1e-12
"""More than what rounding can do to a change, as a share of the distances in it."""

WIDER = 1 + 1e-9
"""More than what rounding can do to a squared distance between two records."""


class Exchanges(NamedTuple):
    """What the records of the near groups add to the error in another group, by group and place.

    Attributes
    ----------
    rows : int64[width, m]
        The records of each near group.
    changes, sums : float64[width, m]
        |y - c_x|^2 - |y - c_y|^2 of each, and the sum of the same two.
    here, there : float64[width, m]
        |y - c_x| and |y - c_y| of each.
    counts : int64[width]
        How many records a near group has; -1 where it has to be looked at.
    least, farthest : float64[width]
        The least of `changes` and the largest of `there`.
    """

    rows: np.ndarray
    changes: np.ndarray
    sums: np.ndarray
    here: np.ndarray
    there: np.ndarray
    counts: np.ndarray
    least: np.ndarray
    farthest: np.ndarray


@kernel
def new_exchanges(width, m):
    """Return room for `width` near groups of at most m records."""
    return Exchanges(
        np.empty((width, m), dtype=np.int64),
        np.empty((width, m)),
        np.empty((width, m)),
        np.empty((width, m)),
        np.empty((width, m)),
        np.full(width, -1, dtype=np.int64),
        np.empty(width),
        np.empty(width),
    )


@borrowing
def look(exchanges, groups, group, place, target):
    """Compute what the records of a near group add to the error in `group`. IN/OUT: exchanges."""
    count, least, farthest = 0, 0.0, 0.0
    other = groups.first[target]
    while other >= 0:
        here = gap(groups.points, other, groups.means, group)
        there = gap(groups.points, other, groups.means, target)
        change = here - there
        exchanges.rows[place, count] = other
        exchanges.changes[place, count] = change
        exchanges.sums[place, count] = here + there
        exchanges.here[place, count] = np.sqrt(here)
        exchanges.there[place, count] = np.sqrt(there)
        least = change if count == 0 else smaller(least, change)
        farthest = larger(farthest, exchanges.there[place, count])
        count += 1
        other = groups.following[other]
    exchanges.counts[place] = count
    exchanges.least[place], exchanges.farthest[place] = least, farthest


@borrowing
def best_change(exchanges, groups, row, near, open_places, k):
    """The near group, and the record in it or -1, with which a shift or swap of `row` gains most.

    Of those that gain the same, but for rounding, the first counts. The group is -1 when none gains.
    Groups at places that are not open are left out. IN/OUT: exchanges.
    """
    group = groups.labels[row]
    size = groups.sizes[group]
    own = gap(groups.points, row, groups.means, group)
    best, best_group, best_other = 0.0, np.int64(-1), np.int64(-1)
    for place in range(near.size):
        target = near[place]
        if target < 0 or not open_places[place]:
            continue
        there, other_size = gap(groups.points, row, groups.means, target), groups.sizes[target]
        if size > k and other_size < 2 * k - 1:
            change = there * other_size / (other_size + 1) - own * size / (size - 1)
            if change < best - groups.least:
                best, best_group, best_other = change, target, np.int64(-1)
        if exchanges.counts[place] < 0:
            look(exchanges, groups, group, place, target)
        change, other = best_swap(exchanges, groups, row, own, there, place, target, best)
        if other >= 0:
            best, best_group, best_other = change, target, other
    return best_group, best_other


@inlined
def best_swap(exchanges, groups, row, own, there, place, target, best):
    """The best exchange with a record of one group, if it gains more than `best`; else the record is -1."""
    weight = 1.0 / groups.sizes[groups.labels[row]] + 1.0 / groups.sizes[target]
    own_root, root, at_most = np.sqrt(own), np.sqrt(there), weight * WIDER
    best_other = np.int64(-1)
    blur = MARGIN * (own + there + exchanges.farthest[place] ** 2)
    reach = root + exchanges.farthest[place]
    if there - own + exchanges.least[place] - reach * reach * at_most - blur >= best - groups.least:
        return best, best_other
    for i in range(exchanges.counts[place]):
        across = smaller(root + exchanges.there[place, i], own_root + exchanges.here[place, i])
        change = there - own + exchanges.changes[place, i]
        blur = MARGIN * (own + there + exchanges.sums[place, i])
        if change - across * across * at_most - blur >= best - groups.least:
            continue
        change = (
            there
            - own
            + (
                exchanges.changes[place, i]
                - between(groups.points, row, exchanges.rows[place, i]) * weight
            )
        )
        if change < best - groups.least:
            best, best_other = change, exchanges.rows[place, i]
    return best, best_other


@inlined
def between(points, row, other):
    """Squared distance of two records."""
    total = 0.0
    for j in range(points.shape[1]):
        t = points[other, j] - points[row, j]
        total += t * t
    return total
