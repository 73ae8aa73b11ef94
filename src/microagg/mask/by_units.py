"""Groups of at least k different units, where one unit may have many records.

Both approaches of `partition.constrain.by_units` are tried, and the one that loses less is used. Grouping
single records separates the records of a unit that differ, such as the transactions of a customer. Grouping
whole units keeps the records of a unit together, which is best if they are similar, such as the visits of a
patient.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microagg.mask.masked import Task
from microagg.partition.constrain.by_units import ways_to_group, with_enough_units
from microagg.partition.partition import Partition
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.coordinates import coordinates
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Codes

Grouper = Callable[[Task, Prepared | Records], Partition]


def grouped_by_units(
    task: Task, records: Prepared | Records, units: Codes, by: Grouper
) -> Partition:
    """Return groups of at least k units, formed by the method of the task, which `by` runs.

    If there are fewer than k units, all records form one group, which must be merged with others.
    """
    who = np.unique(units, return_inverse=True)[1]
    if int(who.max()) + 1 < task.k:
        everyone = np.zeros(records.n, dtype=np.int32)
        return Partition(everyone, k=task.k, method=task.method.name.lower())
    X, candidates = coordinates(records), []
    ways = ways_to_group(records, X, who)
    for own, (some, place) in zip(task.in_parts([1, 1]), ways, strict=False):
        part = by(own, some)
        met = with_enough_units(X, part.labels[place], who, task.k, task.context)
        facts = met.added_to(part.facts)
        candidates.append(Partition(met.labels, k=part.k, method=part.method, facts=facts))
    return min(candidates, key=lambda part: error_of(X.T, part.labels))
