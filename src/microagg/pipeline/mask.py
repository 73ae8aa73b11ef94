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
from microagg.partition.constrain.limits import Limits
from microagg.pipeline.cautions import interrupted
from microagg.pipeline.prepare import PreparedRecords
from microagg.pipeline.read import RecordsToRelease
from microagg.settings import Settings


def masked_records(
    frame: Frame,
    records: RecordsToRelease,
    prepared: PreparedRecords,
    request: Settings,
    context: Context,
) -> Masked:
    """Return the new values of the records, and what may be promised of them.

    The warnings of the records are among its cautions. `frame` is the whole input.
    """
    schema, options = request.schema, request
    limits = guard(records.frame, Limits.of(request), schema.confidential, schema.kinds)
    warnings = (*records.warnings, *ordered_codes(records.frame, limits, schema.kinds))
    for warning in warnings:
        context.reporter.warn(warning)
    task = Task(
        columns=prepared.columns,
        prepared=prepared.scaled,
        scale=str(options.scale),
        k=request.k,
        method=request.method,
        refine=request.refine or None,
        seed=request.seed,
        context=context,
        parameters=request.parameters,
        grouped_on=request.columns,
        segments=request.segments,
        rules=rules_of(records.columns, options.aggregate),
        steps=steps_of(records.columns, records.calendars, options.round_to),
        weights=records.weights,
        strata=records.strata,
        only_for_groups=records.more_than_numbers(options),
        dates=tuple(records.calendars),
        guard=limits,
        synthetic=options.aggregate == "hybrid",
        kept=schema.kept(frame),
    )
    masked = _noting_interrupts(mask(task), context.budget.stopped)
    return replace(masked, warnings=warnings)


def _noting_interrupts(masked: Masked, stopped: Stop | None) -> Masked:
    """Record that an interrupt ended a search, whichever of several it was."""
    if stopped is not Stop.INTERRUPTED:
        return masked
    facts = replace(masked.partition.facts, stopped=Stop.INTERRUPTED)
    return replace(
        masked,
        partition=replace(masked.partition, facts=facts),
        cautions=(interrupted(promised=bool(masked.promises)), *masked.cautions),
    )
