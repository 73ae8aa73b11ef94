"""Swap records between near groups, so that both come nearer to the limits, for very many groups.

These are the rules of `partition/constrain/swap.py`, which takes a millisecond for each group.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.constrain.violation import find_offsets, most_gained, most_moved, violation
from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.order import stable_order
from microagg.kernels.space.scan import FARTHER_THAN_ALL


class Constrained(NamedTuple):
    """Groups under change.

    Attributes
    ----------
    X : float64[n, d]
        The records.
    classes : int64[n]
        Records of the same class have the same confidential values.
    rows : int64[g, m], sizes : int64[g]
        The records of each group, and how many.
    means : float64[g, d], violation : float64[g]
        The mean of each group, and how far it is from the limits.
    changed, in_vain : int64[g]
        After how many exchanges a group changed last, and after how many it looked for one in vain.
    """

    X: np.ndarray
    classes: np.ndarray
    rows: np.ndarray
    sizes: np.ndarray
    means: np.ndarray
    violation: np.ndarray
    changed: np.ndarray
    in_vain: np.ndarray


class SwapRules(NamedTuple):
    """The constants of `partition/constrain/swap.py`."""

    pairs: int
    least: float
    fewest_tried: int
    least_useful: float


@kernel
def swap_pass(groups, confidential, failing, near, before, rules, counts, ticker):
    """Let groups that break a limit look for exchanges, the worst first.

    `failing` is int64[f]; `near` and `before` are int64[f, w], the near groups now and when a group last
    looked for an exchange; -1 fills a row. Returns whether exchanges are worth going on.
    IN/OUT: groups; counts int64[2], how many exchanges were made and how many groups tried.
    """
    m, w = groups.rows.shape[1], near.shape[1]
    costs, pairs = np.empty(m * w * m), np.empty((m * w * m, 3), dtype=np.int64)
    for at in range(failing.size):
        group = failing[at]
        if not is_as_before(groups, group, near[at], before[at]):
            while ticker[1] == 0 and groups.violation[group] > 0.0:
                if not exchange(groups, confidential, group, near[at], rules, costs, pairs, counts):
                    groups.in_vain[group] = counts[0]
                    break
        counts[1] += 1
        ticker[0] += 1
        if counts[1] > rules.fewest_tried and counts[0] < counts[1] * rules.least_useful:
            return False
    return True


@borrowing
def is_as_before(groups, group, near, before):
    """Tell whether a group and those near it have not changed since it looked in vain."""
    since = groups.in_vain[group]
    if since < groups.changed[group]:
        return False
    for i in range(near.size):
        if near[i] != before[i] or (near[i] >= 0 and since < groups.changed[near[i]]):
            return False
    return True


@kernel
def exchange(groups, confidential, group, near, rules, costs, pairs, counts):
    """Make the best exchange of a group, if there is one; tells whether it did. IN/OUT: groups, counts."""
    n_pairs = list_pairs(groups, group, near, costs, pairs)
    if n_pairs == 0:
        return False
    price = least_union(groups, group, near) / groups.violation[group]
    offsets = np.empty(confidential.codes.shape[0])
    find_offsets(confidential, groups.rows[group], groups.sizes[group], offsets)
    n_pairs = keep_cheapest(costs, pairs, n_pairs, rules.pairs)
    n_pairs = drop_dear(groups, confidential, group, price, offsets, costs, pairs, n_pairs)
    gains, room = np.empty(n_pairs), np.empty(groups.rows.shape[1])
    most, best = 0.0, -1
    for i in range(n_pairs):
        gains[i] = gain_of(
            groups, confidential, group, pairs[i], costs[i], price, most, offsets, rules, room
        )
        most = larger(most, gains[i])
    for i in range(n_pairs):
        if gains[i] > larger(rules.least, most / 2) and costs[i] <= price * gains[i]:
            best = i if best < 0 or costs[i] < costs[best] else best
    if best < 0:
        return False
    counts[0] += 1
    other, ours, theirs = pairs[best, 0], pairs[best, 1], pairs[best, 2]
    replace(groups, confidential, group, ours, theirs, room)
    replace(groups, confidential, other, theirs, ours, room)
    groups.changed[group] = groups.changed[other] = counts[0]
    return True


@kernel
def keep_cheapest(costs, pairs, n_pairs, most):
    """Keep the cheapest of the exchanges, if there are more than `most`. IN/OUT: costs, pairs."""
    if n_pairs <= most:
        return n_pairs
    order = stable_order(costs[:n_pairs], 1.0)
    before, pairs_before = costs[:n_pairs].copy(), pairs[:n_pairs].copy()
    for i in range(most):
        costs[i] = before[order[i]]
        for j in range(3):
            pairs[i, j] = pairs_before[order[i], j]
    return most


@borrowing
def list_pairs(groups, group, near, costs, pairs):
    """List the exchanges with near groups that change something. OUT: costs, pairs. Returns how many.

    A pair has the other group, the own record and the other one.
    """
    count = 0
    for i in range(groups.sizes[group]):
        ours = groups.rows[group, i]
        own = groups.classes[ours]
        for other in near:
            if other < 0:
                continue
            weight = weight_of(groups, group, other)
            for j in range(groups.sizes[other]):
                theirs = groups.rows[other, j]
                if groups.classes[theirs] != own:
                    costs[count] = cost_of(groups, group, other, ours, theirs, weight)
                    pairs[count, 0], pairs[count, 1], pairs[count, 2] = other, ours, theirs
                    count += 1
    return count


@borrowing
def drop_dear(groups, confidential, group, price, offsets, costs, pairs, n_pairs):
    """Drop exchanges that cost more than they can gain; returns how many are left. IN/OUT: costs, pairs."""
    count, one, broken = 0, 1.0 / groups.sizes[group], groups.violation[group]
    for i in range(n_pairs):
        most = most_gained(confidential, offsets, pairs[i, 1], pairs[i, 2], one, broken)
        if costs[i] <= price * most:
            costs[count] = costs[i]
            for j in range(3):
                pairs[count, j] = pairs[i, j]
            count += 1
    return count


@inlined
def weight_of(groups, group, other):
    """1/n_x + 1/n_y, for `cost_of`."""
    return 1.0 / groups.sizes[group] + 1.0 / groups.sizes[other]


@inlined
def cost_of(groups, group, other, ours, theirs, weight):
    """What an exchange adds to the squared error.

    |x - c_y|² - |x - c_x|² + |y - c_x|² - |y - c_y|² - |x - y|² (1/n_x + 1/n_y)
    """
    cost, apart = 0.0, 0.0
    for j in range(groups.X.shape[1]):
        x, y = groups.X[ours, j], groups.X[theirs, j]
        cost += 2.0 * (x - y) * (groups.means[group, j] - groups.means[other, j])
        apart += (x - y) * (x - y)
    return cost - apart * weight


@borrowing
def least_union(groups, group, near):
    """The least that a union with a near group adds to the squared error."""
    least, size = FARTHER_THAN_ALL, groups.sizes[group]
    for other in near:
        if other >= 0:
            gap = 0.0
            for j in range(groups.X.shape[1]):
                t = groups.means[group, j] - groups.means[other, j]
                gap += t * t
            both = size + groups.sizes[other]
            least = smaller(least, gap * (size * groups.sizes[other] / both))
    return least


@borrowing
def gain_of(groups, confidential, group, pair, cost, price, most, offsets, rules, room):
    """What an exchange takes from the violations of both groups. OUT: room.

    -1 where it costs too much, or takes no more than half of `most`, which another takes.
    """
    other, ours, theirs, broken = pair[0], pair[1], pair[2], groups.violation[group]
    size, half = groups.sizes[group], larger(rules.least, most / 2)
    moved = most_moved(confidential, theirs, ours, 1.0 / groups.sizes[other])
    there = smaller(moved, groups.violation[other])
    here = most_gained(confidential, offsets, ours, theirs, 1.0 / size, broken)
    if here + there <= half:
        return -1.0
    gain = broken - violation(confidential, groups.rows[group], size, ours, theirs, room)
    if gain <= rules.least or cost > price * gain or gain + there <= half:
        return -1.0
    after = violation(confidential, groups.rows[other], groups.sizes[other], theirs, ours, room)
    return gain + groups.violation[other] - after


@borrowing
def replace(groups, confidential, group, out, into, room):
    """Put one record in the place of another. IN/OUT: groups; OUT: room."""
    put(groups, group, out, into)
    rows, size = groups.rows[group], groups.sizes[group]
    groups.violation[group] = violation(confidential, rows, size, -1, -1, room)


@borrowing
def put(groups, group, out, into):
    """Put one record in the place of another, with the same confidential values or not. IN/OUT: groups."""
    rows, size = groups.rows[group], groups.sizes[group]
    for i in range(size):
        if rows[i] == out:
            rows[i] = into
    for j in range(groups.X.shape[1]):
        total = 0.0
        for i in range(size):
            total += groups.X[rows[i], j]
        groups.means[group, j] = total / size
