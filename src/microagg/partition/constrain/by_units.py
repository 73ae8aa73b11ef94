"""Two approaches to groups of at least k units, where one unit may have many records.

In the first, the records of a unit that agree on all quasi-identifiers are grouped as one, so that k of
them differ in unit or in value. In the second, each unit is grouped as one record, the mean of its records.
`with_enough_units` then changes groups that have fewer than k units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.partition.constrain.column import UnitColumn
from microagg.partition.constrain.enforce import Met, enforce
from microagg.partition.constrain.limits import Limits
from microagg.partition.partition import Partition
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Codes, Floats


def ways_to_group(
    records: Prepared | Records, X: Floats, who: Codes
) -> Iterator[tuple[Prepared | Records, Codes]]:
    """Yield the records to group by each approach, and which of them each of `records` belongs to.

    `who` is the unit of each record, from 0 without a gap, and `X` their coordinates.
    """
    first, alike = _alike(records, who)
    yield records.subset(first), alike
    if first.size > int(who.max()) + 1:
        yield _profiles(records, X, who), who


def with_enough_units(
    X: Floats, labels: NDArray[np.integer], who: Codes, k: int, context: Context
) -> Met:
    """Return groups that have at least k units each."""
    rough = Partition(labels.astype(np.int32), k=k)
    return enforce(X, rough, [UnitColumn(who)], Limits(unit=k), None, context)


def _alike(records: Prepared | Records, who: Codes) -> tuple[Codes, Codes]:
    """Return one record for each unit and combination of values, and which of them each record equals."""
    if isinstance(records, Prepared):
        values = _numbered(list(records.columns))
    else:
        values = _numbered([column.values for column in records.columns])
    pairs = values * (int(who.max()) + 1) + who
    _, first, alike = np.unique(pairs, return_index=True, return_inverse=True)
    order = np.argsort(first)  # so that ties fall to the lowest row, as everywhere
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return first[order], place[alike]


def _numbered(columns: Sequence[Floats]) -> Codes:
    """Number records so that equal ones have equal numbers; NaN is a number like any other."""
    numbers = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        codes = np.unique(column, return_inverse=True)[1]
        numbers = np.unique(numbers * (codes.max() + 1) + codes, return_inverse=True)[1]
    return numbers


def _profiles(records: Prepared | Records, X: Floats, who: Codes) -> Prepared:
    """Return the mean record of each unit."""
    counts = np.bincount(who)
    means = np.stack([np.bincount(who, weights=column) / counts for column in X.T])
    means.flags.writeable = False
    if isinstance(records, Prepared):
        return Prepared(means, records.names, records.center, records.scale)
    names = tuple(f"coordinate {j}" for j in range(len(means)))
    return Prepared(means, names, np.zeros(len(means)), np.ones(len(means)))
