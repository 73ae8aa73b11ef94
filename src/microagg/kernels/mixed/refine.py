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
def refine_mixed(mix, objective, labels, equal, k, steps, width, ticker):
    """Refine groups as `steps` say.

    It starts from `labels`, or from `equal`, whose groups of fewer than k records are scattered first,
    if that loses less. Returns the labels at the end, or `labels` if these lose less: splitting a group can
    add to the loss where the representative is not the one that loses least.
    """
    room = 4 * k - 1 if steps.gives_up else 2 * k - 1
    start = grouped(objective, labels, k, room)
    before = np.sum(start.costs)
    state = grouped(objective, equal, k, room)
    near = near_groups(mix, state.members, state.sizes, width, ticker)
    placed = scatter(objective, state, near, k)
    if not placed or before <= np.sum(state.costs):
        state = start
        near = near_groups(mix, state.members, state.sizes, width, ticker)
    if steps.gives_up:
        decompose(mix, objective, state, near, k, steps, ticker)
    if steps.exchanges:
        descend(objective, state, near, k, ticker)
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
            near = near_groups(mix, state.members, state.sizes, near.shape[1], ticker)
