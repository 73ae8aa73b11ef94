"""Decompose and shrink on mixed records: groups are given up, or lose records, while the loss falls."""

import numpy as np

from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.mixed.costs import cheapest_to_join
from microagg.kernels.mixed.state import put_in, rebuild, shift
from microagg.kernels.order import stable_order


@kernel
def give_up_groups(objective, state, near, by_loss, least, ticker):
    """Try to give up each group once, by falling loss where `by_loss`; returns how many were.

    IN/OUT: state.
    """
    turn = np.arange(state.sizes.size)
    if by_loss:
        turn = stable_order(state.costs, -1.0)
    given_up = 0
    for group in turn:
        if ticker[1] != 0:
            break
        ticker[0] += 1
        if give_up(objective, state, group, near[group], least):
            given_up += 1
    return given_up


@kernel
def give_up(objective, state, group, near, least):
    """Let each record of a group join the near group whose loss grows least, if all that lowers the loss.

    Tells whether it did. IN/OUT: state.
    """
    saved = state.costs[group] - least
    rows = state.members[group, : state.sizes[group]].copy()
    targets = np.empty(rows.size, dtype=np.int64)
    added, room = 0.0, state.members.shape[1]
    for i in range(rows.size):
        target, cost = cheapest_to_join(objective, state, rows[i], near, 1, room, least)
        if target < 0 or added + cost >= saved:
            take_back(objective, state, group, targets[:i])
            return False
        added += cost
        targets[i] = target
        put_in(state.members, state.sizes, rows[i], target)
        rebuild(objective, state, target)
    state.members[group] = -1
    state.sizes[group] = 0
    rebuild(objective, state, group)
    return True


@borrowing
def take_back(objective, state, group, targets):
    """Take the last record out of each target, from the last to the first. IN/OUT: state."""
    for i in range(targets.size - 1, -1, -1):
        state.sizes[targets[i]] -= 1
        state.members[targets[i], state.sizes[targets[i]]] = -1
        rebuild(objective, state, targets[i])
    if targets.size > 0:
        rebuild(objective, state, group)


@borrowing
def shrink(objective, state, near, k, least, ticker):
    """Let groups of more than k give away the record that gains most, one at a time. IN/OUT: state.

    Returns how many moved.
    """
    moved, room = 0, state.members.shape[1]
    for group in range(state.sizes.size):
        while state.sizes[group] > k and ticker[1] == 0:
            best, best_row, best_target = -least, np.int64(-1), np.int64(-1)
            for place in range(state.sizes[group]):
                row = state.members[group, place]
                target, cost = cheapest_to_join(objective, state, row, near[group], 1, room, least)
                if target >= 0 and cost - state.gains[row] < best - least:
                    best, best_row, best_target = cost - state.gains[row], row, target
            if best_row < 0:
                break
            shift(objective, state, best_row, best_target)
            moved += 1
    return moved
