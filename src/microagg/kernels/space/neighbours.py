"""Each record's neighbourhood, itself and its k-1 nearest, while records leave.

Every record keeps a list of its nearest with some to spare, and each record knows whose
neighbourhoods it is in: when it leaves, those and no others are looked at again.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import smaller
from microagg.kernels.jit import kernel
from microagg.kernels.space.records import coordinates, nearest

SPARE = 3
"""Neighbours kept beyond the k-1 needed, as a multiple of k: spares a new search for most."""


class Neighbours(NamedTuple):
    """Neighbourhoods of the records left.

    Attributes
    ----------
    near : int64[n, width]
        The nearest of each record when it last looked, nearest first; -1 where there are fewer.
    slots : int64[n, k-1]
        The k-1 nearest that are left, in no order; -1 where one has gone.
    first : int64[n], following : int64[n * (k-1)]
        The slots that hold each record, as linked lists; -1 ends them.
    """

    near: np.ndarray
    slots: np.ndarray
    first: np.ndarray
    following: np.ndarray


@kernel
def new_neighbours(n, k):
    """Return neighbourhoods of n records that have yet to look."""
    near = np.full((n, smaller(n - 1, k - 1 + SPARE * k)), -1, dtype=np.int64)
    slots = np.full((n, k - 1), -1, dtype=np.int64)
    first = np.full(n, -1, dtype=np.int64)
    return Neighbours(near, slots, first, np.full(n * (k - 1), -1, dtype=np.int64))


@kernel
def neighbourhood(neighbours, records, row, labels):
    """Rows of a record's neighbourhood, itself first, brought up to date. IN/OUT: neighbours."""
    size = neighbours.slots.shape[1]
    members = np.empty(size + 1, dtype=np.int64)
    members[0] = row
    if ungrouped(neighbours.near[row], labels, members) < size:
        look(neighbours.near[row], records, row)
        ungrouped(neighbours.near[row], labels, members)
    last = size  # those that stayed come first in `members`: they are nearer than the new ones
    for s in range(size):
        if neighbours.slots[row, s] < 0:
            other, slot = members[last], row * size + s
            neighbours.slots[row, s] = other
            neighbours.following[slot] = neighbours.first[other]
            neighbours.first[other] = slot
            last -= 1
    return members


@kernel
def ungrouped(near, labels, members):
    """Write the nearest without a group behind members[0]; returns how many. OUT: members."""
    count = 0
    for other in near:
        if count == members.size - 1 or other < 0:
            break
        if labels[other] < 0:
            count += 1
            members[count] = other
    return count


@kernel
def look(near, records, row):
    """Find the records left that are nearest to `row`, which is one of them. OUT: near."""
    point = np.empty(records.total.size)
    coordinates(records, row, point)
    rows = np.empty(near.size + 1, dtype=np.int64)
    nearest(records, point, np.empty(rows.size), rows)
    count = 0
    for other in rows:
        if other != row and count < near.size:
            near[count] = other
            count += 1


@kernel
def leave(neighbours, row, labels, stale, n_stale):
    """Give up a record that has been grouped; write whose neighbourhoods it was in.

    Returns how many stand in `stale` now: each record left that has to be looked at again, once.
    IN/OUT: neighbours, stale.
    """
    size = neighbours.slots.shape[1]
    slot = neighbours.first[row]
    while slot >= 0:
        owner = slot // size
        if labels[owner] < 0:
            vacant = False
            for s in range(size):
                vacant |= neighbours.slots[owner, s] < 0
            if not vacant:
                stale[n_stale] = owner
                n_stale += 1
        neighbours.slots[owner, slot - owner * size] = -1
        slot = neighbours.following[slot]
    return n_stale
