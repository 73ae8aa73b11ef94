"""Groups from the solution of a semidefinite relaxation.

The solution Y = k Z has an entry near 1 where two records share a small group in most good partitions, and
near 0 where they share none. Groups are taken where the entries agree most: a record and the k-1 free
records with its largest entries, as long as these are large. What is left joins the group that it has the
largest entries with. The groups are a start for a search, not more.
"""

from __future__ import annotations

import numpy as np

from microagg.typing import Floats, Labels, Rows

SURE = 0.5
"""The mean entry of a group at least, as a share of that of the nearest records, free or not."""


def rounded(matrix: Floats, k: int) -> Labels | None:
    """Return groups of k to 2k-1 records, or None where the entries show too few groups.

    Parameters
    ----------
    matrix : float64[n, n]
        Y, symmetric, with entries from 0 to 1.
    k : int
        The smallest size of a group.

    Examples
    --------
    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> rounded(pairs, 2).tolist()
    [0, 0, 1, 1]
    """
    labels = _sure_groups(matrix, k)
    groups = int(labels.max(initial=-1)) + 1
    left = np.flatnonzero(labels < 0)
    if left.size > groups * (k - 1):  # no room: each group can take k-1 more
        return None
    _join(matrix, labels, left, k)
    return labels


def _sure_groups(matrix: Floats, k: int) -> Labels:
    """Return the label of each record of a group that its entries agree on; -1 of the others."""
    n = len(matrix)
    off = matrix.copy()
    np.fill_diagonal(off, -1.0)
    near = np.argsort(-off, axis=1, kind="stable")
    sums = np.take_along_axis(off, near[:, : k - 1], axis=1).sum(axis=1)
    labels, groups = np.full(n, -1, dtype=np.int32), 0
    for row in np.argsort(-sums, kind="stable"):
        if labels[row] >= 0:
            continue
        free = _first_free(near[row], labels, k - 1)
        if free.size == k - 1 and off[row, free].sum() >= SURE * sums[row]:
            labels[row] = labels[free] = groups
            groups += 1
    return labels


def _first_free(near: Rows, labels: Labels, count: int) -> Rows:
    """Return the first `count` records of a list that have no label."""
    return near[np.flatnonzero(labels[near] < 0)[:count]]


def _join(matrix: Floats, labels: Labels, left: Rows, k: int) -> None:
    """Let each record that is left join a group with room, those with the largest entries first.

    IN/OUT: labels.
    """
    groups = int(labels.max(initial=-1)) + 1
    if left.size == 0:
        return
    of_group = np.zeros((len(labels), groups))
    kept = np.flatnonzero(labels >= 0)
    of_group[kept, labels[kept]] = 1.0
    means = matrix[left] @ of_group / k  # every group has k records by now
    room = np.full(groups, k - 1)
    for number in np.argsort(-means.max(axis=1), kind="stable"):
        group = int(np.argmax(np.where(room > 0, means[number], -1.0)))
        labels[left[number]] = group
        room[group] -= 1
