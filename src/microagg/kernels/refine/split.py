"""Split: cut groups of 2k or more records into groups of k to 2k-1."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.fixed.fixed_size import centroid_seeded, grow, new_group
from microagg.kernels.fixed.two_points import reference_seeded
from microagg.kernels.jit import kernel
from microagg.kernels.order import copy_to, least_above, pick, where_equal
from microagg.kernels.refine.groups import (
    add_members,
    columns_of,
    members,
    nearest_groups,
    set_members,
)
from microagg.kernels.refine.joining import change_of
from microagg.kernels.refine.near_groups import has_changed
from microagg.kernels.space.pool import new_pool
from microagg.kernels.space.records import centroid, farthest
from microagg.kernels.space.scan import FARTHER_THAN_ALL

RULES = {"tfrp": 0, "cbfs": 1, "scatter": 2}
"""By phase one of TFRP on the group's own records; by CBFS with NC growth; or by CBFS while more than
k records are left, and these each to the nearest group of all, where that lowers the error."""


@kernel
def split_large(groups, cache, k, rule):
    """Split every group of 2k or more; that never adds error. IN/OUT: groups, cache."""
    if rule == 2:
        for group in range(groups.sizes.size):
            if groups.sizes[group] >= 2 * k:
                split_and_scatter(groups, cache, group, k)
    for group in range(groups.sizes.size):
        if groups.sizes[group] >= 2 * k:
            split_one(groups, cache, group, k, smaller(rule, 1))


@kernel
def split_and_scatter(groups, cache, group, k):
    """Cut parts of k off one group and add the rest to any near groups, if that lowers the error.

    IN/OUT: groups, cache.
    """
    rows = members(groups, group)
    parts = whole_parts(columns_of(groups, rows), k)
    before, after = groups.errors[group], 0.0
    free = where_equal(groups.sizes, 0)
    n_parts = larger(highest(parts), 0) + 1
    numbers = np.empty(n_parts, dtype=np.int64)
    for part in range(n_parts):
        numbers[part] = group if part == 0 else free[part - 1]
        set_members(groups, numbers[part], pick(rows, where_equal(parts, part)))
        after += groups.errors[numbers[part]]
    rest = pick(rows, where_equal(parts, -1))
    targets, gaps = np.empty(rest.size, dtype=np.int64), np.empty(1)
    for row in rest:
        groups.labels[row] = -1
    for i in range(rest.size):
        nearest_groups(groups, rest[i], FARTHER_THAN_ALL, gaps, targets[i : i + 1])
    if after + change_of(groups, rest, targets) >= before - groups.least:
        for part in range(1, n_parts):
            set_members(groups, numbers[part], rows[:0])
        set_members(groups, group, rows)
        return
    join_targets(groups, cache, rest, targets, numbers)


@kernel
def join_targets(groups, cache, rest, targets, numbers):
    """Add records to their targets; these and `numbers` have changed. IN/OUT: groups, cache."""
    changed = np.empty(targets.size + numbers.size, dtype=np.int64)
    copy_to(changed, targets)
    copy_to(changed[targets.size :], numbers)
    target = least_above(targets, -1)
    while target >= 0:
        add_members(groups, target, pick(rest, where_equal(targets, target)))
        above = least_above(targets, target)
        target = above if above > target else np.int64(-1)
    number = least_above(changed, -1)
    while number >= 0:
        has_changed(cache, groups, number)
        above = least_above(changed, number)
        number = above if above > number else np.int64(-1)


@kernel
def highest(parts):
    """Largest of some labels."""
    top = np.int64(-1)
    for part in parts:
        top = larger(top, np.int64(part))
    return top


@kernel
def whole_parts(columns, k):
    """Groups of k by CBFS while more than k records are left; those left have the label -1."""
    labels = np.full(columns.shape[1], -1, dtype=np.int32)
    pool = new_pool(columns)
    point = np.empty(columns.shape[0])
    label, group = 0, new_group(columns.shape[0], k)
    while pool.left[0] > k:
        centroid(pool, point)
        grow(pool, farthest(pool, point), label, 1, labels, group)
        label += 1
    return labels


@kernel
def split_one(groups, cache, group, k, rule):
    """Split one group; its parts take its own number and free ones. IN/OUT: groups, cache."""
    rows = members(groups, group)
    parts = cut(columns_of(groups, rows), k, rule)
    free = where_equal(groups.sizes, 0)
    for part in range(highest(parts) + 1):
        target = group if part == 0 else free[part - 1]
        set_members(groups, target, pick(rows, where_equal(parts, part)))
    has_changed(cache, groups, group)
    for part in range(highest(parts)):
        has_changed(cache, groups, free[part])


@kernel
def cut(columns, k, rule):
    """Labels of a few records as a fixed-size heuristic groups them."""
    ticker = np.zeros(2, dtype=np.int64)
    pool = new_pool(columns)
    if rule == 0:
        references = np.empty((2, columns.shape[0]))
        references[0], references[1] = columns.min(), columns.max()
        return reference_seeded(pool, columns, k, references, 0, True, ticker)
    return centroid_seeded(pool, columns, k, False, 1, 1, ticker)
