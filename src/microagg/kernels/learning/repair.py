"""Groups of any sizes made into groups of k to 2k-1, moving as few records as near as can be."""

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.splitmix import uniform


@kernel
def repair(records, labels, k, totals, sizes, state, stopping, ticker):
    """Fill groups below k with the nearest records to spare or give them up; split those of 2k.

    OUT: totals float64[g, d], sizes int64[g], where g is at least n // k. IN/OUT: labels, state.
    By the toss of a coin, a group of less than k takes, one by one, the record nearest to its mean
    from groups of more than k, or its records join the groups of nearest mean; these they join, too,
    where there is none to take. A group of 2k or more gives a new group: the record farthest from
    its mean, and that one's k-1 nearest. If `stopping`, it ends anywhere when ticker[1] is set.
    """
    measure(records, labels, totals, sizes)
    n_groups = 0
    for group in range(sizes.size):
        n_groups += sizes[group] > 0
    for group in range(sizes.size):
        if stopping and ticker[1] != 0:
            return
        filling = True
        if 0 < sizes[group] < k:
            filling = n_groups == 1 or uniform(state) < 0.5
        while 0 < sizes[group] < k:
            row = np.int64(-1)
            if filling:
                row = nearest_to_spare(records, labels, k, totals, sizes, group)
            if row < 0:
                n_groups -= 1
                give_up(records, labels, totals, sizes, group)
            else:
                move(records, labels, totals, sizes, row, group)
    empty = 0
    for group in range(sizes.size):
        while sizes[group] >= 2 * k:
            if stopping and ticker[1] != 0:
                return
            while sizes[empty] > 0:
                empty += 1
            split(records, labels, k, totals, sizes, group, empty)


@kernel
def measure(records, labels, totals, sizes):
    """Sum and count the records of each group. OUT: totals, sizes."""
    totals[:] = 0.0
    sizes[:] = 0
    for row in range(labels.size):
        sizes[labels[row]] += 1
        for j in range(records.shape[1]):
            totals[labels[row], j] += records[row, j]


@kernel
def move(records, labels, totals, sizes, row, group):
    """Move a record to a group. IN/OUT: labels, totals, sizes."""
    old = labels[row]
    for j in range(records.shape[1]):
        totals[old, j] -= records[row, j]
        totals[group, j] += records[row, j]
    sizes[old] -= 1
    sizes[group] += 1
    labels[row] = group
    if sizes[old] == 0:  # nothing of the rounding stays for the next group there
        totals[old] = 0.0


@kernel
def gap_to_mean(records, row, totals, sizes, group):
    """Squared distance of a record to the mean of a group."""
    gap = 0.0
    for j in range(records.shape[1]):
        t = records[row, j] - totals[group, j] / sizes[group]
        gap += t * t
    return gap


@kernel
def nearest_to_spare(records, labels, k, totals, sizes, group):
    """Record of a group of more than k that is nearest to the mean of `group`, or -1."""
    best, nearest = FARTHER_THAN_ALL, np.int64(-1)
    for row in range(labels.size):
        if sizes[labels[row]] > k:
            gap = gap_to_mean(records, row, totals, sizes, group)
            if gap < best:
                best, nearest = gap, np.int64(row)
    return nearest


@kernel
def give_up(records, labels, totals, sizes, group):
    """Move each record of a group to the group of nearest mean. IN/OUT: labels, totals, sizes."""
    for row in range(labels.size):
        if labels[row] == group:
            best, nearest = FARTHER_THAN_ALL, np.int64(group)
            for other in range(sizes.size):
                if other != group and sizes[other] > 0:
                    gap = gap_to_mean(records, row, totals, sizes, other)
                    if gap < best:
                        best, nearest = gap, np.int64(other)
            move(records, labels, totals, sizes, row, nearest)


@kernel
def split(records, labels, k, totals, sizes, group, empty):
    """Move the record farthest from a group's mean and its k-1 nearest to an empty group."""
    best, farthest = -1.0, np.int64(-1)
    for row in range(labels.size):
        if labels[row] == group:
            gap = gap_to_mean(records, row, totals, sizes, group)
            if gap > best:
                best, farthest = gap, np.int64(row)
    move(records, labels, totals, sizes, farthest, empty)
    for _ in range(k - 1):
        best, nearest = FARTHER_THAN_ALL, np.int64(-1)
        for row in range(labels.size):
            if labels[row] == group:
                gap = 0.0
                for j in range(records.shape[1]):
                    t = records[row, j] - records[farthest, j]
                    gap += t * t
                if gap < best:
                    best, nearest = gap, np.int64(row)
        move(records, labels, totals, sizes, nearest, empty)
