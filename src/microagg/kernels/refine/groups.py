"""Groups that change: their members, means and errors are kept up to date, the means in a tree."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.order import copy_to, stable_order
from microagg.kernels.space.search import SearchRoom, new_room, search_nearest
from microagg.kernels.space.tree import Tree, move_point, new_tree, remove_point

GAIN = 1e-12
"""The smallest gain that counts, as a share of the whole error at the start."""

NOISE = 1e-24
"""And as a share of the sum of squares: groups of equal records have no error but rounding."""

BLUR = 1e-14
"""And as a share of the root of both: a difference x - mean is off by a rounding of x, so the sum of
their squares by about that times |x| |x - mean|, which sums up to no more than this root."""


class Groups(NamedTuple):
    """A partition that changes. A group without members no longer exists.

    Records are renumbered group by group, so that the members of a group are adjacent in memory.

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
    room : SearchRoom
        The memory of searches of the tree.
    least : float
        The smallest gain that counts: with smaller ones, which are rounding, passes might never end.
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
    room: SearchRoom
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
    return Groups(
        rows, points, labels, sizes, means, errors, first, following, tree, new_room(tree), least
    )


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


@borrowing
def list_members(groups, group, rows):
    """Write the rows of a group, in the order of its list; returns how many. OUT: rows."""
    count, row = 0, groups.first[group]
    while row >= 0:
        rows[count] = row
        count += 1
        row = groups.following[row]
    return count


@borrowing
def set_members(groups, group, rows):
    """Make `rows` the members of a group and move its mean. IN/OUT: groups."""
    groups.first[group] = -1
    for i in range(rows.size - 1, -1, -1):
        groups.labels[rows[i]] = group
        groups.following[rows[i]] = groups.first[group]
        groups.first[group] = rows[i]
    groups.sizes[group] = rows.size
    renew(groups, group)


@borrowing
def renew(groups, group):
    """Update the mean and the error of a group whose members have changed. IN/OUT: groups."""
    groups.errors[group] = summarise(
        groups.points, groups.first, groups.following, group, groups.means
    )
    if groups.sizes[group] == 0:
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


@borrowing
def shift(groups, row, target):
    """Move one record to the end of the group `target`. IN/OUT: groups."""
    source, following = groups.labels[row], groups.following
    link(groups, source, row, following[row])
    following[row] = -1
    link(groups, target, -1, row)
    groups.labels[row] = target
    groups.sizes[source] -= 1
    groups.sizes[target] += 1
    renew(groups, source)
    renew(groups, target)


@borrowing
def swap(groups, row, other):
    """Exchange two records of different groups: each takes the other's place. IN/OUT: groups."""
    labels, following = groups.labels, groups.following
    link(groups, labels[row], row, other)
    link(groups, labels[other], other, row)
    following[row], following[other] = following[other], following[row]
    labels[row], labels[other] = labels[other], labels[row]
    renew(groups, labels[row])
    renew(groups, labels[other])


@inlined
def link(groups, group, row, other):
    """Replace the link to `row` (-1: the end) in the list of a group by one to `other`. IN/OUT: groups."""
    first, following = groups.first, groups.following
    if first[group] == row:
        first[group] = other
        return
    before = first[group]
    while following[before] != row:
        before = following[before]
    following[before] = other


@borrowing
def nearest_groups(groups, row, limit, near_gaps, near):
    """Other groups whose means are nearest to a record, at most `limit` away. OUT: the last two."""
    point, own = groups.points[row], groups.labels[row]
    search_nearest(groups.tree, groups.room, point, own, limit, near_gaps, near)
