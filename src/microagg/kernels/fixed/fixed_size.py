"""Fixed-size groups: a seed rule x a growth rule x a leftovers rule, each written once."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.space.records import (
    centroid,
    compact,
    coordinates,
    farthest,
    farthest_from_mean,
    look_ahead,
    look_ahead_opposite,
    nearest,
    recall,
    recall_farthest,
    recall_member,
    remove,
    rows_left,
)
from microagg.kernels.space.scan import FARTHER_THAN_ALL

GROWTH = {"nn": 0, "nc": 1}
LEFTOVERS = {"group": 0, "nearest": 1}


class Group(NamedTuple):
    """Room for a group that is being formed, so that forming it makes no arrays.

    Attributes
    ----------
    members : int64[k-1], distances : float64[k-1]
        The records that join the seed, and how far away they are.
    point, total, mean : float64[d]
        A record, and the sum and the mean of the group.
    """

    members: np.ndarray
    distances: np.ndarray
    point: np.ndarray
    total: np.ndarray
    mean: np.ndarray


@kernel
def new_group(d, k):
    """Return room for a group of k records of d attributes."""
    members = np.empty(k - 1, dtype=np.int64)
    return Group(members, np.empty(k - 1), np.empty(d), np.empty(d), np.empty(d))


@borrowing
def grow(records, seed, label, growth, labels, group):
    """Form a group of `seed` and the records left that fill `group`, and take them out.

    Returns the row of the record left that is farthest from the seed, or -1 where the growth did
    not come to know it. IN/OUT: records, labels; OUT: group.
    """
    labels[seed] = label
    remove(records, seed)
    if growth == 0:
        return take_nearest(records, seed, label, labels, group)
    grow_nearest_to_centroid(records, seed, label, labels, group)
    return np.int64(-1)


@inlined
def take_nearest(records, seed, label, labels, group):
    """NN: group the records nearest to the seed; returns as `grow`. OUT: group; IN/OUT: the rest."""
    opposite, members = np.int64(-1), group.members
    if not recall(records, seed, labels, members):
        coordinates(records, seed, group.point)
        opposite = nearest(records, group.point, group.distances, members)
    for i in range(members.size):
        labels[members[i]] = label
        remove(records, members[i])
        if members[i] == opposite:  # all distances are equal: the farthest joined the group
            opposite = np.int64(-1)
    return opposite


@inlined
def grow_nearest_to_centroid(records, seed, label, labels, group):
    """NC: one by one, the record nearest to the group's running mean. IN/OUT: records, labels."""
    total, mean, point, members = group.total, group.mean, group.point, group.members
    coordinates(records, seed, total)
    foreseen = True
    for size in range(1, members.size + 1):
        for j in range(mean.size):
            mean[j] = total[j] / size
        if foreseen:
            members[0] = recall_member(records, seed, size - 1, labels)
            foreseen = members[0] >= 0
        if not foreseen:
            nearest(records, mean, group.distances[:1], members[:1])
        coordinates(records, members[0], point)
        for j in range(mean.size):
            total[j] += point[j]
        labels[members[0]] = label
        remove(records, members[0])


@kernel
def centroid_seeded(records, columns, k, opposite, growth, leftovers, ticker):
    """Groups seeded by the record farthest from the centroid of what is left.

    `records` keeps all records of `columns`. With `opposite` (MDAV) a second group follows around
    the record farthest from that seed.
    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    Returns int32[n] labels in the order the groups were formed.
    """
    d, n = columns.shape
    labels = np.full(n, -1, dtype=np.int32)
    point, group, label = np.empty(d), new_group(d, k), 0
    seed, farthest_row, second = np.int64(-1), np.int64(-1), False
    enough = 2 * k if leftovers == 0 else k
    while records.left[0] >= enough and ticker[1] == 0:
        if second:
            seed = opposite_seed(records, seed, farthest_row, labels, point)
            look_ahead_opposite(records, seed, k, growth, labels)
        else:
            compact(records)
            centroid(records, point)
            seed = farthest_from_mean(records, point)
            look_ahead(records, seed, k, growth, opposite, labels)
        farthest_row = grow(records, seed, label, growth, labels, group)
        label += 1
        second = opposite and not second
        ticker[0] = n - records.left[0]
    if ticker[1] == 0:
        place_leftovers(columns, records, label, leftovers, labels)
    return labels


@inlined
def opposite_seed(records, seed, farthest_row, labels, point):
    """Row of the record left that is farthest from the seed, which a search may have seen. OUT: point."""
    if farthest_row < 0:
        farthest_row = recall_farthest(records, seed, labels)
    if farthest_row < 0:
        coordinates(records, seed, point)
        farthest_row = farthest(records, point)
    return farthest_row


@kernel
def place_leftovers(columns, records, label, leftovers, labels):
    """Place the records left: one more group, or each in the nearest group. IN/OUT: labels."""
    left = rows_left(records)
    if leftovers == 0 or label == 0:
        for row in left:
            labels[row] = label
        return
    join_nearest_group(columns, left, label, labels)


@kernel
def join_nearest_group(columns, left, n_groups, labels):
    """Add the records of `left` to the groups of nearest mean, the closest record first.

    The means move as records join. IN/OUT: labels.
    """
    totals, sizes = group_totals(columns, n_groups, labels)
    waiting = np.ones(left.size, dtype=np.bool_)
    near, gaps = np.empty(left.size, dtype=np.int64), np.empty(left.size)
    for i in range(left.size):
        near[i], gaps[i] = nearest_mean(columns, left[i], totals, sizes)
    for _ in range(left.size):
        best = -1
        for i in range(left.size):
            if waiting[i] and (best < 0 or gaps[i] < gaps[best]):
                best = i
        group = near[best]
        waiting[best] = False
        labels[left[best]] = group
        sizes[group] += 1
        for j in range(columns.shape[0]):
            totals[group, j] += columns[j, left[best]]
        for i in range(left.size):
            if not waiting[i]:
                continue
            if near[i] == group:
                near[i], gaps[i] = nearest_mean(columns, left[i], totals, sizes)
            else:
                gap = distance_to_mean(columns, left[i], totals, sizes, group)
                if gap < gaps[i] or (gap == gaps[i] and group < near[i]):
                    near[i], gaps[i] = group, gap


@kernel
def nearest_mean(columns, row, totals, sizes):
    """Group whose mean is nearest to the record, and the squared distance; ties to the lowest."""
    best_gap, best = FARTHER_THAN_ALL, np.int64(0)
    for group in range(sizes.size):
        gap = distance_to_mean(columns, row, totals, sizes, group)
        if gap < best_gap:
            best_gap, best = gap, np.int64(group)
    return best, best_gap


@kernel
def distance_to_mean(columns, row, totals, sizes, group):
    """Squared distance of a record to the mean of a group."""
    gap = 0.0
    for j in range(columns.shape[0]):
        t = columns[j, row] - totals[group, j] / sizes[group]
        gap += t * t
    return gap


@kernel
def group_totals(columns, n_groups, labels):
    """Sum and size of each group, over the records that have a label (>= 0)."""
    d, n = columns.shape
    totals = np.zeros((n_groups, d))
    sizes = np.zeros(n_groups, dtype=np.int64)
    for i in range(n):
        if labels[i] >= 0:
            sizes[labels[i]] += 1
            for j in range(d):
                totals[labels[i], j] += columns[j, i]
    return totals, sizes
