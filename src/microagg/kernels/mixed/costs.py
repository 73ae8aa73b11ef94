"""What a group of mixed records loses after a change, computed from what `State` keeps of it."""

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, inlined
from microagg.kernels.mixed.objective import listed_loss, with_blanks


@inlined
def cost_after(objective, state, group, out, into):
    """Return the loss of a group without the record `out` and with the record `into`; -1 is none."""
    lost = numbers_after(objective, state, group, out, into)
    lost += modes_after(objective, state, group, out, into)
    if objective.listed.shape[1] > 0:
        lost += listed_after(objective, state, group, out, into)
    return lost


@borrowing
def cost_with(objective, state, group, into):
    """`cost_after` with one more record, for callers to which a call is cheap: it is compiled once."""
    return cost_after(objective, state, group, -1, into)


@borrowing
def cheapest_to_join(objective, state, row, groups, fewest, cap, least):
    """Return which group of `fewest` to cap-1 records loses least by one more, and how much.

    -1 in `groups` is none, and so is it where there is no such group. Of equals, the first counts.
    """
    best, best_cost = np.int64(-1), 0.0
    for group in groups:
        if group >= 0 and fewest <= state.sizes[group] < cap:
            cost = cost_with(objective, state, group, row) - state.costs[group]
            if best < 0 or cost < best_cost - least:
                best, best_cost = group, cost
    return best, best_cost


@inlined
def finished(objective, state, group, column, lost, out, into):
    """Return the loss of a column with a blank somewhere, from that of its values after a change."""
    count, mass, whole = state.lacking[group, column]
    present = state.sizes[group] - np.int64(count)
    if out >= 0:
        if objective.blank[out, column]:
            mass -= objective.weights[out]
            count -= 1.0
        else:
            present -= 1
            if objective.keeps:
                whole -= objective.whole[out, column]
    if into >= 0:
        if objective.blank[into, column]:
            mass += objective.weights[into]
            count += 1.0
        else:
            present += 1
            if objective.keeps:
                whole += objective.whole[into, column]
    return with_blanks(objective, column, lost, present, mass if count > 0.0 else 0.0, whole)


@inlined
def numbers_after(objective, state, group, out, into):
    """`cost_after` of the columns of means."""
    lost = 0.0
    for j in range(objective.numbers.shape[1]):
        first, second, mass = state.totals[group, j]
        gaps = objective.gaps[j]
        if out >= 0 and not (gaps and objective.blank[out, j]):
            weight, value = objective.weights[out], objective.numbers[out, j]
            first -= weight * value
            second -= weight * value * value
            mass -= weight
        if into >= 0 and not (gaps and objective.blank[into, j]):
            weight, value = objective.weights[into], objective.numbers[into, j]
            first += weight * value
            second += weight * value * value
            mass += weight
        own = larger(second - first * first / mass, 0.0) if mass > 0.0 else 0.0
        lost += finished(objective, state, group, j, own, out, into) if gaps else own
    return lost


@inlined
def modes_after(objective, state, group, out, into):
    """`cost_after` of the columns of modes."""
    lost, a = 0.0, objective.numbers.shape[1]
    for j in range(objective.codes.shape[1]):
        gaps = objective.gaps[a + j]
        top, code, following = state.tops[group, j]
        mass = state.masses[group] - (state.lacking[group, a + j, 1] if gaps else 0.0)
        left = np.int32(-1)
        if out >= 0 and not (gaps and objective.blank[out, a + j]):
            left = objective.codes[out, j]
            mass -= objective.weights[out]
            if left == code:
                top = larger(top - objective.weights[out], following)
        if into >= 0 and not (gaps and objective.blank[into, a + j]):
            joined = objective.codes[into, j]
            mass += objective.weights[into]
            own = objective.weights[into] - (objective.weights[out] if joined == left else 0.0)
            if joined == code:
                top = larger(top, own + state.tops[group, j, 0])
            elif following + objective.weights[into] > top:  # or else it cannot become the mode
                for place in range(state.sizes[group]):
                    if state.codes[group, j, place] == joined:
                        own += objective.weights[state.members[group, place]]
                top = larger(top, own)
        own = objective.strengths[j] * (mass - top)
        lost += finished(objective, state, group, a + j, own, out, into) if gaps else own
    return lost


@borrowing
def listed_after(objective, state, group, out, into):
    """`cost_after` of the listed columns: long, so it is compiled once and not into each caller."""
    lost = 0.0
    before = objective.numbers.shape[1] + objective.codes.shape[1]
    for j in range(objective.listed.shape[1]):
        gaps = objective.gaps[before + j]
        leaves = out >= 0 and not (gaps and objective.blank[out, before + j])
        joins = into >= 0 and not (gaps and objective.blank[into, before + j])
        count = changed_values(
            objective, state, group, j, out if leaves else -1, into if joins else -1
        )
        own = 0.0
        if count > 0:
            own = listed_loss(objective, j, state.room[0, :count], state.room[1, :count])
        lost += finished(objective, state, group, before + j, own, out, into) if gaps else own
    return lost


@inlined
def changed_values(objective, state, group, column, out, into):
    """Write the values of a listed column after a change, in order; returns how many. OUT: state.room."""
    values, weights = state.values[group, column], state.value_weights[group, column]
    new, masses = state.room[0], state.room[1]
    waiting, leaving, count = into >= 0, out >= 0, 0
    for i in range(state.counts[group, column]):
        value = values[i]
        if waiting and objective.listed[into, column] < value:
            new[count], masses[count] = objective.listed[into, column], objective.weights[into]
            count, waiting = count + 1, False
        if (
            leaving
            and value == objective.listed[out, column]
            and weights[i] == objective.weights[out]
        ):
            leaving = False
            continue
        new[count], masses[count] = value, weights[i]
        count += 1
    if waiting:
        new[count], masses[count] = objective.listed[into, column], objective.weights[into]
        count += 1
    return count
