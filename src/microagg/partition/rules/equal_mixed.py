"""Equal records first: where k or more agree on all quasi-identifiers, their groups lose nothing."""

from __future__ import annotations

import numpy as np

from microagg.partition.equal_records import equal_groups
from microagg.prepare.records import Records
from microagg.typing import Floats, Labels, Rows


def combinations(records: Records, k: int = 1) -> Rows:
    """Return a number for each record, the same for those that agree on all columns, blanks included.

    The numbers run from 0 in the order of the values. Records of which a value occurs fewer than k times
    are not compared: each has a number of its own, behind all others.
    """
    values = np.stack([np.where(c.blank, np.inf, c.values) for c in records.columns])
    rows = _rows_of_frequent_values(values, k)
    keys = values[:, rows]
    order = np.lexsort(keys)
    new = np.any(keys[:, order[1:]] != keys[:, order[:-1]], axis=0)
    numbers = np.arange(rows.size, rows.size + records.n)
    numbers[rows[order]] = np.concatenate([np.zeros(min(rows.size, 1), int), np.cumsum(new)])
    return numbers


def _rows_of_frequent_values(values: Floats, k: int) -> Rows:
    """Return the records that remain when those with a value of fewer than k are left out, by column."""
    rows = np.arange(values.shape[1])
    for column in values if k > 1 else ():
        ordered = np.sort(column[rows])
        frequent = ordered[k - 1 :][ordered[k - 1 :] == ordered[: max(ordered.size - k + 1, 0)]]
        rows = rows[np.isin(column[rows], np.unique(frequent))]
    return rows


def with_equal_groups(labels: Labels | Rows, combination: Rows, k: int) -> Rows:
    """Return labels in which combinations of k records and more have groups of their own.

    Such a combination becomes groups of k records, the last of up to 2k-1. All other records stay where
    they are, so that groups may have fewer than k records, which have to be scattered.

    Examples
    --------
    >>> with_equal_groups(np.array([0, 0, 1, 1, 1]), np.array([4, 0, 4, 4, 2]), 2).tolist()
    [0, 1, 0, 0, 2]
    """
    counts = np.bincount(combination)
    order = np.argsort(combination, kind="stable")
    order = order[counts[combination[order]] >= k]
    counts = counts[counts >= k]
    groups = counts // k
    place = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)
    within = np.minimum(place // k, np.repeat(groups - 1, counts))
    new = labels.astype(np.int64) + int(groups.sum())
    new[order] = np.repeat(np.cumsum(groups) - groups, counts) + within
    return np.unique(new, return_inverse=True)[1].astype(np.int64)


def equal_mixed_groups(records: Records, k: int) -> Labels | None:
    """Return groups of k to 2k-1 equal records; None if a record occurs fewer than k times."""
    values = [np.nan_to_num(column.values, nan=-np.inf) for column in records.columns]
    return equal_groups(np.stack(values), k)
