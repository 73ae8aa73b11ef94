"""k-Ward as first published: the nearest of all pairs of groups merges. O(n^2) time, O(n) memory."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.line.ward_groups import added, before, first_groups, merge
from microagg.kernels.space.scan import FARTHER_THAN_ALL


@kernel
def merge_nearest_pairs(values, k, ticker):
    """Merge until every group of the sorted values holds k; returns the groups."""
    groups = first_groups(values, k)
    alive = np.flatnonzero(groups.size)
    means = groups.mean[alive]  # packed: the loops over all groups read these
    count = alive.size
    partner, cost = np.full(values.size, -1, dtype=np.int64), np.full(values.size, FARTHER_THAN_ALL)
    for i in range(count):
        if groups.size[alive[i]] < k:
            look_at_all(groups, i, alive, means, partner, cost)
    while ticker[1] == 0:
        a = first_to_merge(groups, k, alive[:count], partner, cost)
        if a < 0:
            break
        b = partner[a]
        merged = merge(groups, a, b)
        drop(alive, means, count, larger(a, b))
        count -= 1
        look_again(groups, k, alive[:count], means[:count], (a, b, merged), partner, cost)
    return groups


@inlined
def first_to_merge(groups, k, alive, partner, cost):
    """The group of fewer than k whose merger comes first, or -1 when there is none."""
    best, least = -1, FARTHER_THAN_ALL
    for a in alive:
        if groups.size[a] < k and cost[a] <= least:
            if best < 0 or before(groups, cost[a], a, partner[a], least, best, partner[best]):
                best, least = a, cost[a]
    return best


@inlined
def drop(alive, means, count, gone):
    """Take `gone` out of alive[:count] and its mean out of `means`; the last takes its place."""
    for i in range(count):
        if alive[i] == gone:
            alive[i], means[i] = alive[count - 1], means[count - 1]
            return


@inlined
def look_again(groups, k, alive, means, change, partner, cost):
    """After a and b have merged: update what they and those that were to merge with them had."""
    a, b, merged = change
    mean = groups.mean[merged]
    for i in range(alive.size):
        if alive[i] == merged:
            means[i] = mean
    for i in range(alive.size):
        c = alive[i]
        if groups.size[c] < k:
            if c == merged or partner[c] == a or partner[c] == b:
                look_at_all(groups, i, alive, means, partner, cost)
            elif at_least(mean, means[i]) <= cost[c]:
                look_at(groups, c, merged, partner, cost)


@kernel
def look_at_all(groups, place, alive, means, partner, cost):
    """Find whom the group alive[place] merges with at least cost. OUT: its partner and cost."""
    a, mean = alive[place], means[place]
    nearest = FARTHER_THAN_ALL
    for i in range(place):
        nearest = smaller(nearest, at_least(mean, means[i]))
    for i in range(place + 1, alive.size):
        nearest = smaller(nearest, at_least(mean, means[i]))
    bound = 2.0 * groups.size[a] * nearest  # at most that is added with the nearest
    partner[a], cost[a] = -1, FARTHER_THAN_ALL
    for i in range(alive.size):
        if at_least(mean, means[i]) <= bound and i != place:
            look_at(groups, a, alive[i], partner, cost)


@inlined
def at_least(mean, other):
    """What merging two groups of these means adds, whatever their sizes: no division needed."""
    return 0.5 * ((mean - other) * (mean - other))


@inlined
def look_at(groups, a, b, partner, cost):
    """Take b as the partner of a if that merger comes before what a had. IN/OUT: partner, cost."""
    price = added(groups, a, b)
    if partner[a] < 0 or before(groups, price, a, b, cost[a], a, partner[a]):
        partner[a], cost[a] = b, price
