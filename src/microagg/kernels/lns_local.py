"""A few groups broken up: their records, all distances between them, and descent to a local optimum.

Everything follows from the squared distances D between the few records. With S_ig the sum of D from
record i to the members of group g, and n_g its size,

    error of g            E_g  = sum of S_ig over its members / (2 n_g)
    |x_i - mean of g|^2   P_gi = (S_ig - E_g) / n_g

so that the change of a shift or a swap takes a few operations whatever the number of columns.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import inlined, kernel

GAIN = 1e-10
"""The smallest change that counts, as a share of the error of the few groups."""

NOISE = 1e-14
"""And as a share of the distances: groups of equal records have no error but rounding."""


class Local(NamedTuple):
    """Room for a few groups; the first m records and g groups of it are in use.

    Attributes
    ----------
    rows : int64[M]
        The records.
    between : float64[M, M]
        Squared distances between them.
    labels, before : int64[M]
        The group of each record now, and before it was broken up; -1 for none.
    sums, gaps : float64[G, M]
        S and P of the file's opening.
    own : float64[M]
        P of each record and its own group.
    errors : float64[G]
        E of the file's opening.
    sizes : int64[G]
        Number of members.
    """

    rows: np.ndarray
    between: np.ndarray
    labels: np.ndarray
    before: np.ndarray
    sums: np.ndarray
    gaps: np.ndarray
    own: np.ndarray
    errors: np.ndarray
    sizes: np.ndarray


@kernel
def new_local(m, g):
    """Return room for m records in g groups."""
    return Local(
        np.empty(m, dtype=np.int64),
        np.empty((m, m)),
        np.empty(m, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty((g, m)),
        np.empty((g, m)),
        np.empty(m),
        np.empty(g),
        np.empty(g, dtype=np.int64),
    )


@kernel
def measure_between(local, points, m):
    """Compute all squared distances between the records. IN/OUT: local."""
    d = points.shape[1]
    for i in range(m):
        x = points[local.rows[i]]
        local.between[i, i] = 0.0
        for j in range(i):
            y = points[local.rows[j]]
            total = 0.0
            for c in range(d):
                t = x[c] - y[c]
                total += t * t
            local.between[i, j] = total
            local.between[j, i] = total


@inlined
def add(local, i, group, m):
    """Put record i, which is in no group, into one; only labels, sums, sizes follow. IN/OUT: local."""
    local.labels[i] = group
    local.sizes[group] += 1
    sums, distances = local.sums[group], local.between[i]
    for j in range(m):
        sums[j] += distances[j]


@inlined
def refresh(local, group, m):
    """Bring the error and the gaps of a group up to date. IN/OUT: local."""
    size = local.sizes[group]
    sums, gaps = local.sums[group], local.gaps[group]
    total = 0.0
    for j in range(m):
        if local.labels[j] == group:
            total += sums[j]
    error = total / (2.0 * size)
    local.errors[group] = error
    for j in range(m):
        gaps[j] = (sums[j] - error) / size
        if local.labels[j] == group:
            local.own[j] = gaps[j]


@kernel
def clear(local, m, g):
    """Put every record in no group. IN/OUT: local."""
    local.labels[:m] = -1
    local.sizes[:g] = 0
    local.sums[:g, :m] = 0.0


@kernel
def restore(local, m, g):
    """Put every record back into the group it was in before, all sums made anew. IN/OUT: local."""
    clear(local, m, g)
    for i in range(m):
        add(local, i, local.before[i], m)
    for group in range(g):
        refresh(local, group, m)


@kernel
def total_error(local, g):
    """Sum of the errors of the groups."""
    total = 0.0
    for group in range(g):
        total += local.errors[group]
    return total


@kernel
def least_change(local, m, g):
    """The smallest change that is not rounding; by less, descent could go on for ever."""
    distances = 0.0
    for j in range(m):
        distances += local.between[0, j]
    return GAIN * total_error(local, g) + NOISE * distances


@kernel
def descend(local, m, g, k):
    """Shift and swap records until neither lowers the error; returns the error. IN/OUT: local."""
    for group in range(g):
        refresh(local, group, m)
    least = least_change(local, m, g)
    shared, base = np.empty(g), np.empty(g)
    quiet, i = 0, 0
    while quiet < m:  # a whole round without a change
        if improve(local, i, m, g, k, least, shared, base):
            quiet = 0
        else:
            quiet += 1
        i = i + 1 if i + 1 < m else 0
    return total_error(local, g)


@inlined
def improve(local, i, m, g, k, least, shared, base):
    """Do the best shift or swap of record i if one gains; tells whether. IN/OUT: local.

    Moving x out of a group of n saves n/(n-1) |x-c|^2, into one of m costs m/(m+1) |x-c|^2; a swap
    of x and y adds |x-c_y|^2 - |x-c_x|^2 + |y-c_x|^2 - |y-c_y|^2 - |x-y|^2 (1/n_x + 1/n_y).
    """
    a = local.labels[i]
    size = local.sizes[a]
    best, best_group, best_other = -least, -1, -1
    for b in range(g):
        base[b] = local.gaps[b, i] - local.own[i]
        shared[b] = 1.0 / size + 1.0 / local.sizes[b]
        if size > k and b != a and local.sizes[b] < 2 * k - 1:
            n_b = local.sizes[b]
            change = local.gaps[b, i] * n_b / (n_b + 1) - local.own[i] * size / (size - 1)
            if change < best:
                best, best_group = change, b
    here, distances = local.gaps[a], local.between[i]
    for j in range(m):
        b = local.labels[j]
        change = base[b] + here[j] - local.own[j] - distances[j] * shared[b]
        if change < best and b != a:
            best, best_group, best_other = change, b, j
    if best_group < 0:
        return False
    move(local, i, best_group, m)
    if best_other >= 0:
        move(local, best_other, a, m)
    refresh(local, a, m)
    refresh(local, best_group, m)
    return True


@inlined
def move(local, i, group, m):
    """Put record i into another group; errors and gaps do not follow. IN/OUT: local."""
    old = local.labels[i]
    local.sizes[old] -= 1
    local.sizes[group] += 1
    local.labels[i] = group
    sums, target, distances = local.sums[old], local.sums[group], local.between[i]
    for j in range(m):
        sums[j] -= distances[j]
        target[j] += distances[j]
