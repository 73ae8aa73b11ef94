"""Groups that hold the limits: those of a method and, on mixed records, those of its baseline.

Limits on confidential values and units are enforced on complete groups. That can cost what a search gained
before: on the NIST ACS file with t-closeness, the groups of `auto` then lost more than those of `mdav-nc`.
Therefore a method may declare a baseline. Both are made to hold the limits, records of the same
confidential values are exchanged by the loss that is reported, and the release that loses least is chosen.
The groups of the baseline without exchanges are among the candidates, so no release loses more than it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microagg.budget import Stop
from microagg.mask.grouped import within_strata
from microagg.mask.masked import Task
from microagg.partition.constrain.exchange_mixed import exchanged
from microagg.partition.constrain.groups import combined
from microagg.partition.names import resolve
from microagg.partition.partition import Partition
from microagg.prepare.coordinates import coordinates
from microagg.prepare.records import Records

MOST_STRATA = 100
"""Records are not exchanged within more strata than that, each of which takes a call."""


def candidates(task: Task) -> list[Partition]:
    """Return groups that hold the limits; where there are several, the release that loses least counts."""
    part = _holding_limits(task)
    baseline = _baseline(task)
    if baseline is None or task.context.budget.stopped is Stop.INTERRUPTED:
        return [part]
    own = _holding_limits(baseline)
    name = f"{task.method.name.lower()} ({own.method})"
    plain = replace(own, method=name, facts=replace(own.facts, chosen=own.method))
    if task.strata is not None and task.strata.count > MOST_STRATA:
        return [part, plain]
    return [*(_exchanged(task, each) for each in (part, plain)), plain]


def _holding_limits(task: Task) -> Partition:
    """Return the groups of the method of a task, made to hold the limits."""
    part = within_strata(task)
    if task.guard is None or task.meets_limits:
        return part
    strata = None if task.strata is None else task.strata.codes
    return task.guard.constrained(coordinates(task.prepared), part, strata, task.context)


def _baseline(task: Task) -> Task | None:
    """Return the same task for the baseline of its method; None where there is none."""
    own = task.grouping.method
    if task.guard is None or own.baseline is None or task.refine or task.synthetic:
        return None
    if not isinstance(task.prepared, Records):
        return None
    name = own.baseline(task.prepared.n, task.k, task.parameters)
    return None if name is None else replace(task, method=resolve(name), parameters={})


def _exchanged(task: Task, part: Partition) -> Partition:
    """Return groups after exchanges of records with the same confidential values.

    Where missing values stay missing, these records also lack the same values: the loss counts too little
    for a value that is released as missing.
    """
    assert task.guard is not None  # `_baseline` has seen to both
    assert isinstance(task.prepared, Records)
    classes, labels = task.guard.classes(), part.labels.copy()
    if task.prepared.keeps_blanks:
        lacking = [column.blank.astype(np.int64) for column in task.prepared.columns]
        classes = combined([classes, *lacking])
    everyone = [np.arange(labels.size)]
    for rows in everyone if task.strata is None else task.strata.members():
        some = task.prepared.subset(rows)
        labels[rows] = exchanged(some, labels[rows], classes[rows], part.k, task.context)
    moved = int(np.count_nonzero(labels != part.labels))
    equals = (part.facts.exchanges_of_equals or 0) + moved // 2
    return replace(part, labels=labels, facts=replace(part.facts, exchanges_of_equals=equals))
