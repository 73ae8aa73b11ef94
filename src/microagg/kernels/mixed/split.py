"""Split: cut groups of 2k or more mixed records into groups of k to 2k-1."""

import numpy as np

from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.mixed.costs import cost_with
from microagg.kernels.mixed.state import grouped, put_in, rebuild, summarise
from microagg.kernels.mixed.swap_shift import ROUNDING


@kernel
def split_mixed(objective, labels, k):
    """Return labels whose groups have fewer than 2k records each."""
    state = grouped(objective, labels, k, 2 * k - 1)
    split_large(objective, state, k)
    return state.labels


@kernel
def split_large(objective, state, k):
    """Cut parts of k off every group of 2k or more; they take the numbers of groups that are gone.

    IN/OUT: state.
    """
    least = ROUNDING * np.sum(state.costs) / state.labels.size
    free = np.int64(0)
    for group in range(state.sizes.size):
        while state.sizes[group] >= 2 * k:
            while state.sizes[free] > 0:
                free += 1
            cut_off(objective, state, group, free, k, least)


@kernel
def cut_off(objective, state, group, new, k, least):
    """Move k records to the group `new`, which is gone. IN/OUT: state.

    The first is the one without which the group loses least; then, one by one, the one that adds least.
    """
    rows = state.members[group, : state.sizes[group]].copy()
    seed = 0
    for i in range(1, rows.size):
        if state.gains[rows[i]] > state.gains[rows[seed]] + least:
            seed = i
    grow_group(objective, state, rows, seed, new, k, least)
    state.members[group] = -1
    state.sizes[group] = 0
    for row in rows:
        if row >= 0:
            put_in(state.members, state.sizes, row, group)
    rebuild(objective, state, group)
    rebuild(objective, state, new)


@borrowing
def grow_group(objective, state, rows, seed, group, k, least):
    """Add the record rows[seed], and then k-1 that add least, to an empty group. IN/OUT: rows, state.

    Records that joined become -1 in `rows`. The gains of the group are not computed.
    """
    place = seed
    for count in range(1, k + 1):
        put_in(state.members, state.sizes, rows[place], group)
        rows[place] = -1
        summarise(objective, state, group)
        if count == k:
            break
        place, best_cost = -1, 0.0
        for i in range(rows.size):
            if rows[i] >= 0:
                cost = cost_with(objective, state, group, rows[i])
                if place < 0 or cost < best_cost - least:
                    place, best_cost = i, cost
