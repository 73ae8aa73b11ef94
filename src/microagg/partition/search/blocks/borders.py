"""Borders: cuts keep near records apart; groups near one are repaired across it.

Groups are looked at by swap-shift, first those of each block together, then those near a cut by
cells: these come from cuts askew to those of the blocks, so what one cut has kept apart stands
together in a cell. Groups stay whole, so whatever is repaired has at least k records.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.partition.refine.in_turn import refined_in_turn
from microagg.partition.refine.registry import chain
from microagg.partition.refine.swap_shift import swap_shift
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Flags, Floats, Integers, Labels

MIXED = ("decompose", "swap-shift")
"""The refinements of blocks of mixed records, as those of `auto`."""


def near_cuts(columns: Floats, labels: Integers, low: Floats, high: Floats) -> Flags:
    """Tell which groups of a block from `low` to `high` are no farther from a cut than they reach.

    A group reaches from its mean to its farthest record.
    """
    means, sizes = means_of(columns, labels)
    squares = np.zeros(labels.size)
    for column, mean in zip(columns, means, strict=True):
        squares += (column - mean[labels]) ** 2
    reach = np.zeros(sizes.size)
    np.maximum.at(reach, labels, squares)
    gaps = np.minimum(means - low[:, None], high[:, None] - means).min(axis=0)
    return np.asarray(gaps <= np.sqrt(reach))


def means_of(columns: Floats, labels: Integers) -> tuple[Floats, Integers]:
    """Return the mean of each group, float64[d, g], and its size."""
    sizes = np.bincount(labels)
    means = np.stack([np.bincount(labels, column) for column in columns]) / sizes
    return means, sizes


def repaired(records: Prepared, labels: NDArray[np.integer], k: int, context: Context) -> Integers:
    """Return better labels of whole groups that are looked at together, in the same numbers.

    No group vanishes: swap-shift takes nothing from a group of k.
    """
    numbers, compact = np.unique(labels, return_inverse=True)
    better = swap_shift(records, compact.astype(np.int32), k, context)
    named: Integers = numbers[better].astype(np.int64)
    return named


def refined(records: Records, labels: Labels, k: int, context: Context) -> Integers:
    """Return better labels of the groups of a block of mixed records.

    What a missing value loses is judged by the records of the block alone, which a file larger than
    memory has too.
    """
    alone = replace(records, stand_ins=())
    return refined_in_turn(chain(MIXED), alone, labels, k, context)[0].astype(np.int64)


def upper_half(columns: Floats, labels: Integers) -> Flags:
    """Tell which records are in the groups above the middle, askew, where these differ most.

    Groups stay whole, so the halves are only about equal; a single group has no upper half.

    Examples
    --------
    >>> upper_half(np.array([[0.0, 9.0, 1.0, 8.0, 5.0, 5.0]]), np.array([4, 7, 4, 7, 2, 2]))
    array([False,  True, False,  True,  True,  True])
    """
    groups, compact = np.unique(labels, return_inverse=True)
    means, sizes = means_of(columns, compact)
    means = askew(means)
    order = np.argsort(means[np.argmax(means.var(axis=1))], kind="stable")
    below = np.count_nonzero(np.cumsum(sizes[order]) <= labels.size / 2)
    upper = np.zeros(groups.size, dtype=bool)
    upper[order[max(below, 1) :]] = True
    return np.asarray(upper[compact])


def askew(columns: Floats) -> Floats:
    """Return the records along other directions than their columns: sums and differences of all.

    Examples
    --------
    >>> askew(np.array([[1.0, 2.0], [10.0, 30.0]]))
    array([[ 11.,  32.],
           [ -9., -28.]])
    """
    out = np.zeros(columns.shape)
    for i, row in enumerate(out):
        for j, column in enumerate(columns):  # Walsh functions, added in one order on any machine
            row += column if (i & j).bit_count() % 2 == 0 else -column
    return out
