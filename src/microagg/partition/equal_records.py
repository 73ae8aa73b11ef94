"""Equal records: groups of them lose nothing, and thousands of such groups are no work for a method.

Where each record occurs at least k times, groups of equal ones are the best there is, and no search is
needed. Hardly any data is so, and a look at a few records says that it is not: for 100,000 normal records
of 10 columns that took 0.3 ms, and 0.1 s where each occurs 5 times. Elsewhere many groups of one record
lie at the same point. A few of them are enough for a refinement to choose from; the surplus is left as it
is, since every search for near groups would have to look at all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.partition.search.lns.annealing import renumbered
from microagg.typing import Flags, Floats, Labels

LOOKED_AT = 32
"""Records that are compared with all others before all are put in order."""

CHOICE = 8
"""Groups of the same record that a refinement can choose from, besides one for each record that is not in
a group of equal ones."""


def equal_groups(columns: Floats, k: int) -> Labels | None:
    """Return groups of k to 2k-1 equal records; None if a record occurs fewer than k times.

    Parameters
    ----------
    columns : float64[d, n]
        The records, one array per attribute.
    k : int
        The smallest size of a group.

    Examples
    --------
    >>> equal_groups(np.array([[1.0, 5.0, 1.0, 5.0, 5.0]]), 2).tolist()
    [0, 1, 0, 1, 1]
    >>> equal_groups(np.array([[1.0, 5.0, 1.0, 5.0, 6.0]]), 2) is None
    True
    """
    n = columns.shape[1]
    looked_at = np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(np.int64)
    if not all(_occurs(columns, int(row), k) for row in looked_at):
        return None
    order = np.lexsort(columns)
    new = np.any(columns[:, order[1:]] != columns[:, order[:-1]], axis=0)
    first = np.flatnonzero(np.concatenate([[True], new]))
    counts = np.diff(np.append(first, n))
    return _cut(order, counts, k) if counts.min() >= k else None


def _occurs(columns: Floats, row: int, k: int) -> bool:
    """Return whether a record occurs at least k times, by as few of its values as will do."""
    equal = np.arange(columns.shape[1])
    for column in columns:
        equal = equal[column[equal] == column[row]]
        if equal.size < k:
            return False
    return True


def _cut(order: NDArray[np.int64], counts: NDArray[np.int64], k: int) -> Labels:
    """Cut each run of equal records into groups of k; what is left over joins the last of its run."""
    groups = counts // k
    place = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)
    within = np.minimum(place // k, np.repeat(groups - 1, counts))
    labels = np.empty(order.size, dtype=np.int32)
    labels[order] = np.repeat(np.cumsum(groups) - groups, counts) + within
    return renumbered(labels)


def surplus_of(columns: Floats, labels: Labels) -> Flags | None:
    """Return which records are in groups of equal ones that no refinement needs; None if none are.

    Examples
    --------
    >>> labels = np.repeat(np.arange(10, dtype=np.int32), 4)
    >>> int(surplus_of(np.zeros((1, 40)), labels).sum())
    8
    >>> surplus_of(np.arange(4.0)[None], np.array([0, 0, 1, 1], dtype=np.int32)) is None
    True
    """
    n_groups = int(labels.max()) + 1
    first = np.zeros(n_groups, dtype=np.int64)
    first[labels[::-1]] = np.arange(labels.size)[::-1]
    equal = np.ones(n_groups, dtype=bool)
    for column in columns:
        equal[labels[column != column[first][labels]]] = False
        if not equal.any():
            return None
    numbers = np.flatnonzero(equal)
    kinds = np.unique(columns[:, first[numbers]], axis=1, return_inverse=True)[1].reshape(-1)
    order = np.argsort(kinds, kind="stable")
    starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
    rank = np.arange(order.size) - np.repeat(starts, np.diff(starts, append=order.size))
    others = int(np.count_nonzero(~equal[labels]))
    spared = np.zeros(n_groups, dtype=bool)
    spared[numbers[order[rank >= CHOICE + others]]] = True
    return spared[labels] if spared.any() else None
