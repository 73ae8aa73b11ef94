"""Large-neighbourhood search on mixed records: the rules of `lns.search`, judged by the reported loss."""

import math
from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.mixed.costs import cost_with
from microagg.kernels.mixed.near_slots import look_around
from microagg.kernels.mixed.regrow import clear, rebuild_groups
from microagg.kernels.mixed.state import new_state, put_in, rebuild
from microagg.kernels.mixed.swap_shift import ROUNDING, improve
from microagg.kernels.order import first_least
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.splitmix import below, uniform

LOOK_AROUND = 40
"""Steps for each group there can be after which near groups are sought again."""

ROUNDS = 6
"""How often each record of a few groups is moved, at most."""


class Broken(NamedTuple):
    """A few groups that are broken up, and what they were before.

    Attributes
    ----------
    chosen : int64[most + 1]
        Their numbers.
    rows, before : int64[most (2k - 1)]
        Their records, group by group, and which of the chosen each was in.
    left : int64[most (2k - 1)]
        Records that are in no group yet; -1 for others.
    near : int64[g, width]
        Groups near each group; -1 where there are fewer.
    free : int64[g], n_free : int64[1]
        Numbers of groups that are gone, as a stack.
    """

    chosen: np.ndarray
    rows: np.ndarray
    before: np.ndarray
    left: np.ndarray
    near: np.ndarray
    free: np.ndarray
    n_free: np.ndarray


@kernel
def anneal_mixed(objective, labels, k, steps, seed, heats, most, width, ticker):
    """Search for `steps` steps from `labels`, int64[n] from 0 with sizes from k to 2k-1.

    A step breaks up 2 to `most` groups. A rebuild that adds a change c > 0 to the loss e of m records is
    accepted with probability exp(-c / (heat e / m)); the heat falls evenly in proportion from heats[0] to
    heats[1]. Returns the labels at the end, the best ones on the way, the steps done, those accepted, and
    what the best ones lose.
    """
    state = new_state(objective, labels, larger(labels.size // k, 1), 2 * k - 1)
    broken, stream = new_broken(state, k, most, width), np.empty(1, dtype=np.uint64)
    stream[0] = seed
    least = ROUNDING * np.sum(state.costs) / labels.size
    best, is_best = state.labels.copy(), True
    now, lowest = 0.0, 0.0
    done, accepted = 0, 0
    heat, cooling = heats[0], 1.0
    if heat > 0.0:
        cooling = (heats[1] / heat) ** (1.0 / larger(steps, 1))
    look_around(objective, state, broken.near)
    for step in range(steps):
        if ticker[1] != 0:
            break
        if (step + 1) % (LOOK_AROUND * state.sizes.size) == 0:
            look_around(objective, state, broken.near)
        done += 1
        heat *= cooling
        row, wanted = below(stream, labels.size), 2 + below(stream, most - 1)
        q = choose(objective, state, broken, row, wanted, least, stream)
        m = gather(state, broken, q)
        old = total(state, broken, q)
        if q < 2 or old <= least:
            continue
        g = rebuild_groups(objective, state, broken, m, q, k, least, stream)
        descend(objective, state, broken, m, g, k, least)
        change = total(state, broken, g) - old
        if abs(change) <= least or (
            change > 0.0 and uniform(stream) >= chance(change, heat * old / m)
        ):
            restore(objective, state, broken, m, q, g)
            continue
        if change > 0.0 and is_best:
            keep_best(state, broken, m, best)
            is_best = False
        settle(broken, q, g)
        accepted += 1
        now += change
        if now < lowest:
            lowest = now
            is_best = True
    if is_best:
        best = state.labels.copy()
    lost = np.sum(new_state(objective, best, state.sizes.size, 2 * k - 1).costs)
    return state.labels, best, done, accepted, lost


@kernel
def new_broken(state, k, most, width):
    """Return room for `most` groups, and the numbers that are free."""
    n_groups, m = state.sizes.size, most * (2 * k - 1)
    broken = Broken(
        np.empty(most + 1, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty((n_groups, smaller(width, n_groups)), dtype=np.int64),
        np.empty(n_groups, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    broken.near[:] = -1
    for group in range(n_groups - 1, -1, -1):
        if state.sizes[group] == 0:
            broken.free[broken.n_free[0]] = group
            broken.n_free[0] += 1
    return broken


@inlined
def chance(change, heat):
    """Probability of accepting a change for the worse."""
    return math.exp(-change / heat) if heat > 0.0 else 0.0


@kernel
def choose(objective, state, broken, row, wanted, least, stream):
    """Choose a record's own group and up to wanted-1 near ones, mostly those that it adds least to.

    What it adds is raised by up to its double, as drawn. Returns how many were chosen.
    IN/OUT: broken, stream.
    """
    own, width = state.labels[row], broken.near.shape[1]
    gaps = np.empty(width)
    gaps[:] = FARTHER_THAN_ALL
    for i in range(width):
        group = broken.near[own, i]
        if group >= 0 and group != own and state.sizes[group] > 0:
            added = cost_with(objective, state, group, row) - state.costs[group]
            gaps[i] = (added + least) * (1.0 + uniform(stream))
    broken.chosen[0] = own
    q = 1
    while q < wanted:
        at = first_least(gaps)
        if gaps[at] == FARTHER_THAN_ALL:
            break
        gaps[at] = FARTHER_THAN_ALL
        group, is_new = broken.near[own, at], True
        for i in range(q):  # lists can name a group twice
            is_new = is_new and broken.chosen[i] != group
        if is_new:
            broken.chosen[q] = group
            q += 1
    return q


@borrowing
def gather(state, broken, q):
    """Write down the records of the first q groups chosen; returns how many. IN/OUT: broken."""
    m = 0
    for i in range(q):
        group = broken.chosen[i]
        for place in range(state.sizes[group]):
            broken.rows[m] = state.members[group, place]
            broken.before[m] = i
            m += 1
    return m


@borrowing
def total(state, broken, q):
    """Sum of the losses of the first q groups chosen."""
    lost = 0.0
    for i in range(q):
        lost += state.costs[broken.chosen[i]]
    return lost


@borrowing
def descend(objective, state, broken, m, g, k, least):
    """Shift and swap records among the groups chosen until nothing gains. IN/OUT: state."""
    quiet, i = 0, 0
    for _ in range(ROUNDS * m):
        if quiet == m:
            break
        row, near, classes = broken.rows[i], broken.chosen[:g], broken.chosen[:0]
        target = improve(objective, state, row, near, classes, k, least)
        quiet = 0 if target >= 0 else quiet + 1
        i = i + 1 if i + 1 < m else 0


@borrowing
def restore(objective, state, broken, m, q, g):
    """Put every record back where it was. IN/OUT: state."""
    clear(state, broken, larger(q, g))
    for i in range(m):
        put_in(state.members, state.sizes, broken.rows[i], broken.chosen[broken.before[i]])
    for i in range(larger(q, g)):
        rebuild(objective, state, broken.chosen[i])


@borrowing
def keep_best(state, broken, m, best):
    """Write the labels as they were before the last rebuild. OUT: best."""
    for row in range(best.size):
        best[row] = state.labels[row]
    for i in range(m):
        best[broken.rows[i]] = broken.chosen[broken.before[i]]


@borrowing
def settle(broken, q, g):
    """Take a number that was free for a group more than before, or return one. IN/OUT: broken."""
    if g > q:
        broken.n_free[0] -= 1
        new, last = broken.chosen[q], broken.near.shape[1] - 1
        for i in range(last):
            broken.near[new, i] = broken.near[broken.chosen[0], i]
        broken.near[new, last] = broken.chosen[0]
    for i in range(g, q):
        broken.free[broken.n_free[0]] = broken.chosen[i]
        broken.n_free[0] += 1
