"""How a step of the search on mixed records makes new groups of those that it broke up."""

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing
from microagg.kernels.mixed.costs import cheapest_to_join, cost_with
from microagg.kernels.mixed.split import grow_group
from microagg.kernels.mixed.state import put_in, rebuild, summarise, swap
from microagg.kernels.splitmix import below, uniform

SHAKEN = 0.3
"""Share of the steps that shake the groups there are instead of growing new ones."""

MOST_SWAPS = 3
"""Pairs swapped when groups are shaken, at most."""


@borrowing
def rebuild_groups(objective, state, broken, m, q, k, least, stream):
    """Make new groups of the m records of q; returns how many. IN/OUT: state, broken, stream."""
    if uniform(stream) < SHAKEN:
        shake(objective, state, broken, m, stream)
        return q
    fewest, most = larger((m + 2 * k - 2) // (2 * k - 1), q - 1), smaller(m // k, q + 1)
    g = fewest + below(stream, most - fewest + 1)
    if g > q:
        broken.chosen[q] = broken.free[broken.n_free[0] - 1]
    clear(state, broken, larger(q, g))
    grow(objective, state, broken, m, g, k, least, stream)
    for i in range(larger(q, g)):
        rebuild(objective, state, broken.chosen[i])
    return g


@borrowing
def shake(objective, state, broken, m, stream):
    """Swap a few pairs that are drawn. IN/OUT: state, stream."""
    for _ in range(1 + below(stream, MOST_SWAPS)):
        row, other = broken.rows[below(stream, m)], broken.rows[below(stream, m)]
        if state.labels[row] != state.labels[other]:
            swap(objective, state, row, other)


@borrowing
def clear(state, broken, q):
    """Take all records out of the first q groups chosen. IN/OUT: state."""
    for i in range(q):
        state.members[broken.chosen[i]] = -1
        state.sizes[broken.chosen[i]] = 0


@borrowing
def grow(objective, state, broken, m, g, k, least, stream):
    """Grow g groups of k from seeds; what is left joins where it adds least. IN/OUT: state, stream.

    The first seed is drawn. Another is drawn too, or is the record left that would add most to the group
    before it.
    """
    left = broken.left[:m]
    for i in range(m):
        left[i] = broken.rows[i]
    spread = uniform(stream) < 0.5
    seed = below(stream, m)
    for i in range(g):
        if i > 0 and spread:
            seed = farthest_left(objective, state, left, broken.chosen[i - 1], least)
        elif i > 0:
            seed = draw_left(left, m - i * k, stream)
        grow_group(objective, state, left, seed, broken.chosen[i], k, least)
    for i in range(m):
        if left[i] >= 0:
            chosen = broken.chosen[:g]
            target = cheapest_to_join(objective, state, left[i], chosen, 0, 2 * k - 1, least)[0]
            put_in(state.members, state.sizes, left[i], target)
            summarise(objective, state, target)


@borrowing
def farthest_left(objective, state, left, group, least):
    """Return where the record left that would add most to a group stands."""
    best, best_cost = -1, 0.0
    for i in range(left.size):
        if left[i] >= 0:
            cost = cost_with(objective, state, group, left[i])
            if best < 0 or cost > best_cost + least:
                best, best_cost = i, cost
    return best


@borrowing
def draw_left(left, count, stream):
    """Return where one of the `count` records left stands, as drawn. IN/OUT: stream."""
    skip = below(stream, count)
    for i in range(left.size):
        if left[i] >= 0:
            if skip == 0:
                return i
            skip -= 1
    return -1
