"""The third stage: records are grouped, and their values are replaced."""

from __future__ import annotations

from dataclasses import replace

from microagg.aggregate.by_kind import rules_of
from microagg.aggregate.round import steps_of
from microagg.budget import Stop
from microagg.context import Context
from microagg.data.frames import Frame
from microagg.mask.constrained import guard, ordered_codes
from microagg.mask.groups import mask
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import Masking
from microagg.partition.constrain.limits import Limits
from microagg.partition.names import NamedMethod
from microagg.pipeline.cautions import interrupted
from microagg.pipeline.prepare import PreparedRecords
from microagg.pipeline.read import RecordsToRelease
from microagg.settings import Settings


def masked_records(
    frame: Frame,
    records: RecordsToRelease,
    prepared: PreparedRecords,
    settings: Settings,
    method: NamedMethod | Masking,
    context: Context,
) -> Masked:
    """Return the released values of the records, and the promises about them.

    The warnings of the records are among its cautions. `frame` is the whole input, and `method` is what
    the name of the method denotes.
    """
    schema = settings.schema
    limits = guard(
        records.frame, Limits.of(settings), schema.confidential, schema.kinds, records.units
    )
    warnings = (*records.warnings, *ordered_codes(records.frame, limits, schema.kinds))
    for warning in warnings:
        context.reporter.warn(warning)
    task = Task(
        columns=prepared.columns,
        prepared=prepared.scaled,
        scale=str(settings.scale),
        k=settings.k,
        method=method,
        refine=settings.refine or None,
        seed=int(settings.seed),
        context=context,
        parameters=settings.parameters,
        grouped_on=settings.columns,
        segments=settings.segments,
        rules=rules_of(records.columns, settings.aggregate),
        steps=steps_of(records.columns, records.calendars, settings.round_to),
        weights=records.weights,
        strata=records.strata,
        patterns=records.patterns,
        units=records.units,
        only_for_groups=records.more_than_numbers(settings),
        dates=tuple(records.calendars),
        guard=limits,
        synthetic=settings.aggregate == "hybrid",
        kept=schema.kept(frame),
        as_read=prepared.original,
    )
    masked = _noting_interrupts(mask(task), context.budget.stopped)
    return replace(masked, warnings=warnings)


def _noting_interrupts(masked: Masked, stopped: Stop | None) -> Masked:
    """Record that an interrupt ended one of the searches."""
    if stopped is not Stop.INTERRUPTED:
        return masked
    facts = replace(masked.partition.facts, stopped=Stop.INTERRUPTED)
    return replace(
        masked,
        partition=replace(masked.partition, facts=facts),
        cautions=(interrupted(promised=bool(masked.promises)), *masked.cautions),
    )
