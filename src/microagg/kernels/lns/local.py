"""A few groups broken up: their records, all distances between them, and descent to a local optimum.

Everything follows from the squared distances D between the few records. With S_ig the sum of D from
record i to the members of group g, and n_g its size,

    error of g            E_g  = sum of S_ig over its members / (2 n_g)
    |x_i - mean of g|^2   P_gi = (S_ig - E_g) / n_g

so that the change of a shift or a swap takes a few operations whatever the number of columns. Loops run
over one array after the other without a branch, which vectorises: the least of some costs is found by
one loop, and where it stands by another.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL

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
    columns : float64[d, M]
        Their values.
    between : float64[M, M]
        Squared distances between them.
    labels, before : int64[M]
        The group of each record now, and before it was broken up; -1 for none.
    sums, gaps : float64[G, M]
        S and P of the file's opening.
    own, shares : float64[M]
        P of each record and its own group, and 1 / the size of that.
    totals : float64[G]
        Sum of S over the members, 2 n E.
    errors : float64[G]
        E of the file's opening.
    sizes : int64[G]
        Number of members.
    costs : float64[M]
        What is compared at the moment.
    """

    rows: np.ndarray
    columns: np.ndarray
    between: np.ndarray
    labels: np.ndarray
    before: np.ndarray
    sums: np.ndarray
    gaps: np.ndarray
    own: np.ndarray
    shares: np.ndarray
    totals: np.ndarray
    errors: np.ndarray
    sizes: np.ndarray
    costs: np.ndarray


@kernel
def new_local(m, g, d):
    """Return room for m records of d columns in g groups."""
    return Local(
        np.empty(m, dtype=np.int64),
        np.empty((d, m)),
        np.empty((m, m)),
        np.empty(m, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty((g, m)),
        np.empty((g, m)),
        np.empty(m),
        np.empty(m),
        np.empty(g),
        np.empty(g),
        np.empty(g, dtype=np.int64),
        np.empty(m),
    )


@kernel
def measure_between(local, points, m):
    """Compute all squared distances between the records. IN/OUT: local."""
    d = points.shape[1]
    for i in range(m):
        for c in range(d):
            local.columns[c, i] = points[local.rows[i], c]
    for i in range(m):
        for j in range(m):
            local.between[i, j] = 0.0
        for c in range(d):
            value = local.columns[c, i]
            for j in range(m):
                t = local.columns[c, j] - value
                local.between[i, j] += t * t


@inlined
def first_least(costs, m):
    """Where the least of the first m costs stands first."""
    least = costs[0]
    for j in range(m):
        least = smaller(least, costs[j])
    at = 0
    while costs[at] != least:
        at += 1
    return at


@inlined
def add(local, i, group, m):
    """Put record i, which is in no group, into one; errors and gaps do not follow. IN/OUT: local."""
    local.labels[i] = group
    local.sizes[group] += 1
    local.totals[group] += 2.0 * local.sums[group, i]
    for j in range(m):
        local.sums[group, j] += local.between[i, j]


@inlined
def refresh(local, group, m):
    """Bring the error and the gaps of a group up to date. IN/OUT: local."""
    size = local.sizes[group]
    error, share = local.totals[group] / (2.0 * size), 1.0 / size
    local.errors[group] = error
    for j in range(m):
        local.gaps[group, j] = (local.sums[group, j] - error) * share
    for j in range(m):
        is_member = local.labels[j] == group
        local.own[j] = local.gaps[group, j] if is_member else local.own[j]
        local.shares[j] = share if is_member else local.shares[j]


@kernel
def clear(local, m, g):
    """Put every record in no group. IN/OUT: local."""
    local.labels[:m] = -1
    local.sizes[:g] = 0
    local.totals[:g] = 0.0
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
    base = np.empty(g)
    quiet, i = 0, 0
    while quiet < m:  # a whole round without a change
        if improve(local, i, m, g, k, least, base):
            quiet = 0
        else:
            quiet += 1
        i = i + 1 if i + 1 < m else 0
    return total_error(local, g)


@inlined
def improve(local, i, m, g, k, least, base):
    """Do the best shift or swap of record i if one gains; tells whether. IN/OUT: local.

    Moving x out of a group of n saves n/(n-1) |x-c|^2, into one of m costs m/(m+1) |x-c|^2; a swap
    of x and y adds |x-c_y|^2 - |x-c_x|^2 + |y-c_x|^2 - |y-c_y|^2 - |x-y|^2 (1/n_x + 1/n_y).
    """
    a = local.labels[i]
    size = local.sizes[a]
    best, best_group = -least, -1
    for b in range(g):
        base[b] = local.gaps[b, i] - local.own[i]
        if size > k and b != a and local.sizes[b] < 2 * k - 1:
            n_b = local.sizes[b]
            change = local.gaps[b, i] * n_b / (n_b + 1) - local.own[i] * size / (size - 1)
            if change < best:
                best, best_group = change, b
    base[a] = FARTHER_THAN_ALL
    other = best_swap(local, i, a, m, base)
    if local.costs[other] < best:
        best_group = local.labels[other]
        move(local, other, a, m)
    elif best_group < 0:
        return False
    move(local, i, best_group, m)
    refresh(local, a, m)
    refresh(local, best_group, m)
    return True


@inlined
def best_swap(local, i, a, m, base):
    """Record whose swap with record i of group a adds least; what it adds is in costs. IN/OUT: local."""
    share = local.shares[i]
    for j in range(m):
        shared = local.between[i, j] * (share + local.shares[j])
        local.costs[j] = local.gaps[a, j] - local.own[j] - shared
    for j in range(m):
        local.costs[j] += base[local.labels[j]]
    return first_least(local.costs, m)


@inlined
def move(local, i, group, m):
    """Put record i into another group; errors and gaps do not follow. IN/OUT: local."""
    old = local.labels[i]
    local.sizes[old] -= 1
    local.sizes[group] += 1
    local.labels[i] = group
    local.totals[old] -= 2.0 * local.sums[old, i]
    local.totals[group] += 2.0 * local.sums[group, i]
    for j in range(m):
        local.sums[old, j] -= local.between[i, j]
    for j in range(m):
        local.sums[group, j] += local.between[i, j]
