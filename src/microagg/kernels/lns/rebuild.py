"""New groups from the records of a few that were broken up: grown from seeds, or shaken."""

from microagg.kernels.jit import inlined, kernel
from microagg.kernels.lns.local import add, clear, first_least, move, restore
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.splitmix import below, uniform

MOST_SWAPS = 3
"""Pairs swapped when groups are shaken, at most."""


@kernel
def grow(local, m, g, k, stream):
    """Grow g groups of k from seeds; what is left joins where it costs least. IN/OUT: local, stream.

    The first seed is drawn; another is drawn too, or is the record left that is farthest from the
    seed before. A group takes the record nearest to its seed, or to its mean, whichever was drawn.
    """
    clear(local, m, g)
    by_mean = uniform(stream) < 0.5
    spread = uniform(stream) < 0.5
    seed = below(stream, m)
    for group in range(g):
        if group > 0 and spread:
            seed = farthest_left(local, seed, m)
        elif group > 0:
            seed = draw_left(local, m, group * k, stream)
        add(local, seed, group, m)
        for _ in range(k - 1):
            if by_mean:
                nearest = nearest_left(local, local.sums, group, m)
            else:
                nearest = nearest_left(local, local.between, seed, m)
            add(local, nearest, group, m)
    for i in range(m):
        if local.labels[i] < 0:
            add(local, i, cheapest(local, i, g, k), m)


@inlined
def farthest_left(local, seed, m):
    """Record in no group that is farthest from the seed."""
    for j in range(m):
        local.costs[j] = -local.between[seed, j] if local.labels[j] < 0 else 1.0
    return first_least(local.costs, m)


@inlined
def nearest_left(local, distances, of, m):
    """Record in no group with the smallest distance in row `of`."""
    for j in range(m):
        local.costs[j] = distances[of, j] if local.labels[j] < 0 else FARTHER_THAN_ALL
    return first_least(local.costs, m)


@kernel
def draw_left(local, m, gone, stream):
    """One of the records in no group, `gone` being in one. IN/OUT: stream."""
    skip = below(stream, m - gone)
    for j in range(m):
        if local.labels[j] < 0:
            if skip == 0:
                return j
            skip -= 1
    return -1


@kernel
def cheapest(local, i, g, k):
    """Group of fewer than 2k-1 to which record i adds the least error."""
    best, best_group = FARTHER_THAN_ALL, -1
    for group in range(g):
        size = local.sizes[group]
        if size < 2 * k - 1:
            error = local.totals[group] / (2.0 * size)
            cost = (local.sums[group, i] - error) / (size + 1)
            if cost < best:
                best, best_group = cost, group
    return best_group


@kernel
def shake(local, m, g, stream):
    """Swap a few pairs drawn from the groups there were. IN/OUT: local, stream."""
    restore(local, m, g)
    for _ in range(1 + below(stream, MOST_SWAPS)):
        i, j = below(stream, m), below(stream, m)
        a, b = local.labels[i], local.labels[j]
        if a != b:
            move(local, i, b, m)
            move(local, j, a, m)
