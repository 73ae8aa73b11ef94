"""V-MDAV: groups around the records farthest from the mean of all, extended where it is dense."""

import numpy as np

from microagg.kernels.extremes import smaller
from microagg.kernels.fixed.fixed_size import new_group, take_nearest
from microagg.kernels.fixed.two_points import farthest_first
from microagg.kernels.jit import kernel
from microagg.kernels.order import copy_to, where_equal
from microagg.kernels.space.records import (
    centroid,
    compact,
    coordinates,
    look_ahead_in_order,
    nearest,
    nearest_within,
    remove,
)
from microagg.kernels.space.scan import FARTHER_THAN_ALL, TILE, tile_distances


@kernel
def v_mdav(records, columns, k, gamma, ticker):
    """Groups of k around the record left that is farthest from the mean of all, each extended.

    `records` keeps all records of `columns`. ticker[0] counts the records grouped; the loop stops
    early when ticker[1] is set.
    """
    d, n = columns.shape
    labels = np.full(n, -1, dtype=np.int32)
    mean, members = np.empty(d), np.empty(k, dtype=np.int64)
    centroid(records, mean)
    label, group = 0, new_group(d, k)
    order = farthest_first(columns, mean)
    for at in range(n):
        seed = order[at]
        if labels[seed] >= 0:
            continue
        if records.left[0] < k or ticker[1] != 0:
            break
        compact(records)
        look_ahead_in_order(records, order, at, k, 0, labels)
        members[0], labels[seed] = seed, label
        remove(records, seed)
        take_nearest(records, seed, label, labels, group)
        copy_to(members[1:], group.members)
        extend(records, members, label, gamma, labels)
        label += 1
        ticker[0] = n - records.left[0]
    if ticker[1] == 0:
        join_nearest_record(columns, labels)
    return labels


@kernel
def extend(records, members, label, gamma, labels):
    """Add up to k-1 records that are nearer to the group than gamma times to any other left.

    `members` are the k rows of the group, already out. Distances are squared. Each member knows the
    nearest record left, and looks again when that has joined. IN/OUT: records, labels.
    """
    k = members.size
    group = np.empty(2 * k - 1, dtype=np.int64)
    copy_to(group, members)
    near, gaps = np.full(group.size, -1, dtype=np.int64), np.full(group.size, -1.0)
    point = np.empty(records.total.size)
    for size in range(k, group.size):
        if records.left[0] < 2:
            return
        best = nearest_to_group(records, group[:size], near, gaps, labels)
        row = near[best]
        coordinates(records, row, point)
        if not gaps[best] < gamma * gap_to_others(records, point):
            return
        labels[row] = label
        remove(records, row)
        group[size] = row


@kernel
def nearest_to_group(records, group, near, gaps, labels):
    """Place of the member with the nearest record left; ties to the lowest record.

    near[i] is the record left nearest to the member i, gaps[i] away; where it is -1, none is as near as
    that. So a member need not look farther than the best of the others. IN/OUT: near, gaps.
    """
    best, point = -1, np.empty(records.total.size)
    for turn in range(2):  # those that know theirs come first
        for i in range(group.size):
            if turn == 0:
                if near[i] >= 0 and labels[near[i]] >= 0:
                    near[i], gaps[i] = -1, -1.0
            elif near[i] < 0 and (best < 0 or gaps[i] < gaps[best]):
                limit = FARTHER_THAN_ALL if best < 0 else gaps[best]
                coordinates(records, group[i], point)
                nearest_within(records, point, limit, gaps[i : i + 1], near[i : i + 1])
            if near[i] >= 0 and (
                best < 0 or gaps[i] < gaps[best] or (gaps[i] == gaps[best] and near[i] < near[best])
            ):
                best = i
    return best


@kernel
def gap_to_others(records, point):
    """Squared distance of a record left, at `point`, to the nearest other record left."""
    gaps, rows = np.empty(2), np.empty(2, dtype=np.int64)
    nearest(records, point, gaps, rows)
    return gaps[1]  # the first is the record itself, or one exactly like it


@kernel
def join_nearest_record(columns, labels):
    """Add each record without a group to that of the nearest record with one. IN/OUT: labels.

    They go in row order, and those that have joined count for those after them.
    """
    d, n = columns.shape
    point, distances = np.empty(d), np.empty(n)
    for row in where_equal(labels, -1):
        for j in range(d):
            point[j] = columns[j, row]
        for start in range(0, n, TILE):
            stop = smaller(start + TILE, n)
            tile_distances(columns, start, stop, point, distances[start:stop])
        near = -1
        for i in range(n):
            if labels[i] >= 0 and (near < 0 or distances[i] < distances[near]):
                near = i
        labels[row] = labels[near]


@kernel
def neighbour_distances(records, columns, rows, m, ticker):
    """Squared distances of some records to their m nearest others, nearest first."""
    point = np.empty(columns.shape[0])
    gaps, near = np.empty(m + 1), np.empty(m + 1, dtype=np.int64)
    out = np.empty((rows.size, m))
    for i in range(rows.size):
        if ticker[1] != 0:
            break
        ticker[0] = i
        coordinates(records, rows[i], point)
        nearest(records, point, gaps, near)
        copy_to(out[i], gaps[1:])
    return out
