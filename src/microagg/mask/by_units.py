"""Groups of at least k different units, where one unit may have many records.

Two ways are tried, and the one that loses less is kept:

- Records of a unit that agree on all quasi-identifiers are grouped as one, so that k of them are k
  records that differ in unit or in value. Groups with fewer than k units then exchange records with
  near groups, or are merged and halved (`partition.constrain`). This keeps the records of a unit apart
  where they differ, such as the transactions of a customer.
- Each unit is grouped as one record, the mean of its records. Its records stay together, which is best
  where they are alike, such as the visits of a patient.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from microagg.mask.coordinates import coordinates
from microagg.mask.masked import Floats, Task
from microagg.measure.classes import classes_of_numbers
from microagg.partition.constrain.column import UnitColumn
from microagg.partition.constrain.enforce import meet
from microagg.partition.constrain.limits import Limits
from microagg.partition.partition import Partition
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records

Codes = NDArray[np.int64]
Grouper = Callable[[Task, Prepared | Records], Partition]


def grouped_by_units(
    task: Task, records: Prepared | Records, units: Codes, by: Grouper
) -> Partition:
    """Return groups of at least k units, made by the method of the task, which `by` runs.

    Where there are fewer than k units, all records are one group; others must join it.
    """
    who = np.unique(units, return_inverse=True)[1]
    if int(who.max()) + 1 < task.k:
        everyone = np.zeros(records.n, dtype=np.int32)
        return Partition(everyone, k=task.k, method=task.method.lower())
    X = coordinates(records)
    first, alike = _alike(records, who)
    one_by_one, together = task.in_parts([1, 1])
    part = by(one_by_one, records.subset(first))
    candidates = [(part, part.labels[alike])]
    if first.size > int(who.max()) + 1:
        part = by(together, _profiles(records, X, who))
        candidates.append((part, part.labels[who]))
    parts = [_repaired(task, X, part, labels, who) for part, labels in candidates]
    return min(parts, key=lambda part: error_of(X.T, part.labels))


def _alike(records: Prepared | Records, who: Codes) -> tuple[Codes, Codes]:
    """Return one record of each unit and value, and for each record which of these it equals."""
    if isinstance(records, Prepared):
        values = classes_of_numbers(list(records.columns))
    else:
        values = classes_of_numbers([column.values for column in records.columns])
    pairs = values * (int(who.max()) + 1) + who
    _, first, alike = np.unique(pairs, return_index=True, return_inverse=True)
    order = np.argsort(first)  # so that ties fall to the lowest row, as everywhere
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return first[order], place[alike]


def _profiles(records: Prepared | Records, X: Floats, who: Codes) -> Prepared:
    """Return the mean record of each unit."""
    counts = np.bincount(who)
    means = np.stack([np.bincount(who, weights=column) / counts for column in X.T])
    means.flags.writeable = False
    if isinstance(records, Prepared):
        return Prepared(means, records.names, records.center, records.scale)
    names = tuple(f"coordinate {j}" for j in range(len(means)))
    return Prepared(means, names, np.zeros(len(means)), np.ones(len(means)))


def _repaired(
    task: Task, X: Floats, part: Partition, labels: NDArray[np.int32], who: Codes
) -> Partition:
    """Return groups of records of which each has at least k units."""
    rough = Partition(labels, k=part.k)
    met = meet(X, rough, [UnitColumn(who)], Limits(unit=task.k), None, task.context)
    facts = met.added_to(part.facts)
    return Partition(met.labels, k=part.k, method=part.method, facts=facts)
