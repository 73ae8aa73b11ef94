"""Groups from the solution of a semidefinite relaxation.

The solution Y = k Z has an entry near 1 where two records share a small group in most good partitions, and
near 0 where they share none. Groups are taken where the entries agree most: a record and the k-1 free
records with its largest entries. At first all of these entries must be large; records that belong to such a
group join it. Then it is enough that the entries are large on the whole. What is left joins the group that
it has the largest entries with. The groups are a start for a search, not more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from microagg.typing import Floats, Labels, Rows

SURE = 0.5
"""How large entries must be, as a share of the largest that a record has."""

NEAR_A_GROUP = 6
"""Records near each that are looked at, for each record of a smallest group."""


def rounded(matrix: Floats, k: int) -> Labels | None:
    """Return groups of k to 2k-1 records, or None if the entries show too few groups.

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
    n = len(matrix)
    entries = matrix.copy()
    np.fill_diagonal(entries, -1.0)
    near = _nearest(entries, min(n - 1, NEAR_A_GROUP * k))
    labels = np.full(n, -1, dtype=np.int32)
    _group(entries, near, labels, k, np.min)
    _join(entries, near, labels, k, SURE)
    _group(entries, near, labels, k, np.sum)
    _join(entries, near, labels, k, -np.inf)
    return labels if labels.min() >= 0 else None


def _nearest(entries: Floats, count: int) -> Rows:
    """Return the columns of the `count` largest entries of each row, the largest first."""
    near = np.sort(np.argpartition(-entries, count - 1, axis=1)[:, :count], axis=1)
    order = np.argsort(-np.take_along_axis(entries, near, axis=1), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)


def _group(
    entries: Floats, near: Rows, labels: Labels, k: int, size: Callable[[Floats], Any]
) -> None:
    """Group free records where their entries, by their `size`, are large. IN/OUT: labels."""
    groups = int(labels.max(initial=-1)) + 1
    largest = np.take_along_axis(entries, near[:, : k - 1], axis=1)
    for row in np.argsort(-largest.sum(axis=1), kind="stable"):
        if labels[row] >= 0:
            continue
        free = near[row][labels[near[row]] < 0][: k - 1]
        if free.size == k - 1 and size(entries[row, free]) >= SURE * size(largest[row]):
            labels[row] = labels[free] = groups
            groups += 1


def _join(entries: Floats, near: Rows, labels: Labels, k: int, sure: float) -> None:
    """Let free records join groups with room where their mean entry is large. IN/OUT: labels.

    Those with the largest means come first; the largest entries of a record say what is large.
    """
    free, grouped = np.flatnonzero(labels < 0), np.flatnonzero(labels >= 0)
    if not (free.size and grouped.size):
        return
    sizes = np.bincount(labels[grouped])
    of_group = np.zeros((len(labels), sizes.size))
    of_group[grouped, labels[grouped]] = 1.0
    means = entries[free] @ of_group / sizes
    largest = np.take_along_axis(entries[free], near[free, : k - 1], axis=1).mean(axis=1)
    room = 2 * k - 1 - sizes
    for number in np.argsort(-means.max(axis=1), kind="stable"):
        group = int(np.argmax(np.where(room > 0, means[number], -1.0)))
        if room[group] > 0 and means[number, group] >= sure * largest[number]:
            labels[free[number]] = group
            room[group] -= 1
