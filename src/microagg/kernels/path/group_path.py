"""A path through the records that visits the groups of a partition one after the other."""

import numpy as np

from microagg.kernels.fixed.diameter import farthest_apart
from microagg.kernels.fixed.fixed_size import group_totals
from microagg.kernels.jit import kernel
from microagg.kernels.path.walk import walk
from microagg.kernels.space.scan import distance_to, farthest_of, nearest_of


@kernel
def through_groups(columns, labels, ticker):
    """Rows in the order of the path, int64[n].

    It starts in one of the two groups whose means are farthest apart, the later one, and goes on to
    the group of nearest mean not yet visited. In a group it starts at the record nearest to the one
    it comes from, in the first group at the one farthest from the mean of all, and goes on to the
    nearest. Ties go to the lowest group and row.
    """
    n = labels.size
    means, sizes = group_means(columns, labels)
    route = walk(means, first_group(means, ticker), ticker)
    starts = np.zeros(sizes.size + 1, dtype=np.int64)
    starts[1:] = np.cumsum(sizes)
    by_group = np.argsort(labels, kind="mergesort")
    order = np.empty(n, dtype=np.int64)
    point = np.empty(columns.shape[0])
    mean_of_all(columns, point)
    at = 0
    for group in route:
        if ticker[1] != 0:
            break
        rows = by_group[starts[group] : starts[group + 1]].copy()
        at = visit(columns, rows, point, at, order)
    return order


@kernel
def group_means(columns, labels):
    """Mean of each group, float64[groups, d], and sizes."""
    totals, sizes = group_totals(columns, labels.max() + 1, labels)
    for group in range(sizes.size):
        for j in range(columns.shape[0]):
            totals[group, j] /= sizes[group]
    return totals, sizes


@kernel
def mean_of_all(columns, mean):
    """Write the mean of all records. OUT: mean, float64[d]."""
    mean[:] = 0.0
    for j in range(mean.size):
        for i in range(columns.shape[1]):
            mean[j] += columns[j, i]
        mean[j] /= columns.shape[1]


@kernel
def first_group(means, ticker):
    """The later of the two groups whose means are farthest apart; 0 if all means are equal."""
    if means.shape[0] < 2:
        return np.int64(0)
    columns = np.ascontiguousarray(means.T)
    low, high = farthest_apart(columns, ticker)
    return high if distance_to(columns, low, means[high]) > 0.0 else low


@kernel
def visit(columns, rows, point, at, order):
    """Put the rows of a group on the path; returns where it goes on.

    `point` is where the path comes from. OUT: point, order; rows are used up.
    """
    left = rows.size
    here = nearest_of(columns, rows, point) if at > 0 else farthest_of(columns, rows, point)
    while left > 0:
        row = rows[here]
        order[at] = row
        at += 1
        for i in range(here, left - 1):  # rows stay in order, so that ties go to the lowest
            rows[i] = rows[i + 1]
        left -= 1
        point[:] = columns[:, row]
        here = nearest_of(columns, rows[:left], point)
    return at
