"""The groups of a search: members and means by slot, and which slots are near each other."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.lns.local import first_least
from microagg.kernels.space.outermost import square
from microagg.kernels.space.scan import FARTHER_THAN_ALL, insert
from microagg.kernels.space.search import nearest_points
from microagg.kernels.space.tree import new_tree, remove_point
from microagg.kernels.splitmix import uniform


class Slots(NamedTuple):
    """Groups of k to 2k-1 records; a slot of size 0 holds none.

    Attributes
    ----------
    points : float64[n, d]
        The records, one after the other.
    labels : int32[n]
        The slot of each record.
    members : int32[slots, 2k-1]
        The records of each slot.
    sizes : int64[slots]
        Number of members.
    means : float64[slots, d]
        Mean of the members.
    near : int64[slots, width]
        Slots whose means were nearest when last looked; -1 where there are fewer.
    free : int64[slots], n_free : int64[1]
        Slots that hold no group, as a stack.
    """

    points: np.ndarray
    labels: np.ndarray
    members: np.ndarray
    sizes: np.ndarray
    means: np.ndarray
    near: np.ndarray
    free: np.ndarray
    n_free: np.ndarray


@kernel
def new_slots(points, labels, k, width):
    """Return the groups of `labels`, int32[n] from 0, with room for as many as there can be."""
    n, d = points.shape
    count = larger(n // k, 1)
    slots = Slots(
        points,
        labels.copy(),
        np.full((count, 2 * k - 1), -1, dtype=np.int32),
        np.zeros(count, dtype=np.int64),
        np.zeros((count, d)),
        np.full((count, smaller(width, count)), -1, dtype=np.int64),
        np.empty(count, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    for row in range(n):
        slot = labels[row]
        slots.members[slot, slots.sizes[slot]] = row
        slots.sizes[slot] += 1
    for slot in range(count - 1, -1, -1):
        if slots.sizes[slot] == 0:
            slots.free[slots.n_free[0]] = slot
            slots.n_free[0] += 1
        else:
            average(slots, slot)
    return slots


@inlined
def average(slots, slot):
    """Compute the mean of a slot's members. IN/OUT: slots."""
    size, d = slots.sizes[slot], slots.means.shape[1]
    for c in range(d):
        slots.means[slot, c] = 0.0
    for i in range(size):
        row = slots.members[slot, i]
        for c in range(d):
            slots.means[slot, c] += slots.points[row, c]
    for c in range(d):
        slots.means[slot, c] /= size


@kernel
def look_around(slots, index):
    """Find the near slots of every slot that holds a group. IN/OUT: slots."""
    if index is None:
        scan_around(slots)
    else:
        search_around(slots)


@kernel
def scan_around(slots):
    """Find the near slots of every slot that holds a group, by looking at all. IN/OUT: slots."""
    count, width = slots.near.shape
    gaps = np.empty(width)
    for slot in range(count):
        if slots.sizes[slot] == 0:
            continue
        near = slots.near[slot]
        gaps[:] = FARTHER_THAN_ALL
        near[:] = -1
        for other in range(count):
            if slots.sizes[other] > 0 and other != slot:
                distance = square(slots.means, other, slots.means[slot])
                if distance <= gaps[width - 1]:
                    insert(distance, other, gaps, near)


@kernel
def search_around(slots):
    """As `scan_around`, on a spatial index. IN/OUT: slots."""
    tree = new_tree(slots.means)
    count, width = slots.near.shape
    for slot in range(count):
        if slots.sizes[slot] == 0:
            remove_point(tree, slot)
    gaps = np.empty(width)
    for slot in range(count):
        if slots.sizes[slot] > 0:
            nearest_points(tree, slots.means[slot], slot, FARTHER_THAN_ALL, gaps, slots.near[slot])


@kernel
def choose(slots, row, wanted, chosen, stream):
    """Choose a record's own slot and up to wanted-1 near ones, mostly those nearest to the record.

    Distances are lengthened by up to their double, as drawn, so that the same record does not always
    get the same groups. Returns how many were chosen. OUT: chosen; IN/OUT: stream.
    """
    own, width = slots.labels[row], slots.near.shape[1]
    gaps = np.full(width, FARTHER_THAN_ALL)
    for i in range(width):
        slot = slots.near[own, i]
        if slot >= 0 and slots.sizes[slot] > 0:
            gaps[i] = gap(slots, row, slot) * (1.0 + uniform(stream))
    chosen[0] = own
    q = 1
    while q < wanted:
        at = first_least(gaps, width)
        if gaps[at] == FARTHER_THAN_ALL:
            break
        gaps[at] = FARTHER_THAN_ALL
        if not is_among(chosen, q, slots.near[own, at]):  # lists can name a slot twice once moved
            chosen[q] = slots.near[own, at]
            q += 1
    return q


@inlined
def is_among(chosen, q, slot):
    """Tell whether a slot is one of the first q chosen."""
    for i in range(q):
        if chosen[i] == slot:
            return True
    return False


@inlined
def gap(slots, row, slot):
    """Squared distance of a record and the mean of a slot."""
    total = 0.0
    for c in range(slots.means.shape[1]):
        t = slots.points[row, c] - slots.means[slot, c]
        total += t * t
    return total


@inlined
def gather(slots, chosen, q, local):
    """Write the records of the first q slots chosen; returns how many. IN/OUT: local."""
    m = 0
    for group in range(q):
        slot = chosen[group]
        for i in range(slots.sizes[slot]):
            local.rows[m] = slots.members[slot, i]
            local.before[m] = group
            m += 1
    return m


@kernel
def put_back(slots, chosen, q, local, m, g):
    """Replace the groups of the first q slots chosen by the g rebuilt ones. IN/OUT: slots, chosen.

    A group more than before takes a free slot, with the near slots of the first one chosen.
    """
    for group in range(q, g):
        slots.n_free[0] -= 1
        chosen[group] = slots.free[slots.n_free[0]]
        last = slots.near.shape[1] - 1
        for i in range(last):
            slots.near[chosen[group], i] = slots.near[chosen[0], i]
        slots.near[chosen[group], last] = chosen[0]
    for group in range(larger(q, g)):
        slots.sizes[chosen[group]] = 0
    for i in range(m):
        slot = chosen[local.labels[i]]
        slots.labels[local.rows[i]] = slot
        slots.members[slot, slots.sizes[slot]] = local.rows[i]
        slots.sizes[slot] += 1
    for group in range(g):
        average(slots, chosen[group])
    for group in range(g, q):
        slots.free[slots.n_free[0]] = chosen[group]
        slots.n_free[0] += 1
