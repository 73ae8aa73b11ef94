"""Grouping the records of a task: separately in each stratum, by records or by units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from microagg.mask.by_units import grouped_by_units
from microagg.mask.masked import Task
from microagg.partition.bounds.mixed_embedding import is_complete, total_of
from microagg.partition.bounds.proven import with_bound_of_parts
from microagg.partition.driver import group_by, group_strata
from microagg.partition.grouping import Facts
from microagg.partition.partition import Partition
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.prepare.strata import Strata


def within_strata(task: Task) -> Partition:
    """Return the groups, formed separately in each stratum within one time limit."""
    strata = _parts(task)
    if strata is None:
        return _grouped_part(task, np.arange(task.prepared.n))
    part = _at_once(task, strata)
    if part is not None:
        return part
    labels = np.empty(task.prepared.n, dtype=np.int32)
    done, method = 0, ""
    facts: list[Facts] = []
    members = strata.members()
    parts = task.in_parts([rows.size for rows in members])
    for rows, own in zip(members, parts, strict=True):
        part = _grouped_part(own, rows)
        facts.append(part.facts)
        labels[rows] = part.labels + done
        done, method = done + part.n_groups, part.method
    whole = _of_strata(facts, task.prepared)
    return Partition(labels, k=task.k, method=method, facts=whole)


def _at_once(task: Task, strata: Strata) -> Partition | None:
    """Return the groups of all strata if the method forms them at once, otherwise None."""
    asked = (task.units, task.grouped_on, task.refine)
    if task.meets_limits or any(option is not None for option in asked):
        return None
    return group_strata(
        task.grouping,
        task.prepared,
        strata.codes,
        task.k,
        seed=task.seed,
        parameters=task.parameters,
        context=task.context,
    )


def _parts(task: Task) -> Strata | None:
    """Return the parts that are grouped separately: strata, divided by missing values if possible.

    A method that enforces limits itself does so in each part, so each part must be able to satisfy them.
    """
    if task.patterns is None or task.guard is None or not task.meets_limits:
        return task.strata if task.patterns is None else task.patterns
    limits = task.guard.of_records()
    divided = all(limits.subset(rows).allow_one_group() for rows in task.patterns.members())
    return task.patterns if divided else task.strata


def _of_strata(parts: list[Facts], prepared: Prepared | Records) -> Facts:
    """Return the facts about all strata together, with the bound that follows from theirs.

    Incomplete records have no bound: they may be divided by their missing values, and groups of another
    partition could cross these parts.
    """
    whole = Facts.of_parts(parts)
    if any(part.lower_bound_sse is None for part in parts):
        return whole
    if isinstance(prepared, Records):
        if not is_complete(prepared):
            return whole
        return with_bound_of_parts(whole, parts, total_of(prepared))
    sst = error_of(prepared.columns, np.zeros(prepared.n, dtype=np.int32))
    return with_bound_of_parts(whole, parts, sst)


def _grouped_part(task: Task, rows: NDArray[np.int64]) -> Partition:
    """Return groups of at least k records, or of at least k units if units count, for some records."""
    records = task.prepared if rows.size == task.prepared.n else task.prepared.subset(rows)
    if task.guard is not None and task.meets_limits:
        limits = task.guard.of_records().subset(rows)
        return _grouped(replace(task, context=replace(task.context, limits=limits)), records)
    if task.units is None:
        return _grouped(task, records)
    return grouped_by_units(task, records, task.units[rows], _grouped)


def _grouped(task: Task, records: Prepared | Records) -> Partition:
    return group_by(
        task.grouping,
        records,
        task.k,
        columns=task.grouped_on,
        refine=task.refine,
        seed=task.seed,
        parameters=task.parameters,
        context=task.context,
    )
