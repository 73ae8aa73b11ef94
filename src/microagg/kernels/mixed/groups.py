"""Fixed-size groups of mixed records: the rules of `fixed_size` on the distance of `mixed`."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.mixed.pool import new_mixed_pool, take_out
from microagg.kernels.mixed.query import distance_to, new_query, set_to_row, set_to_sums
from microagg.kernels.mixed.records import add_record, clear, new_sums
from microagg.kernels.mixed.search import farthest_mixed, nearest_mixed
from microagg.kernels.order import first_least, where_equal
from microagg.kernels.space.scan import FARTHER_THAN_ALL

ROUNDING = 1e-6
"""How much the root of a distance may err, as a share of the root of a usual distance; it errs by 1e-8."""

REACH = 8
"""Growth towards the centre looks at the REACH * k records nearest to the seed."""


@kernel
def grow_mixed(mix, pool, seed, label, k, growth, query, labels):
    """Form a group of `seed` and k-1 records left, and take them out. IN/OUT: pool, query, labels."""
    labels[seed] = label
    take_out(mix, pool, seed)
    set_to_row(mix, seed, query)
    wanted = k - 1 if growth == 0 else smaller(REACH * k, pool.sizes[0])
    near, gaps = np.empty(wanted, dtype=np.int64), np.empty(wanted)
    nearest_mixed(mix, pool, query, gaps, near)
    if growth != 0:
        nearest_to_centre_first(mix, seed, near, gaps, k, query)
    for row in near[: k - 1]:
        labels[row] = label
        take_out(mix, pool, row)


@borrowing
def nearest_to_centre_first(mix, seed, near, gaps, k, query):
    """Bring k-1 of `near` to the front: one by one, that nearest to the centre of the group.

    The query is that of the seed; `gaps` are the distances to it, the least first.
    IN/OUT: near, gaps, query.
    """
    for place in range(1, k - 1):
        add_record(mix, near[place - 1], 1, query.sums)
        set_to_sums(mix, query)
        moved = distance_to(mix, seed, query)
        best, best_gap = place, distance_to(mix, near[place], query)
        reach = reach_of(mix, moved, best_gap)
        for i in range(place + 1, near.size):
            if gaps[i] > reach:
                continue
            gap = distance_to(mix, near[i], query)
            if gap < best_gap or (gap == best_gap and near[i] < near[best]):
                best, best_gap = i, gap
                reach = reach_of(mix, moved, best_gap)
        near[place], near[best] = near[best], near[place]
        gaps[place], gaps[best] = gaps[best], gaps[place]


@inlined
def reach_of(mix, moved, gap):
    """How far a record within `gap` of a centre can be from a seed that is `moved` from the centre.

    That is the triangle inequality for the roots of distances, which blanks and Gower's distance break.
    """
    if mix.gower or mix.blanks:
        return FARTHER_THAN_ALL
    reach = np.sqrt(larger(moved, 0.0)) + np.sqrt(larger(gap, 0.0)) + ROUNDING * np.sqrt(mix.apart)
    return reach * reach


@kernel
def mixed_centroid_seeded(mix, k, opposite, growth, leftovers, ticker):
    """Groups seeded by the record farthest from the centre of what is left.

    With `opposite` (MDAV) a second group follows around the record farthest from that seed.
    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    Returns int32[n] labels in the order the groups were formed.
    """
    n = mix.numbers.shape[1]
    labels = np.empty(n, dtype=np.int32)
    labels[:] = -1
    pool = new_mixed_pool(mix)
    middle, query = new_query(mix, pool.sums), new_query(mix, new_sums(mix))
    label = 0
    enough = 2 * k if leftovers == 0 else k
    while pool.sizes[0] >= enough and ticker[1] == 0:
        set_to_sums(mix, middle)
        seed = farthest_mixed(mix, pool, middle)
        grow_mixed(mix, pool, seed, label, k, growth, query, labels)
        label += 1
        if opposite and pool.sizes[0] >= enough:
            set_to_row(mix, seed, query)
            other = farthest_mixed(mix, pool, query)
            grow_mixed(mix, pool, other, label, k, growth, query, labels)
            label += 1
        ticker[0] = n - pool.sizes[0]
    if ticker[1] == 0:
        left = where_equal(labels, -1)
        if leftovers == 0 or label == 0:
            for row in left:
                labels[row] = label
        else:
            join_nearest_centre(mix, left, label, labels)
    return labels


@kernel
def join_nearest_centre(mix, left, n_groups, labels):
    """Add the records of `left` to the groups of nearest centre, the closest record first.

    The centres move as records join. IN/OUT: labels.
    """
    order, starts = rows_by_group(labels, n_groups)
    query = new_query(mix, new_sums(mix))
    gaps = np.empty((left.size, n_groups))
    joined, stale = np.empty(left.size, dtype=np.int64), np.arange(n_groups)
    joined[:] = -1
    for _ in range(left.size):
        for group in stale:
            clear(mix, query.sums)
            for row in order[starts[group] : starts[group + 1]]:
                add_record(mix, row, 1, query.sums)
            for i in range(left.size):
                if joined[i] == group:
                    add_record(mix, left[i], 1, query.sums)
            set_to_sums(mix, query)
            for i in range(left.size):
                gaps[i, group] = distance_to(mix, left[i], query)
        best, best_group = np.int64(-1), np.int64(0)
        for i in range(left.size):
            if joined[i] < 0:
                group = first_least(gaps[i])
                if best < 0 or gaps[i, group] < gaps[best, best_group]:
                    best, best_group = np.int64(i), group
        joined[best] = best_group
        stale = stale[:1]
        stale[0] = best_group
    for i in range(left.size):
        labels[left[i]] = joined[i]


@kernel
def rows_by_group(labels, n_groups):
    """Return the records of each group, one group after the other, and where each group starts."""
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    for label in labels:
        if label >= 0:
            starts[label + 1] += 1
    for group in range(n_groups):
        starts[group + 1] += starts[group]
    order, ends = np.empty(starts[n_groups], dtype=np.int64), starts.copy()
    for row in range(labels.size):
        if labels[row] >= 0:
            order[ends[labels[row]]] = row
            ends[labels[row]] += 1
    return order, starts
