"""The end of `protect`: masked values become a release that was checked and measured."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from microagg import provenance
from microagg.aggregate.steps import whole_columns
from microagg.budget import Stop
from microagg.data.frames import Frame
from microagg.errors import quoted_name
from microagg.mask.masked import Masked
from microagg.measure.anonymity import anonymity
from microagg.measure.loss.information_loss import InformationLoss, loss_of
from microagg.partition.bounds.gap import gap_of
from microagg.partition.bounds.proven import proven
from microagg.prepare.options import Options
from microagg.prepare.read_records import Ready
from microagg.release import Release
from microagg.report.stopping import interrupted_caution
from microagg.schema import Schema


def finish(
    given: Frame,
    roles: Schema,
    options: Options,
    ready: Ready,
    masked: Masked,
    arguments: Mapping[str, Any],
    started: float,
) -> Release:
    """Put masked values into the frame, check every promise on them, and measure the loss."""
    released = ready.frame.with_columns(
        ready.values_of(masked.columns), drop=roles.identifiers, whole=whole_columns(ready, options)
    )
    for promise in masked.promises:
        promise.require(released)
    achieved = {promise: promise.require(released) for promise in masked.beyond}
    held = anonymity(released, roles.quasi_identifiers)
    numbers = ready.numbers_of(Frame(released), masked.columns)
    loss = loss_of(ready.columns, numbers, options, ready.weights)
    remark = masked.partition.facts.remark
    cautions = (
        *ready.cautions,
        *(_kept_strata(released, roles, options, k=arguments["k"]) if ready.joined else ()),
        *masked.cautions,
        *one_group(masked.partition.n_groups, masked.rules),
        *(() if remark is None else (remark,)),
        *ready.warnings,
    )
    masked = replace(masked, cautions=cautions)
    proved = _proved(masked, ready, loss)
    measures = {"k": held.k, "il": loss.il, "sse": loss.sse, "sst": loss.sst}
    return Release(
        data=released,
        partition=masked.partition,
        schema=roles,
        promises=(*masked.promises, *masked.beyond),
        segments=masked.segments,
        measures={
            **measures,
            **proved,
            **{promise.name: value for promise, value in achieved.items()},
        },
        rows=None if ready.kept is None else np.flatnonzero(ready.kept),
        provenance=provenance.record(
            frame=given,
            columns=ready.columns,
            arguments=arguments,
            masked=masked,
            held=held,
            achieved=achieved,
            loss=loss,
            proved=proved,
            strata_joined=ready.joined,
            seconds=time.perf_counter() - started,
        ),
    )


def _proved(masked: Masked, ready: Ready, loss: InformationLoss) -> dict[str, float]:
    """Return a proven bound of what was measured, in percent, and the gap to it; or nothing.

    What was proved is about the complete numbers that were grouped: no value that the records of a group
    share loses less than their mean. Records with values of their own may, and blanks that were
    filled in count for no loss.
    """
    bound = proven(masked.partition.facts)
    filled_in = any(column.blank.any() for column in ready.columns.values())
    if bound is None or not masked.promises or filled_in:
        return {}
    return {"lower_bound": bound, "gap": gap_of(loss.il, bound)}


def _kept_strata(released: Any, roles: Schema, options: Options, k: int) -> tuple[str, ...]:
    """Return what columns of joined strata, which are released as they are, tell of people."""
    names = [n for n in options.strata if roles.role(n) not in ("identifier", "quasi-identifier")]
    if not names:
        return ()
    found = anonymity(released, (*roles.quasi_identifiers, *names)).k
    listed = ", ".join(map(quoted_name, names))
    alone = f": {listed} can single people out" if found < k else ""
    return (
        f"Groups cross {listed}, which stays as it is. Counted over the quasi-identifiers together "
        f"with {listed}, k = {found}{alone}.",
    )


def noting_interrupts(masked: Masked, stopped: Stop | None) -> Masked:
    """Say that an interrupt ended a search, whichever of several it was."""
    if stopped is not Stop.INTERRUPTED:
        return masked
    facts = replace(masked.partition.facts, stopped=Stop.INTERRUPTED)
    caution = interrupted_caution(promised=bool(masked.promises))
    return replace(
        masked,
        partition=replace(masked.partition, facts=facts),
        cautions=(caution, *masked.cautions),
    )


def one_group(n_groups: int, rules: Mapping[str, str]) -> tuple[str, ...]:
    """Return the caution that is due where a single group has all records."""
    if n_groups > 1:
        return ()
    left = "the mean" if set(rules.values()) <= {"mean"} else "one value of each column"
    return (f"All records are in one group; nothing but {left} is left.",)
