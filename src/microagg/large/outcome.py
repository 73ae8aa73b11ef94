"""All that is known of a release of files, from what the stages have made and counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from microagg.large.cautions import cautions_of, warnings_of
from microagg.large.made import Made
from microagg.large.plan import Plan
from microagg.large.survey import extremes_of
from microagg.large.tally import ALL_UNITS, UNITS_OF_CLASSES
from microagg.measure.anonymity import Promise
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.units import UnitPromise
from microagg.partition.constrain.enforce import facts_of_limits
from microagg.partition.grouping import Facts
from microagg.pipeline.cautions import (
    across_strata,
    blanked,
    diverse_only_by_missing,
    dominated,
    exposed,
    filled_in,
    given_away,
    linked_by_unit,
    one_group,
    refuse_if_strict,
    rounded_away,
)
from microagg.pipeline.formulas import formulas
from microagg.pipeline.outcome import (
    CheckedLimit,
    CheckedPromise,
    CheckedUnits,
    GroupFacts,
    InputFacts,
    Outcome,
)
from microagg.pipeline.software import now, software


def outcome_of(made: Made, form: Mapping[str, Any], seconds: float) -> Outcome:
    """Return what is known of a release, or raise where it does not hold what is promised.

    `form` is how delimited text was asked to be read.
    """
    plan = made.plan
    settings, promise = plan.settings, _promise(plan)
    counted = promise.required_of(made.anonymity)
    groups, blanks = _groups(made), made.written.blanks()
    exposure, copies = made.exposure, made.copies
    limits, units = _limits(made), _units(made)
    by_missing = {
        name: own.short
        for (what, name), own in made.tallied.items()
        if what == "values" and own.short
    }
    of_release = (
        *across_strata(made.across, settings),
        *(() if exposure is None else exposed(exposure)),
        *(() if units is None else linked_by_unit(units)),
        *diverse_only_by_missing(by_missing, plan.divided().n, settings.l_diversity),
        *given_away(copies),
        *filled_in(blanks),
        *blanked(blanks, settings),
    )
    refuse_if_strict((*of_release, *warnings_of(plan)), settings)
    cautions = (
        *cautions_of(plan),
        *one_group(groups.count, plan.rules),
        *dominated(made.dominated),
        *of_release,
        *rounded_away(extremes_of(plan), settings.round_to),
        *warnings_of(plan),
        *formulas([name for name in plan.data.names if name in made.written.formulas]),
    )
    return Outcome(
        settings=settings,
        source=_input(plan, form),
        records=plan.divided().n,
        groups=groups,
        promises=(CheckedPromise(promise, counted.k),),
        limits=limits,
        units=units,
        homogeneous={
            name: own.alike for (what, name), own in made.tallied.items() if what == "values"
        },
        diverse_by_missing=by_missing,
        anonymity=counted,
        exposure=exposure,
        copies=copies,
        blanks=blanks,
        loss=made.written.loss(plan),
        rules=plan.rules,
        left_out=plan.divided().left_out,
        cautions=cautions,
        strata_joined=plan.divided().joined,
        seconds=round(seconds, 3),
        created=now(),
        software=software(),
    )


def _promise(plan: Plan) -> Promise:
    return Promise(tuple(plan.settings.quasi_identifiers), plan.settings.k)


def _groups(made: Made) -> GroupFacts:
    parts = made.plan.divided().sizes.size
    facts = Facts(blocks=made.blocks, strata=parts if parts > 1 else None)
    return GroupFacts(
        columns=_promise(made.plan).columns,
        method=f"blocks ({made.plan.settings.parameters['within']})",
        sizes={int(size): int(made.sizes[size]) for size in np.flatnonzero(made.sizes)},
        facts=facts_of_limits(facts, [counts.tolist() for counts in made.done_for_limits]),
    )


def _limits(made: Made) -> tuple[CheckedLimit, ...]:
    """Return what is promised of confidential values, or raise where it does not hold."""
    secrets, keys = made.plan.read().secrets, _promise(made.plan).columns
    names = tuple(column.name for column in secrets.columns)
    nominal = tuple(column.name for column in secrets.columns if not column.ordered)
    own = [made.tallied["values", name] for name in names]
    checked = []
    for what, limit in secrets.limits.on_values().items():
        promise = ConfidentialPromise(keys, names, what, limit, nominal)
        fewest, farthest = min(t.fewest for t in own), max(t.farthest for t in own)
        achieved = fewest if what == "l_diversity" else farthest
        checked.append(CheckedLimit(promise, promise.required_of(achieved)))
    return tuple(checked)


def _units(made: Made) -> CheckedUnits | None:
    """Return what is promised of units, or raise where it does not hold."""
    settings = made.plan.settings
    if settings.unit is None:
        return None
    total, none = made.tallied[ALL_UNITS].entries, np.empty(0, dtype=np.int64)
    promise = UnitPromise(_promise(made.plan).columns, settings.unit, settings.k, none, total)
    fewest = promise.required_of(int(made.tallied[UNITS_OF_CLASSES].fewest))
    released = settings.unit not in settings.schema.identifiers
    return CheckedUnits(promise, fewest, released=released)


def _input(plan: Plan, form: Mapping[str, Any]) -> InputFacts:
    files = range(len(plan.data.files))
    hashes = [str(plan.work.load(f"hashed/{file}", "sha256")) for file in files]
    return InputFacts(
        rows=plan.divided().rows,
        columns=tuple(plan.data.names),
        kinds={name: column.kind for name, column in plan.read().columns.items()},
        file=plan.data.source.name,
        sha256=plan.data.sha256_of_all(hashes),
        read_as=dict(form),
        blank=plan.blank,
    )
