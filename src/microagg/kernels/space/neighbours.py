"""The neighbourhood of each record, itself and its k-1 nearest, while records leave.

Every record has a list of its nearest records, with some to spare, and a list of the neighbourhoods that
contain it. When it leaves, only those are updated.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import smaller
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.space.ahead import ahead_of_lists
from microagg.kernels.space.index import index_of
from microagg.kernels.space.records import list_nearest

LISTED = 4
"""The length of a list as a multiple of k: the spare rows save most records a second search."""

STRETCH = 4096
"""The number of lists that are made between two checks of whether to stop."""


class Neighbours(NamedTuple):
    """Neighbourhoods of the records left.

    Attributes
    ----------
    near : int64[n, width]
        The records nearest to each when it was last searched for, nearest first, including itself; -1
        if there are fewer.
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
def index_of_neighbours(columns, k, threads):
    """Return an index of all records in which several threads search for neighbours."""
    return index_of(columns, ahead_of_lists(smaller(columns.shape[1], LISTED * k), threads))


@kernel
def new_neighbours(n, k):
    """Return neighbourhoods of n records, all still empty."""
    near = np.full((n, smaller(n, LISTED * k)), -1, dtype=np.int64)
    slots = np.full((n, k - 1), -1, dtype=np.int64)
    first = np.full(n, -1, dtype=np.int64)
    return Neighbours(near, slots, first, np.full(n * (k - 1), -1, dtype=np.int64))


@kernel
def look(neighbours, records, rows, ticker):
    """Search for the lists of some rows. IN/OUT: neighbours.

    Returns whether all were found: it stops early when ticker[1] is set.
    """
    for start in range(0, rows.size, STRETCH):
        if ticker[1] != 0:
            return False
        list_nearest(records, rows[start : smaller(start + STRETCH, rows.size)], neighbours.near)
    return ticker[1] == 0


@borrowing
def neighbourhood(neighbours, row, labels, members):
    """Write the neighbourhood of a record, itself first; return whether its list is long enough.

    IN/OUT: neighbours; OUT: members.
    """
    size = neighbours.slots.shape[1]
    members[0] = row
    if ungrouped(neighbours.near[row], row, labels, members) < size:
        return False
    last = size  # those that stayed come first in `members`: they are nearer than the new ones
    for s in range(size):
        if neighbours.slots[row, s] < 0:
            other, slot = members[last], row * size + s
            neighbours.slots[row, s] = other
            neighbours.following[slot] = neighbours.first[other]
            neighbours.first[other] = slot
            last -= 1
    return True


@borrowing
def ungrouped(near, row, labels, members):
    """Write the nearest of a row without a group behind members[0]; returns how many. OUT: members."""
    count = 0
    for other in near:
        if count == members.size - 1 or other < 0:
            break
        if labels[other] < 0 and other != row:
            count += 1
            members[count] = other
    return count


@borrowing
def leave(neighbours, row, labels, stale, n_stale):
    """Remove a record that has been grouped from all neighbourhoods.

    Each record left whose neighbourhood has become incomplete is appended to `stale` once. Returns the
    number of records in `stale`. IN/OUT: neighbours, stale.
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
