"""Groups that satisfy the limits: those of a method and, on mixed records, those of its baseline.

Limits on confidential values and units are enforced on complete groups. That can cost more than a search
gained: on the NIST ACS file with t-closeness, the groups of `auto` lost more than those of `mdav-nc`.
A method may therefore declare a baseline. The limits are enforced on the groups of both. Records with the
same confidential values then change places where that reduces the reported loss, in the groups that lose
less and, if the others lose about as much, in those too. The release that loses least is chosen. The groups
of the baseline without exchanges are also a candidate, so no release loses more than they do. The rounding
of integers and dates comes later and can change that by a little.
"""

from __future__ import annotations

from collections.abc import Callable
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

Lost = Callable[[Partition], float]
"""Returns the loss of the release of some groups."""

ABOUT = 1.1
"""Groups that lose so many times as much as others can lose less than these after the exchanges."""

MOST_STRATA = 100
"""With more strata, no records are exchanged, because each stratum takes a call."""


def candidates(task: Task, lost: Lost) -> list[Partition]:
    """Return groups that satisfy the limits; of several, the ones whose release loses least are chosen."""
    part = _within_limits(task)
    baseline = _baseline(task)
    if baseline is None or task.context.budget.stopped is Stop.INTERRUPTED:
        return [part]
    own = _within_limits(baseline)
    name = f"{task.method.name.lower()} ({own.method})"
    plain = replace(own, method=name, facts=replace(own.facts, chosen=own.method))
    if task.strata is not None and task.strata.count > MOST_STRATA:
        return [part, plain]
    losses = [lost(part), lost(plain)]
    close = [
        each
        for each, loss in zip((part, plain), losses, strict=True)
        if loss <= ABOUT * min(losses)
    ]
    return [*(_exchanged(task, each) for each in close), plain]


def _within_limits(task: Task) -> Partition:
    """Return the groups of the method of a task, with the limits enforced."""
    part = within_strata(task)
    if task.guard is None or task.meets_limits:
        return part
    strata = None if task.strata is None else task.strata.codes
    return task.guard.constrained(coordinates(task.prepared), part, strata, task.context)


def _baseline(task: Task) -> Task | None:
    """Return the same task for the baseline of its method, or None if it has none."""
    own = task.grouping.method
    if task.guard is None or own.baseline is None or task.refine or task.synthetic:
        return None
    if not isinstance(task.prepared, Records):
        return None
    name = own.baseline(task.prepared.n, task.k, task.parameters)
    return None if name is None else replace(task, method=resolve(name), parameters={})


def _exchanged(task: Task, part: Partition) -> Partition:
    """Return groups after exchanges of records with the same confidential values.

    Where missing values stay missing, the records must also lack the same values, because the loss counts
    too little for a value that is released as missing.
    """
    assert task.guard is not None  # `_baseline` has checked both
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
