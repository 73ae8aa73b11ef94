"""Swap-shift on mixed records: single records move and pairs change places while the loss falls."""

import numpy as np

from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.mixed.costs import cheapest_to_join, cost_after
from microagg.kernels.mixed.state import CLOSE, shift, swap

PASSES = 3
"""How often all groups are looked at, at most: later passes gain little and take as long."""

ROUNDING = 1e-9
"""Losses that differ by less, as a share of the mean loss of a record, are the same."""


@kernel
def scatter(objective, state, near, k):
    """Let the records of groups of fewer than k join other groups, each where it costs least.

    IN/OUT: state. Returns whether there was room for all.
    """
    least = ROUNDING * np.sum(state.costs) / state.labels.size
    everywhere = np.arange(state.sizes.size)
    for group in range(state.sizes.size):
        if state.sizes[group] >= k:
            continue
        for row in state.members[group, : state.sizes[group]].copy():
            target = cheapest_to_join(objective, state, row, near[group], k, 2 * k - 1, least)[0]
            if target < 0:
                target = cheapest_to_join(objective, state, row, everywhere, k, 2 * k - 1, least)[0]
            if target < 0:
                return False
            shift(objective, state, row, target)
    return True


@kernel
def descend(objective, state, near, classes, k, ticker):
    """Improve group by group, in PASSES passes at most; returns how many changes. IN/OUT: state.

    A group is looked at again only when it or one near it has changed. Where there are `classes`, int64[n],
    the records of each class stay as many in each group.
    """
    n_groups = state.sizes.size
    least = ROUNDING * np.sum(state.costs) / state.labels.size
    changed = np.zeros(n_groups, dtype=np.int64)
    looked = np.empty(n_groups, dtype=np.int64)
    looked[:] = -1
    changes, passes, again = 0, 0, True
    while again and passes < PASSES and ticker[1] == 0:
        again = False
        passes += 1
        for group in range(n_groups):
            if not is_stale(group, looked, near[group], changed):
                continue
            looked[group] = changes
            for row in state.members[group, : state.sizes[group]].copy():
                if state.labels[row] == group and ticker[1] == 0:
                    target = improve(objective, state, row, near[group], classes, k, least)
                    if target >= 0:
                        changes += 1
                        changed[group] = changed[target] = changes
                        ticker[0] = changes
                        again = True
    return changes


@borrowing
def is_stale(group, looked, near, changed):
    """Tell whether a group or one near it has changed since it was looked at."""
    if looked[group] < changed[group]:
        return True
    for other in near:
        if other >= 0 and looked[group] < changed[other]:
            return True
    return False


@borrowing
def improve(objective, state, row, near, classes, k, least):
    """Do the best shift or swap of a record with a close group, if one gains. IN/OUT: state.

    Returns the other group, or -1. Of changes that gain the same, but for rounding, the first is done. A
    swap whose records save too little where they leave is passed over: a group never loses less by a
    record more, or hardly ever (the median of ranks can).
    """
    group, own, is_free = state.labels[row], state.gains[row], classes.size == 0
    close, joining = state.close, state.joining
    close[:] = -1
    for target in near:
        if target >= 0 and target != group and state.sizes[target] > 0:
            cost = cost_after(objective, state, target, -1, row) - state.costs[target]
            keep_cheapest(target, cost, close, joining, least)
    best, best_group, best_other = 0.0, np.int64(-1), np.int64(-1)
    for i in range(CLOSE):
        target = close[i]
        if target < 0:
            break
        if is_free and state.sizes[group] > k and state.sizes[target] < 2 * k - 1:
            if joining[i] - own < best - least:
                best, best_group, best_other = joining[i] - own, target, np.int64(-1)
        for place in range(state.sizes[target]):
            other = state.members[target, place]
            if own + state.gains[other] <= least - best:
                continue
            if not is_free and classes[row] != classes[other]:
                continue
            here = cost_after(objective, state, group, row, other) - state.costs[group]
            if here - state.gains[other] >= best - least:
                continue
            there = cost_after(objective, state, target, other, row) - state.costs[target]
            if here + there < best - least:
                best, best_group, best_other = here + there, target, other
    if best_group < 0:
        return best_group
    if best_other < 0:
        shift(objective, state, row, best_group)
    else:
        swap(objective, state, row, best_other)
    return best_group


@borrowing
def keep_cheapest(target, cost, close, joining, least):
    """Insert a group into the few that cost least, the first of equals first. IN/OUT: close, joining."""
    at = close.size
    while at > 0 and (close[at - 1] < 0 or cost < joining[at - 1] - least):
        at -= 1
    for i in range(close.size - 1, at, -1):
        close[i], joining[i] = close[i - 1], joining[i - 1]
    if at < close.size:
        close[at], joining[at] = target, cost
