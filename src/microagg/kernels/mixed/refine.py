"""Refinements of groups of mixed records: one kernel for all, since nearly all of it is the same."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.mixed.decompose import give_up_groups, shrink
from microagg.kernels.mixed.near import near_groups
from microagg.kernels.mixed.split import split_large
from microagg.kernels.mixed.state import grouped
from microagg.kernels.mixed.swap_shift import ROUNDING, descend, scatter

ROUNDS = 25
"""How often groups are decomposed and shrunk in turn, at most."""


class Steps(NamedTuple):
    """What a refinement does with groups.

    Attributes
    ----------
    gives_up, by_loss, shrinks : bool
        Whether it dissolves groups, by falling loss instead of by number, and whether it shrinks large ones
        in turn with that.
    exchanges : bool
        Whether it moves and exchanges single records.
    """

    gives_up: bool
    by_loss: bool
    shrinks: bool
    exchanges: bool


@kernel
def refine_mixed(mix, objective, labels, other, classes, k, steps, width, ticker):
    """Refine groups as `steps` say.

    It starts from `labels`, or from the labels `other`, whose groups of fewer than k records are scattered
    first, if that loses less. Where there are `classes`, int64[n], only records of the same class change
    places, and groups keep their sizes. Returns the labels at the end, or `labels` if these lose less:
    splitting a group can add to the loss where the representative is not the one that loses least.
    """
    room = 4 * k - 1 if steps.gives_up else 2 * k - 1
    state = grouped(objective, labels, k if classes.size == 0 else labels.size, room)
    before, members, sizes = np.sum(state.costs), state.members, state.sizes
    if other.size > 0:
        start = grouped(objective, other, k, room)
        whole, whole_sizes = start.members.copy(), start.sizes.copy()
        near = near_groups(mix, whole, whole_sizes, k, width, ticker)
        if scatter(objective, start, near, k) and np.sum(start.costs) < before:
            state, members, sizes = start, whole, whole_sizes
    near = near_groups(mix, members, sizes, labels.size + 1, width, ticker)
    if steps.gives_up:
        decompose(mix, objective, state, near, k, steps, ticker)
    if steps.exchanges:
        descend(objective, state, near, classes, k, ticker)
    return state.labels if np.sum(state.costs) <= before else labels


@kernel
def decompose(mix, objective, state, near, k, steps, ticker):
    """Give up groups and split large ones, once or in turn with shrinking until neither changes anything.

    IN/OUT: state.
    """
    least = ROUNDING * np.sum(state.costs) / state.labels.size
    again, rounds = True, 0
    while again:
        changes = give_up_groups(objective, state, near, steps.by_loss, least, ticker)
        split_large(objective, state, k)
        if steps.shrinks:
            changes += shrink(objective, state, near, k, least, ticker)
            split_large(objective, state, k)
        rounds += 1
        again = steps.shrinks and changes > 0 and rounds < ROUNDS and ticker[1] == 0
        if again:
            limit, width = state.labels.size + 1, near.shape[1]
            near = near_groups(mix, state.members, state.sizes, limit, width, ticker)
