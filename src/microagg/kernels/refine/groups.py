"""Groups that change: members, sums and errors kept up to date, means in a tree."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.order import copy_to, stable_order
from microagg.kernels.space.search import nearest_points
from microagg.kernels.space.tree import Tree, move_point, new_tree, remove_point

GAIN = 1e-12
"""The smallest gain that counts, as a share of the whole error at the start."""

NOISE = 1e-24
"""And as a share of the sum of squares: groups of equal records have no error but rounding."""

BLUR = 1e-14
"""And as a share of the root of both: a difference x - mean is off by a rounding of x, so the sum of
their squares by about that times |x| |x - mean|, which sums up to no more than this root."""


class Groups(NamedTuple):
    """A partition under change. A group without members is gone.

    Records are numbered anew, group after group: what belongs together then lies together.

    Attributes
    ----------
    rows : int64[n]
        The row of each record.
    points : float64[n, d]
        The records, one after the other.
    labels : int32[n]
        The group of each record.
    sizes : int64[g]
        Number of members.
    means : float64[g, d]
        Mean of each group.
    errors : float64[g]
        Sum of squared distances of the members to their mean.
    first : int64[g], following : int64[n]
        The members of each group as a linked list in row order at the start; -1 ends it.
    tree : Tree
        The means, for nearest groups.
    least : float
        The smallest gain that counts; less is rounding, and passes could go on for ever.
    """

    rows: np.ndarray
    points: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray
    means: np.ndarray
    errors: np.ndarray
    first: np.ndarray
    following: np.ndarray
    tree: Tree
    least: float


@kernel
def new_groups(columns, labels, k):
    """Return groups of `labels`, int32[n] from 0, with room for as many of k as there can be.

    Both arrays stay untouched.
    """
    rows = rows_by_group(labels)
    points, labels = sorted_records(columns, labels, rows)
    n, d = points.shape
    n_groups = larger(np.int64(labels[n - 1]) + 1, n // k)
    sizes = np.zeros(n_groups, dtype=np.int64)
    first = np.full(n_groups, -1, dtype=np.int64)
    following = np.full(n, -1, dtype=np.int64)
    for row in range(n - 1, -1, -1):
        group = labels[row]
        sizes[group] += 1
        following[row] = first[group]
        first[group] = row
    means = np.zeros((n_groups, d))
    errors = np.zeros(n_groups)
    for group in range(n_groups):
        errors[group] = summarise(points, first, following, group, means)
    tree = new_tree(means)
    for group in range(n_groups):
        if sizes[group] == 0:
            remove_point(tree, group)
    error, squares = 0.0, 0.0
    for group in range(n_groups):
        error += errors[group]
    for j in range(d):
        for i in range(n):
            squares += columns[j, i] * columns[j, i]
    least = GAIN * error + NOISE * squares + BLUR * np.sqrt(error * squares)
    return Groups(rows, points, labels, sizes, means, errors, first, following, tree, least)


@kernel
def rows_by_group(labels):
    """Rows in the order of their groups, those of a group in row order."""
    keys = np.empty(labels.size)
    copy_to(keys, labels)
    return stable_order(keys, 1.0)


@kernel
def sorted_records(columns, labels, rows):
    """Records and labels of `rows`: float64[n, d] and int32[n]."""
    d, n = columns.shape
    points, own = np.empty((n, d)), np.empty(n, dtype=np.int32)
    for i in range(n):
        own[i] = labels[rows[i]]
        for j in range(d):
            points[i, j] = columns[j, rows[i]]
    return points, own


@kernel
def labels_of_rows(groups):
    """Group of each row, int32[n]."""
    labels = np.empty(groups.labels.size, dtype=np.int32)
    for i in range(labels.size):
        labels[groups.rows[i]] = groups.labels[i]
    return labels


@kernel
def columns_of(groups, rows):
    """Values of some rows, one array per attribute: float64[d, m]."""
    out = np.empty((groups.points.shape[1], rows.size))
    for j in range(out.shape[0]):
        for i in range(rows.size):
            out[j, i] = groups.points[rows[i], j]
    return out


@borrowing
def summarise(points, first, following, group, means):
    """Mean of a group's members, in OUT: means[group], and their error, which is returned."""
    d, size = means.shape[1], 0
    for j in range(d):
        means[group, j] = 0.0
    row = first[group]
    while row >= 0:
        for j in range(d):
            means[group, j] += points[row, j]
        size += 1
        row = following[row]
    if size == 0:
        return 0.0
    for j in range(d):
        means[group, j] /= size
    error = 0.0
    row = first[group]
    while row >= 0:
        error += gap(points, row, means, group)
        row = following[row]
    return error


@inlined
def gap(points, row, means, group):
    """Squared distance of a record to the mean of a group."""
    total = 0.0
    for j in range(means.shape[1]):
        t = points[row, j] - means[group, j]
        total += t * t
    return total


@kernel
def members(groups, group):
    """Rows of a group, in the order of its list."""
    rows = np.empty(groups.sizes[group], dtype=np.int64)
    row = groups.first[group]
    for i in range(rows.size):
        rows[i] = row
        row = groups.following[row]
    return rows


@kernel
def set_members(groups, group, rows):
    """Make `rows` the members of a group and put its mean in place. IN/OUT: groups."""
    groups.first[group] = -1
    for i in range(rows.size - 1, -1, -1):
        groups.labels[rows[i]] = group
        groups.following[rows[i]] = groups.first[group]
        groups.first[group] = rows[i]
    groups.sizes[group] = rows.size
    groups.errors[group] = summarise(
        groups.points, groups.first, groups.following, group, groups.means
    )
    if rows.size == 0:
        remove_point(groups.tree, group)
    else:
        move_point(groups.tree, group)


@kernel
def add_members(groups, group, rows):
    """Append `rows` to a group. IN/OUT: groups; the rows' old groups are not touched."""
    own = members(groups, group)
    both = np.empty(own.size + rows.size, dtype=np.int64)
    copy_to(both, own)
    copy_to(both[own.size :], rows)
    set_members(groups, group, both)


@kernel
def shift(groups, row, target):
    """Move one record to the group `target`. IN/OUT: groups."""
    source = groups.labels[row]
    rows = members(groups, source)
    kept, count = np.empty(rows.size, dtype=np.int64), 0
    for other in rows:
        if other != row:
            kept[count] = other
            count += 1
    set_members(groups, source, kept[:count])
    kept[0] = row
    add_members(groups, target, kept[:1])


@borrowing
def nearest_groups(groups, row, limit, near_gaps, near):
    """Other groups whose means are nearest to a record, at most `limit` away. OUT: the last two."""
    nearest_points(groups.tree, groups.points[row], groups.labels[row], limit, near_gaps, near)
