"""Exchange records with the same confidential values while that lowers the squared error.

These are the rules of `partition/constrain/exchange.py`, for very many groups.
"""

import numpy as np

from microagg.kernels.constrain.swap import cost_of, is_as_before, put, weight_of
from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.order import stable_order

SAFE = 1e-9
"""A margin for rounding: bounds on the cost of an exchange are relaxed by this share."""


@kernel
def reduce_pass(groups, some, near, before, most, look, least, counts, ticker):
    """Let some groups make exchanges that gain at least `least`, each `most` of them at most.

    `near` and `before` are as in `swap_pass`. IN/OUT: groups; counts int64[1], the number of exchanges.
    """
    m, w = groups.rows.shape[1], near.shape[1]
    costs, pairs = np.empty(m * w * m), np.empty((m * w * m, 3), dtype=np.int64)
    moved, reach = np.empty(2 * most, dtype=np.int64), np.empty((w, 3))
    for at in range(some.size):
        group = some[at]
        if ticker[1] == 0 and not is_as_before(groups, group, near[at], before[at]):
            done = counts[0]
            n_pairs = list_gaining(groups, group, near[at], least, reach, costs, pairs)
            if n_pairs > 0:
                order = stable_order(costs[:n_pairs], 1.0)
                exchange_in_order(groups, group, order, pairs, most, look, least, moved, counts)
            if counts[0] == done:
                groups.in_vain[group] = counts[0]
        ticker[0] += 1


@borrowing
def list_gaining(groups, group, near, least, reach, costs, pairs):
    """List the exchanges of alike records that gain. OUT: reach, costs, pairs. Returns how many."""
    for at in range(near.size):
        if near[at] >= 0:
            measure_reach(groups, group, near[at], reach[at])
    count = 0
    for i in range(groups.sizes[group]):
        ours = groups.rows[group, i]
        own = groups.classes[ours]
        for at in range(near.size):
            other = near[at]
            if other < 0 or surely_loses(groups, group, other, ours, reach[at]):
                continue
            weight = weight_of(groups, group, other)
            for j in range(groups.sizes[other]):
                theirs = groups.rows[other, j]
                if groups.classes[theirs] == own:
                    costs[count] = cost_of(groups, group, other, ours, theirs, weight)
                    pairs[count, 0], pairs[count, 1], pairs[count, 2] = other, ours, theirs
                    count += costs[count] < -least
    return count


@borrowing
def measure_reach(groups, group, other, reach):
    """Measure how far the records of another group reach towards a group.

    OUT: reach float64[3]: the largest 2 y (c_x - c_y), the largest |y - c_y|, and |c_x - c_y|.
    """
    farthest, apart = 0.0, 0.0
    for i in range(groups.sizes[other]):
        y, along, gap = groups.rows[other, i], 0.0, 0.0
        for j in range(groups.X.shape[1]):
            t = groups.X[y, j] - groups.means[other, j]
            along += 2.0 * groups.X[y, j] * (groups.means[group, j] - groups.means[other, j])
            gap += t * t
        reach[0] = along if i == 0 else larger(reach[0], along)
        farthest = larger(farthest, gap)
    for j in range(groups.X.shape[1]):
        t = groups.means[group, j] - groups.means[other, j]
        apart += t * t
    reach[1], reach[2] = np.sqrt(farthest), np.sqrt(apart)


@borrowing
def surely_loses(groups, group, other, ours, reach):
    """Tell whether no exchange of a record with another group can gain.

    |x - y| is at most |x - c_x| + |c_x - c_y| + |y - c_y|, which bounds `cost_of` from below.
    """
    along, gap = 0.0, 0.0
    for j in range(groups.X.shape[1]):
        x = groups.X[ours, j]
        t = x - groups.means[group, j]
        along += 2.0 * x * (groups.means[group, j] - groups.means[other, j])
        gap += t * t
    length = np.sqrt(gap) + reach[1] + reach[2]
    most = length * length * (1.0 / groups.sizes[group] + 1.0 / groups.sizes[other])
    rounding = SAFE * (np.abs(along) + np.abs(reach[0]) + most)
    return along - reach[0] > most + rounding


@borrowing
def exchange_in_order(groups, group, order, pairs, most, look, least, moved, counts):
    """Make exchanges that still gain after those before, no record twice. IN/OUT: groups, counts."""
    made = 0
    for i in range(smaller(order.size, look * most)):
        pair = order[i]
        other, ours, theirs = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
        if made == most or has_moved(moved, 2 * made, ours) or has_moved(moved, 2 * made, theirs):
            continue
        weight = weight_of(groups, group, other)
        if cost_of(groups, group, other, ours, theirs, weight) < -least:
            put(groups, group, ours, theirs)
            put(groups, other, theirs, ours)
            moved[2 * made], moved[2 * made + 1] = ours, theirs
            made += 1
            counts[0] += 1
            groups.changed[group] = groups.changed[other] = counts[0]


@borrowing
def has_moved(moved, count, row):
    """Tell whether a record is one of the first `count`."""
    for i in range(count):
        if moved[i] == row:
            return True
    return False
