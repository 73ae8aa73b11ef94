"""The point farthest from a mean that moves, by a list sorted when the mean was elsewhere.

A point is at most as far from the mean now as it was from the mean then, plus the way the mean
has gone. So the list, farthest first, is read only until that is less than the best found. It holds
the outer part of the points; it is made anew when it ends or when reading it has cost as much.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.order import stable_order
from microagg.kernels.space.leaves import select
from microagg.kernels.space.outermost import ROUNDING, UNDERFLOW, square

SHARE = 8
"""The list holds one of so many points left."""

FEWEST = 64
"""And so many at least."""

TIED = 1e-9
"""Squared distances that differ by less, as a share, are taken for ties: then the list holds all."""


class Rim(NamedTuple):
    """The outer points, farthest first.

    Attributes
    ----------
    items : int32[m], radii : float64[m]
        The points and their distances to the mean at the time.
    centre : float64[d]
        That mean.
    state : int64[4]
        Where the list starts, where it ends, how many have been read since it was made, and
        whether it holds all points there were.
    """

    items: np.ndarray
    radii: np.ndarray
    centre: np.ndarray
    state: np.ndarray


@kernel
def new_rim(n, d):
    """Return an empty list for n points of d attributes."""
    state = np.zeros(4, dtype=np.int64)
    return Rim(np.empty(n, dtype=np.int32), np.empty(n), np.empty(d), state)


@borrowing
def farthest_on_rim(rim, tree, mean):
    """Row left in the tree that is farthest from `mean`; ties to the lowest. IN/OUT: rim."""
    row = np.int64(-1)
    for attempt in range(3):
        if attempt > 0 or rim.state[2] > tree.sizes[2]:
            # radii may be as small as underflow: only the list of all points can tell then
            sort_again(rim, tree, mean, SHARE if attempt < 2 else 1)
        row = read(rim, tree, mean)
        if row >= 0:
            break
    return row


@kernel
def sort_again(rim, tree, mean, share):
    """Make the list anew about `mean`, of one of `share` points left. OUT: rim."""
    points, left = tree.points, tree.sizes[2]
    keys, items = np.empty(left), np.empty(left, dtype=np.int32)
    count = 0
    for item in range(points.shape[0]):
        if tree.slots[item] >= 0:
            items[count] = item
            keys[count] = -square(points, item, mean)
            count += 1
    top = smaller(left, larger(FEWEST, left // share))
    if top < left:
        select(keys, items, top)
        if keys[:top].max() <= keys[:top].min() * (1 - TIED):  # ties may go on behind the list
            top = left
    order = stable_order(keys[:top], 1.0)
    for i in range(top):
        rim.items[i] = items[order[i]]
        rim.radii[i] = np.sqrt(-keys[order[i]])
    rim.centre[:] = mean
    rim.state[0], rim.state[1], rim.state[2], rim.state[3] = 0, top, 0, top == left


@inlined
def read(rim, tree, mean):
    """Read the list from its start; -1 where it ends too early to tell. IN/OUT: rim."""
    points, slots, heads = tree.points, tree.slots, tree.heads
    start, stop = rim.state[0], rim.state[1]
    while start < stop and slots[rim.items[start]] < 0:
        start += 1
    way = 0.0
    for j in range(mean.size):
        t = mean[j] - rim.centre[j]
        way += t * t
    way = np.sqrt(way)
    slack = 1 + (mean.size + 8) * ROUNDING
    best, best_row, radius, at, enough = -1.0, np.int64(-1), 0.0, start, False
    while at < stop and not enough:
        item = rim.items[at]
        if (rim.radii[at] + way) * slack + UNDERFLOW < radius:
            enough = True
        elif slots[item] >= 0:
            distance = square(points, item, mean)
            if distance > best or (distance == best and heads[item] < best_row):
                best, best_row, radius = distance, np.int64(heads[item]), np.sqrt(distance)
        at += 1
    rim.state[0] = start
    rim.state[2] += at - start
    return best_row if enough or rim.state[3] else np.int64(-1)
