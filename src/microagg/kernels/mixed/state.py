"""Groups of mixed records while they change, with the loss that each reports."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.mixed.costs import cost_after, cost_with

CLOSE = 2
"""A record changes places with one of so many near groups: those that it would cost least to join."""


class State(NamedTuple):
    """Groups of up to `cap` records.

    Attributes
    ----------
    labels, places : int64[n]
        The group of each record, and its place among the members.
    members : int64[g, cap], sizes : int64[g]
        The records of each group; there are none where it is gone.
    masses : float64[g], costs : float64[g], gains : float64[n]
        The weight and the loss of each group, and what the loss of its group falls by without a record.
    totals : float64[g, a, 3]
        Of each number its sum, its sum of squares and the weight of the records that have it.
    codes : int32[g, c, cap]
        The category of each member, -1 where blank.
    tops : float64[g, c, 3]
        The weight of the mode, its code, and the weight of the next category.
    values, value_weights : float64[g, s, cap], counts : int64[g, s]
        The values of listed columns in order.
    lacking : float64[g, a + c + s, 3]
        How many records lack a value, their weight, and what the column loses as missing.
    room : float64[2, cap + 1], tally : float64[slots]
        Room to work in; the tally is all zeros between calls.
    close : int64[CLOSE], joining : float64[CLOSE]
        Room for the groups that a record would cost least to join, and what it would cost.
    """

    labels: np.ndarray
    places: np.ndarray
    members: np.ndarray
    sizes: np.ndarray
    masses: np.ndarray
    costs: np.ndarray
    gains: np.ndarray
    totals: np.ndarray
    codes: np.ndarray
    tops: np.ndarray
    values: np.ndarray
    value_weights: np.ndarray
    counts: np.ndarray
    lacking: np.ndarray
    room: np.ndarray
    tally: np.ndarray
    close: np.ndarray
    joining: np.ndarray


@kernel
def new_state(objective, labels, n_groups, cap):
    """Return the groups of some labels, with room for `n_groups` of `cap` records."""
    n, a = objective.numbers.shape
    c, s = objective.codes.shape[1], objective.listed.shape[1]
    state = State(
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty((n_groups, cap), dtype=np.int64),
        np.zeros(n_groups, dtype=np.int64),
        np.empty(n_groups),
        np.empty(n_groups),
        np.empty(n),
        np.empty((n_groups, a, 3)),
        np.empty((n_groups, c, cap), dtype=np.int32),
        np.empty((n_groups, c, 3)),
        np.empty((n_groups, s, cap)),
        np.empty((n_groups, s, cap)),
        np.empty((n_groups, s), dtype=np.int64),
        np.empty((n_groups, a + c + s, 3)),
        np.empty((2, cap + 1)),
        np.zeros(objective.slots),
        np.empty(CLOSE, dtype=np.int64),
        np.empty(CLOSE),
    )
    state.members[:] = -1
    for row in range(n):
        group = labels[row]
        state.members[group, state.sizes[group]] = row
        state.sizes[group] += 1
    for group in range(n_groups):  # sets all that is kept of a group, be it empty
        rebuild(objective, state, group)
    return state


@kernel
def grouped(objective, labels, k, room):
    """Return the groups of some labels, with room for so many records and for as many groups of k."""
    sizes = np.zeros(labels.size, dtype=np.int64)
    n_groups = labels.size // k
    for label in labels:
        sizes[label] += 1
        n_groups, room = larger(n_groups, label + 1), larger(room, sizes[label])
    return new_state(objective, labels, n_groups, room)


@borrowing
def rebuild(objective, state, group):
    """Compute all that is kept of a group from its members. IN/OUT: state."""
    summarise(objective, state, group)
    for place in range(state.sizes[group]):
        row = state.members[group, place]
        state.gains[row] = state.costs[group] - cost_after(objective, state, group, row, -1)


@borrowing
def summarise(objective, state, group):
    """Compute all that is kept of a group but the gains of its members. IN/OUT: state."""
    members = state.members[group, : state.sizes[group]]
    state.masses[group] = 0.0
    state.lacking[group] = 0.0
    for place in range(members.size):
        row = members[place]
        state.labels[row], state.places[row] = group, place
        state.masses[group] += objective.weights[row]
    note_blanks(objective, state, group, members)
    sum_numbers(objective, state, group, members)
    find_modes(objective, state, group, members)
    list_values(objective, state, group, members)
    state.costs[group] = cost_with(objective, state, group, -1)


@borrowing
def note_blanks(objective, state, group, members):
    """Note what the members lack. IN/OUT: state.lacking, zeros before."""
    lacking = state.lacking[group]
    for column in range(objective.gaps.size):
        if objective.gaps[column]:
            for row in members:
                if objective.blank[row, column]:
                    lacking[column, 0] += 1.0
                    lacking[column, 1] += objective.weights[row]
                elif objective.keeps:
                    lacking[column, 2] += objective.whole[row, column]


@borrowing
def sum_numbers(objective, state, group, members):
    """Sum up the numbers of the members. OUT: state.totals."""
    totals = state.totals[group]
    for j in range(totals.shape[0]):
        first = second = mass = 0.0
        for row in members:
            if not objective.gaps[j] or not objective.blank[row, j]:
                weight, value = objective.weights[row], objective.numbers[row, j]
                first += weight * value
                second += weight * value * value
                mass += weight
        totals[j, 0], totals[j, 1], totals[j, 2] = first, second, mass


@borrowing
def find_modes(objective, state, group, members):
    """Find the modes of the members' categories. OUT: state.codes, state.tops."""
    a = objective.numbers.shape[1]
    for j in range(objective.codes.shape[1]):
        codes, top = state.codes[group, j], state.tops[group, j]
        for place in range(members.size):
            row = members[place]
            code = np.int64(objective.codes[row, j])
            if objective.gaps[a + j] and objective.blank[row, a + j]:
                code = np.int64(-1)
            codes[place] = code
            if code >= 0:
                state.tally[code] += objective.weights[row]
        top[0], top[1], top[2] = 0.0, -1.0, 0.0
        for place in range(members.size):
            code = np.int64(codes[place])
            if code >= 0 and state.tally[code] > 0.0:
                mass, first = state.tally[code], np.int64(top[1])
                state.tally[code] = 0.0
                if mass > top[0] or (mass == top[0] and code < first):
                    top[0], top[1], top[2] = mass, np.float64(code), top[0]
                elif mass > top[2]:
                    top[2] = mass


@borrowing
def list_values(objective, state, group, members):
    """Put the members' values of listed columns in order. OUT: state.values and their weights."""
    before = objective.numbers.shape[1] + objective.codes.shape[1]
    for j in range(objective.listed.shape[1]):
        values, weights = state.values[group, j], state.value_weights[group, j]
        count = 0
        for row in members:
            if not objective.gaps[before + j] or not objective.blank[row, before + j]:
                value = objective.listed[row, j]
                place = count
                while place > 0 and values[place - 1] > value:
                    values[place], weights[place] = values[place - 1], weights[place - 1]
                    place -= 1
                values[place], weights[place] = value, objective.weights[row]
                count += 1
        state.counts[group, j] = count


@borrowing
def shift(objective, state, row, target):
    """Move a record to another group. IN/OUT: state."""
    take_out(state, row)
    put_in(state.members, state.sizes, row, target)
    for group in (state.labels[row], target):
        rebuild(objective, state, group)


@borrowing
def swap(objective, state, row, other):
    """Exchange two records of different groups. IN/OUT: state."""
    group, target = state.labels[row], state.labels[other]
    state.members[group, state.places[row]] = other
    state.members[target, state.places[other]] = row
    rebuild(objective, state, group)
    rebuild(objective, state, target)


@inlined
def take_out(state, row):
    """Take a record out of the members of its group; the last one takes its place. IN/OUT: state."""
    group, place = state.labels[row], state.places[row]
    last = state.sizes[group] - 1
    moved = state.members[group, last]
    state.members[group, place], state.places[moved] = moved, place
    state.members[group, last] = -1
    state.sizes[group] = last


@inlined
def put_in(members, sizes, row, target):
    """Add a record to the members of a group. IN/OUT: members, sizes."""
    members[target, sizes[target]] = row
    sizes[target] += 1
