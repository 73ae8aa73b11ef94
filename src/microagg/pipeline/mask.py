"""The third stage: records are grouped, and their values are replaced."""

from __future__ import annotations

from dataclasses import replace

from microagg.aggregate.by_kind import rules_of
from microagg.aggregate.round import steps_of
from microagg.data.frames import Frame
from microagg.mask.constrained import guard, ordered_codes
from microagg.mask.groups import mask
from microagg.mask.masked import Masked, Task
from microagg.pipeline.cautions import interrupted
from microagg.pipeline.prepare import PreparedRecords
from microagg.pipeline.read import RecordsToRelease
from microagg.pipeline.request import Request
from microagg.progress import INTERRUPTED, Progress


def masked_records(
    frame: Frame,
    records: RecordsToRelease,
    prepared: PreparedRecords,
    request: Request,
    progress: Progress,
) -> Masked:
    """Return the new values of the records, and what may be promised of them.

    The warnings of the records are among its cautions. `frame` is the whole input.
    """
    progress.interrupts = 0
    schema, options = request.schema, request.options
    limits = guard(records.frame, request.limits, schema.confidential, schema.kinds)
    warnings = (*records.warnings, *ordered_codes(records.frame, limits, schema.kinds))
    for warning in warnings:
        progress.warn(warning)
    task = Task(
        columns=prepared.columns,
        prepared=prepared.scaled,
        scale=str(options.scale),
        k=request.k,
        method=request.method,
        refine=request.refine,
        seed=request.seed,
        progress=progress,
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
    masked = _noting_interrupts(mask(task), progress.interrupts)
    return replace(masked, warnings=warnings)


def _noting_interrupts(masked: Masked, interrupts: int) -> Masked:
    """Record that an interrupt ended a search, whichever of several it was."""
    if interrupts == 0:
        return masked
    details = {**masked.partition.details, "stopped": INTERRUPTED}
    return replace(
        masked,
        partition=replace(masked.partition, details=details),
        cautions=(interrupted(promised=bool(masked.promises)), *masked.cautions),
    )
