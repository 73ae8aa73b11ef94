"""Exchange records with the same confidential values while that lowers the squared error.

These are the rules of `partition/constrain/exchange.py`, for very many groups.
"""

import numpy as np

from microagg.kernels.constrain.swap import cost_of, is_as_before, put
from microagg.kernels.extremes import smaller
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.order import stable_order


@kernel
def reduce_pass(groups, some, near, before, most, look, least, counts, ticker):
    """Let some groups make exchanges that gain at least `least`, each `most` of them at most.

    `near` and `before` are as in `swap_pass`. IN/OUT: groups; counts int64[1], the number of exchanges.
    """
    m, w = groups.rows.shape[1], near.shape[1]
    costs, pairs = np.empty(m * w * m), np.empty((m * w * m, 3), dtype=np.int64)
    moved = np.empty(2 * most, dtype=np.int64)
    for at in range(some.size):
        group = some[at]
        if ticker[1] == 0 and not is_as_before(groups, group, near[at], before[at]):
            done = counts[0]
            n_pairs = list_gaining(groups, group, near[at], least, costs, pairs)
            if n_pairs > 0:
                order = stable_order(costs[:n_pairs], 1.0)
                exchange_in_order(groups, group, order, pairs, most, look, least, moved, counts)
            if counts[0] == done:
                groups.in_vain[group] = counts[0]
        ticker[0] += 1


@borrowing
def list_gaining(groups, group, near, least, costs, pairs):
    """List the exchanges of alike records that gain. OUT: costs, pairs. Returns how many."""
    count = 0
    for i in range(groups.sizes[group]):
        ours = groups.rows[group, i]
        for other in near:
            if other < 0:
                continue
            for j in range(groups.sizes[other]):
                theirs = groups.rows[other, j]
                if groups.classes[ours] == groups.classes[theirs]:
                    costs[count] = cost_of(groups, group, other, ours, theirs)
                    pairs[count, 0], pairs[count, 1], pairs[count, 2] = other, ours, theirs
                    count += costs[count] < -least
    return count


@borrowing
def exchange_in_order(groups, group, order, pairs, most, look, least, moved, counts):
    """Make exchanges that still gain after those before, no record twice. IN/OUT: groups, counts."""
    made = 0
    for i in range(smaller(order.size, look * most)):
        pair = order[i]
        other, ours, theirs = pairs[pair, 0], pairs[pair, 1], pairs[pair, 2]
        if made == most or has_moved(moved, 2 * made, ours) or has_moved(moved, 2 * made, theirs):
            continue
        if cost_of(groups, group, other, ours, theirs) < -least:
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
