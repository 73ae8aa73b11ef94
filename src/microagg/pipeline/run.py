"""All stages in order: from a frame and settings to an `Outcome`."""

from __future__ import annotations

import time

from microagg.context import Context
from microagg.data.frames import Frame
from microagg.engine import chosen_engine
from microagg.mask.masked import Masked
from microagg.mask.registry import Masking
from microagg.partition.names import NamedMethod
from microagg.pipeline.cautions import (
    blanked,
    codes_among_amounts,
    crossed_strata,
    diverse_only_by_missing,
    dominated,
    exposed,
    filled_in,
    given_away,
    has_dominant_record,
    index_exposes,
    index_kept,
    linked_by_unit,
    not_jointly,
    one_group,
    refuse_if_strict,
    rounded_away,
    several_records_each,
)
from microagg.pipeline.check import CheckedRelease, checked_release
from microagg.pipeline.formulas import columns_with_formulas, formulas
from microagg.pipeline.mask import masked_records
from microagg.pipeline.measure import Measured, measured
from microagg.pipeline.outcome import FrameOutcome, GroupFacts, InputFacts
from microagg.pipeline.prepare import prepare_for_grouping
from microagg.pipeline.read import RecordsToRelease, read_records
from microagg.pipeline.software import now, software
from microagg.prepare.column import fingerprint
from microagg.reporter import Reporter
from microagg.settings import Settings


def run(
    frame: Frame,
    settings: Settings,
    method: NamedMethod | Masking,
    reporter: Reporter | None = None,
) -> FrameOutcome:
    """Protect a frame: the result is returned only if every promise holds on the released values.

    `method` is the method that the name in the settings denotes.
    """
    masking = method if isinstance(method, Masking) else None
    started = time.perf_counter()
    context = Context.of(reporter, engine=chosen_engine(settings.engine))
    records = read_records(frame, settings)
    prepared = prepare_for_grouping(records, settings)
    masked = masked_records(frame, records, prepared, settings, method, context)
    checked = checked_release(records, masked, settings)
    figures = measured(records, prepared, masked, checked, settings)
    of_release = _of_release(records, checked, figures, settings, masking)
    refuse_if_strict((*of_release, *masked.warnings), settings)
    part, keys = masked.partition, tuple(settings.schema.quasi_identifiers)
    return FrameOutcome(
        settings=settings,
        masking=masking,
        source=_input_facts(frame, records),
        records=part.n,
        groups=GroupFacts.of(part, keys),
        segments=tuple(GroupFacts.of(own, names) for names, own in masked.segments.items()),
        promises=checked.promises,
        limits=checked.limits,
        units=checked.units,
        anonymity=checked.anonymity,
        exposure=checked.exposure,
        homogeneous=checked.homogeneous,
        diverse_by_missing=checked.diverse_by_missing,
        shared_identifiers=checked.shared_identifiers,
        copies=records.copies,
        blanks=figures.blanks,
        index_dropped=checked.index_dropped,
        loss=figures.loss,
        bound=figures.bound,
        rules=masked.rules,
        left_out=records.left_out,
        cautions=(
            *_cautions(records, masked, figures, of_release, settings),
            *formulas(columns_with_formulas(checked.classes.frame)),
        ),
        strata_joined=records.joined,
        seconds=round(time.perf_counter() - started, 3),
        created=now(),
        software=software(),
        data=checked.data,
        partition=part,
        partitions=masked.segments,
        rows=records.rows,
        pair=figures.pair,
    )


def _input_facts(frame: Frame, records: RecordsToRelease) -> InputFacts:
    return InputFacts(
        rows=frame.n,
        columns=tuple(frame.names),
        index=tuple(frame.index_names),
        kinds={str(name): column.kind for name, column in records.columns.items()},
        fingerprint=fingerprint(records.columns),
    )


def _cautions(
    records: RecordsToRelease,
    masked: Masked,
    figures: Measured,
    of_release: tuple[str, ...],
    settings: Settings,
) -> tuple[str, ...]:
    """Return the cautions, beginning with the records that were left out."""
    part = masked.partition
    return (
        *records.cautions,
        *masked.cautions,
        *one_group(part.n_groups, masked.rules),
        *dominated(has_dominant_record(part.labels, records.weights)),
        *(() if part.facts.remark is None else (part.facts.remark,)),
        *of_release,
        *rounded_away(records.columns, settings.round_to),
        *codes_among_amounts(records.frame, records.columns),
        *masked.warnings,
    )


def _of_release(
    records: RecordsToRelease,
    checked: CheckedRelease,
    figures: Measured,
    settings: Settings,
    masking: Masking | None,
) -> tuple[str, ...]:
    """Return the cautions about what the release reveals, invents or leaves out."""
    return (
        *(crossed_strata(checked.classes, settings) if records.joined else ()),
        *not_jointly(
            checked.anonymity,
            settings.k,
            figures.loss.il,
            private=masking is not None and masking.private,
        ),
        *exposed(checked.exposure),
        *several_records_each(checked.shared_identifiers, checked.classes.frame.n, settings.k),
        *diverse_only_by_missing(
            checked.diverse_by_missing, checked.classes.frame.n, settings.l_diversity
        ),
        *(linked_by_unit(checked.units) if checked.units is not None else ()),
        *given_away(records.copies),
        *index_kept(checked.index_naming_records),
        *index_exposes(checked.index_exposing, settings.k),
        *filled_in(figures.blanks),
        *blanked(figures.blanks, settings),
    )
