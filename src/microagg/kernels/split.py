"""Split: cut groups of 2k or more records into groups of k to 2k-1."""

import numpy as np

from microagg.kernels.fixed_size import centroid_seeded
from microagg.kernels.groups import members, set_members
from microagg.kernels.jit import kernel
from microagg.kernels.near_groups import has_changed
from microagg.kernels.pool import new_pool
from microagg.kernels.reference_points import reference_seeded

RULES = {"tfrp": 0, "cbfs": 1}
"""By phase one of TFRP on the group's own records, or by CBFS with NC growth."""


@kernel
def split_large(groups, cache, k, rule):
    """Split every group of 2k or more; that never adds error. IN/OUT: groups, cache."""
    for group in range(groups.sizes.size):
        if groups.sizes[group] >= 2 * k:
            split_one(groups, cache, group, k, rule)


@kernel
def split_one(groups, cache, group, k, rule):
    """Split one group; its parts take its own number and free ones. IN/OUT: groups, cache."""
    rows = members(groups, group)
    own = np.ascontiguousarray(groups.columns[:, rows])
    parts = cut(own, k, rule)
    free = np.flatnonzero(groups.sizes == 0)
    for part in range(parts.max() + 1):
        target = group if part == 0 else free[part - 1]
        set_members(groups, target, rows[parts == part])
    has_changed(cache, groups, group)
    for part in range(parts.max()):
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
