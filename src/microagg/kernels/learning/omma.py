"""OMMA: records migrate between groups of fixed sizes as pairs reward and penalise them."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL

STAYS = 1e-12
"""A cycle that lowers the error by no more than this share of it has not changed it."""


ALWAYS = 10
"""Pairs a record that are read however little time there is."""


class Automaton(NamedTuple):
    """Records in groups, each in a state from 1, most certain, to `depth`, the boundary.

    Attributes
    ----------
    records : float64[n, d]
        The records, one after the other.
    labels, states, places : int64[n]
        The group of each record, its state there, and its place in `members`.
    starts : int64[g + 1], members : int64[n]
        Group g has the members[starts[g] : starts[g + 1]].
    means : float64[g, d]
        The mean of each group.
    """

    records: np.ndarray
    labels: np.ndarray
    states: np.ndarray
    places: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    means: np.ndarray


@kernel
def omma(columns, labels, depth, first, second, cycles, ticker):
    """Learn until a cycle leaves the error as it is, `cycles` have passed, or ticker[1] is set.

    The first `ALWAYS` pairs a record are read even then, so that a search cut short has a result.

    `labels` (from 0, without gaps) is where the records start, all at the boundary.
    IN/OUT: first, second; pairs that cannot help are taken out. ticker[0] counts cycles.
    Returns int32 labels, the error after each cycle, and how many pairs are left.
    """
    automaton = new_automaton(columns, labels, depth)
    errors = np.empty(smaller(cycles, 64) + 1)
    errors[0] = error_of(automaton)
    length, cycle = first.size, 0
    while cycle < cycles and (ticker[1] == 0 or cycle == 0):
        always = ALWAYS * labels.size if cycle == 0 else 0
        left = learn(automaton, depth, first[:length], second[:length], always, ticker)
        if ticker[1] != 0:  # in the middle of a cycle: what was exchanged stays so
            break
        length = left
        cycle += 1
        if cycle == errors.size:
            errors = np.append(errors, np.empty(errors.size))
        errors[cycle] = error_of(automaton)
        ticker[0] = cycle
        if errors[cycle] >= errors[cycle - 1] * (1 - STAYS):
            break
    return automaton.labels.astype(np.int32), errors[: cycle + 1].copy(), length


@kernel
def new_automaton(columns, labels, depth):
    """Put every record at the boundary of its group."""
    d, n = columns.shape
    starts = np.zeros(labels.max() + 2, dtype=np.int64)
    for row in range(n):
        starts[labels[row] + 1] += 1
    starts = np.cumsum(starts)
    filled, members = starts.copy(), np.empty(n, dtype=np.int64)
    places = np.empty(n, dtype=np.int64)
    for row in range(n):
        places[row] = filled[labels[row]]
        members[places[row]] = row
        filled[labels[row]] += 1
    means = np.empty((starts.size - 1, d))
    states = np.full(n, depth, dtype=np.int64)
    records = np.ascontiguousarray(columns.T)
    automaton = Automaton(records, labels.astype(np.int64), states, places, starts, members, means)
    for group in range(starts.size - 1):
        set_mean(automaton, group)
    return automaton


@kernel
def set_mean(automaton, group):
    """Put the mean of a group in place. IN/OUT: automaton."""
    start, stop = automaton.starts[group], automaton.starts[group + 1]
    for j in range(automaton.records.shape[1]):
        total = 0.0
        for place in range(start, stop):
            total += automaton.records[automaton.members[place], j]
        automaton.means[group, j] = total / (stop - start)


@kernel
def error_of(automaton):
    """Sum of squared distances of the records to the means of their groups."""
    total = 0.0
    for row in range(automaton.labels.size):
        group = automaton.labels[row]
        for j in range(automaton.records.shape[1]):
            t = automaton.records[row, j] - automaton.means[group, j]
            total += t * t
    return total


@kernel
def learn(automaton, depth, first, second, always, ticker):
    """One cycle: read the list once, unless told to stop after `always` pairs. IN/OUT: all arrays.

    Returns the new length of the list.
    """
    labels, states = automaton.labels, automaton.states
    length = 0
    for pair in range(first.size):
        if ticker[1] != 0 and pair >= always:
            break
        i, j = np.int64(first[pair]), np.int64(second[pair])
        helps = True
        if labels[i] == labels[j]:
            states[i] = larger(states[i] - 1, 1)
            states[j] = larger(states[j] - 1, 1)
        elif states[i] < depth and states[j] < depth:
            states[i] += 1
            states[j] += 1
        elif states[i] < depth:
            helps = invite(automaton, depth, i, j)
        elif states[j] < depth:
            helps = invite(automaton, depth, j, i)
        else:
            invite_either(automaton, depth, i, j)
        if helps:
            first[length], second[length] = first[pair], second[pair]
            length += 1
    return length


@kernel
def invite(automaton, depth, host, guest):
    """Exchange `guest` for the best record of the host's group, if the error does not grow."""
    change, leaving = best_exchange(automaton, host, guest)
    if change > 0.0:
        return False
    exchange(automaton, depth, leaving, guest)
    return True


@kernel
def invite_either(automaton, depth, i, j):
    """Bring two records together in the group of one or the other, if the error does not grow."""
    change_i, leaving_i = best_exchange(automaton, i, j)
    change_j, leaving_j = best_exchange(automaton, j, i)
    if change_i <= change_j:
        if change_i <= 0.0:
            exchange(automaton, depth, leaving_i, j)
    elif change_j <= 0.0:
        exchange(automaton, depth, leaving_j, i)


@inlined
def best_exchange(automaton, host, guest):
    """Member of the host's group, not the host, whose exchange for `guest` changes the error least.

    Returns the change and the member; ties go to the place that comes first.
    """
    group = automaton.labels[host]
    best, leaving = FARTHER_THAN_ALL, np.int64(-1)
    for place in range(automaton.starts[group], automaton.starts[group + 1]):
        member = automaton.members[place]
        if member != host:
            change = exchange_change(automaton, member, guest)
            if change < best:
                best, leaving = change, member
    return best, leaving


@inlined
def exchange_change(automaton, row, other):
    """What the exchange of x = `row` and y = `other` adds to the error.

    |x - c_y|^2 - |x - c_x|^2 + |y - c_x|^2 - |y - c_y|^2 - |x - y|^2 (1/n_x + 1/n_y)
    = 2 (x - y)'(c_x - c_y) - |x - y|^2 (1/n_x + 1/n_y).
    """
    here, there = automaton.labels[row], automaton.labels[other]
    cross = between = 0.0
    for j in range(automaton.records.shape[1]):
        t = automaton.records[row, j] - automaton.records[other, j]
        cross += t * (automaton.means[here, j] - automaton.means[there, j])
        between += t * t
    size_here = automaton.starts[here + 1] - automaton.starts[here]
    size_there = automaton.starts[there + 1] - automaton.starts[there]
    return 2.0 * cross - between * (1.0 / size_here + 1.0 / size_there)


@kernel
def exchange(automaton, depth, row, other):
    """Let two records change places, both to the boundary of their new group. IN/OUT: automaton."""
    labels, places = automaton.labels, automaton.places
    automaton.members[places[row]], automaton.members[places[other]] = other, row
    places[row], places[other] = places[other], places[row]
    labels[row], labels[other] = labels[other], labels[row]
    automaton.states[row] = automaton.states[other] = depth
    set_mean(automaton, labels[row])
    set_mean(automaton, labels[other])
