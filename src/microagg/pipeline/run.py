"""All stages in order: from a frame and what is asked for to an `Outcome`."""

from __future__ import annotations

import time

from microagg.aggregate.round import whole_columns
from microagg.data.frames import Frame
from microagg.mask.masked import Masked
from microagg.measure.anonymity import anonymity_of
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.exposure import exposure_of
from microagg.measure.loss.information_loss import InformationLoss, loss_of
from microagg.measure.pair import Pair
from microagg.partition.bounds.gap import gap_of
from microagg.partition.bounds.proven import proven
from microagg.pipeline.cautions import crossed_strata, exposed, one_group
from microagg.pipeline.mask import masked_records
from microagg.pipeline.outcome import (
    Bound,
    CheckedLimit,
    CheckedPromise,
    FrameOutcome,
    GroupFacts,
    InputFacts,
)
from microagg.pipeline.prepare import prepare_for_grouping
from microagg.pipeline.read import RecordsToRelease, read_records
from microagg.pipeline.request import Request
from microagg.pipeline.software import now, software
from microagg.prepare.column import fingerprint
from microagg.progress import Progress


def run(frame: Frame, request: Request, progress: Progress) -> FrameOutcome:
    """Protect a frame: every promise is checked on the released values, or nothing comes back."""
    started = time.perf_counter()
    schema, options = request.schema, request.options
    records = read_records(frame, schema, options, int(request.k))
    prepared = prepare_for_grouping(records, options, int(request.seed))
    masked = masked_records(frame, records, prepared, request, progress)

    whole = whole_columns(records.columns, options.round_to, options.integers)
    values = records.values_of(masked.columns)
    released = records.frame.with_columns(values, drop=schema.identifiers, whole=whole)
    classes = EquivalenceClasses(released)
    promises = [CheckedPromise(p, p.require(classes).k) for p in masked.promises]
    limits = [CheckedLimit(p, p.require(classes)) for p in masked.beyond]
    anonymity = anonymity_of(classes, tuple(schema.quasi_identifiers))
    unchanged = [name for name in classes.frame.names if schema.role(name) == "other"]
    exposure = exposure_of(classes, schema.quasi_identifiers, unchanged, int(request.k))
    numbers = records.numbers_of(classes.frame, masked.columns)
    loss = loss_of(prepared.original, numbers)
    pair = Pair(
        columns=records.columns,
        values=numbers,
        after=classes,
        confidential_kinds={name: schema.kinds.get(name) for name in schema.confidential},
        options=options,
        weights=records.weights,
        loss=loss,
    )
    part = masked.partition
    return FrameOutcome(
        request=request,
        source=_input_facts(frame, records),
        records=part.n,
        groups=GroupFacts.of(part, tuple(schema.quasi_identifiers)),
        segments=tuple(GroupFacts.of(own, names) for names, own in masked.segments.items()),
        promises=tuple(promises),
        limits=tuple(limits),
        anonymity=anonymity,
        exposure=exposure,
        loss=loss,
        bound=_bound(masked, records, loss),
        rules=masked.rules,
        cautions=(
            *records.cautions,
            *(crossed_strata(classes, request) if records.joined else ()),
            *masked.cautions,
            *one_group(part.n_groups, masked.rules),
            *([part.details["remark"]] if "remark" in part.details else []),
            *exposed(exposure),
            *masked.warnings,
        ),
        strata_joined=records.joined,
        seconds=round(time.perf_counter() - started, 3),
        created=now(),
        software=software(),
        data=released,
        partition=part,
        partitions=masked.segments,
        rows=records.rows,
        pair=pair,
    )


def _input_facts(frame: Frame, records: RecordsToRelease) -> InputFacts:
    return InputFacts(
        rows=frame.n,
        columns=tuple(frame.names),
        index=tuple(frame.index_names),
        kinds={str(name): column.kind for name, column in records.columns.items()},
        fingerprint=fingerprint(records.columns),
    )


def _bound(masked: Masked, records: RecordsToRelease, loss: InformationLoss) -> Bound | None:
    """Return a proven lower bound of the loss that was measured, and the gap to it; or nothing.

    The proof is about the complete numbers that were grouped: no value that the records of a group
    share loses less than their mean. Records with values of their own may, and blanks that were
    filled in count for no loss.
    """
    bound = proven(masked.partition.details)
    if bound is None or not masked.promises or records.has_blanks:
        return None
    return Bound(bound, gap_of(loss.il, bound))
