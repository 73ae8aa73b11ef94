"""The report of a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.mask.registry import masking_called
from microagg.measure.linkage import most_at_risk
from microagg.measure.pair import Pair
from microagg.measure.registry import evaluate
from microagg.measure.utility.utility import Utility, utility_of
from microagg.pipeline.outcome import FrameOutcome, Outcome
from microagg.pipeline.pairing import pair_of_outcome
from microagg.provenance import WrittenFile, input_facts
from microagg.report.audience import Audience
from microagg.report.comparison import choices_of
from microagg.report.confidential_limits import (
    beside_means,
    beyond_words,
    counted_words,
    units_words,
)
from microagg.report.page import Page, about, kinds_of, shared
from microagg.report.summary import Summary, summary_of
from microagg.report.text import (
    along,
    bound_words,
    groups_words,
    no_promise,
    promise_words,
    set_apart,
    strata_role,
)
from microagg.report.utility import utility_parts
from microagg.report.verdict import verdict_of_release
from microagg.settings import ROLES


def page_of_release(
    outcome: FrameOutcome,
    original: Any = None,
    *,
    audience: str = "internal",
    comparison: Any = None,
    written: WrittenFile | None = None,
    target: str | None = None,
) -> Page:
    """Return the report of what `protect` did, with the map of a comparison if there is one.

    With a `target` column, the report says what analysts can still learn about it.

    The `original` frame is needed only where the outcome does not hold the original columns.
    `written` is the file of the released data, where there is one.
    """
    summary = summary_of(outcome)
    reader = Audience.of(audience, summary.k_promised)
    pair = pair_of_outcome(outcome, original)
    findings = evaluate(pair)
    numbers = None if outcome.rows is None else outcome.rows + 1
    synthetic = beside_means(pair, outcome.partition) if summary.synthetic else []
    return Page(
        title="Release report",
        audience=audience,
        lead=_lead(summary),
        about=about(
            _data_set(outcome, reader, written), outcome.created, outcome.software["microagg"]
        ),
        verdict=verdict_of_release(outcome, findings, reader),
        done=_done(summary),
        facts=[*_roles(summary), *kinds_of(pair), *synthetic],
        promises=_promises(summary),
        provenance=_provenance(outcome, reader, written),
        warnings=[*reader.cautions(outcome), *_kept(summary)],
        at_risk=most_at_risk(pair, numbers).words() if reader.inside else (),
        **({} if comparison is None else choices_of(comparison)),
        **utility_parts(None if target is None else _utility(outcome, pair, target), reader),
        **shared(pair, findings, reader),
    )


def _utility(outcome: FrameOutcome, pair: Pair, target: str) -> Utility:
    """Return the utility for a target; columns with a value of their own for each record do not count."""
    naming = {copy.column for copy in outcome.copies if copy.of is None}
    keys = set(outcome.schema.quasi_identifiers)
    others = [n for n in pair.after.frame.names if n not in keys and str(n) not in naming]
    return utility_of(pair, target, others, seed=outcome.settings.seed)


def _data_set(outcome: Outcome, reader: Audience, written: WrittenFile | None) -> str:
    """Return the name of the input, or of the released file for others."""
    name = reader.only_inside(outcome.source.file, "")
    return name or (written.name if written is not None else "a table in memory")


def _lead(summary: Summary) -> str:
    start = f"{summary.rows:,} records were protected by microaggregation"
    if summary.synthetic:
        return f"{start} and synthetic records in each group: read the warnings."
    if not summary.as_a_whole:
        return f"{start} that makes no groups of whole records: read the warnings."
    return (
        f"{start}: the quasi-identifiers of each record were replaced by the representative of a group "
        f"of at least {summary.k_promised} records."
    )


def _done(summary: Summary) -> list[str]:
    ending = [summary.ending] if summary.ending else []
    if summary.synthetic:
        return [
            f"The method {summary.method} put similar records into {groups_words(summary)}. In each "
            "group, the records were replaced by synthetic ones with the same means and covariances.",
            *ending,
        ]
    if not summary.as_a_whole:
        return [
            f"The values of the quasi-identifiers were replaced by {_by(summary)}.",
            *ending,
        ]
    some = set(summary.grouped_on) != set(summary.replaced)
    on = f" (similar in {', '.join(map(str, summary.grouped_on))})" if some else ""
    stands = "the mean of the group" if summary.by_means else "the representative of the group"
    return [
        f"{_method(summary)} formed {groups_words(summary)} of similar records{on} and replaced their "
        f"quasi-identifiers by {stands}.",
        *ending,
        *set_apart(summary),
        "Whoever knows these values of a person finds at least "
        f"{summary.k_promised} records that fit equally well.",
        *bound_words(summary),
    ]


def _method(summary: Summary) -> str:
    """Return the method as a subject, with the axis along which it works if there is one."""
    way = along(summary)
    return f"The method {summary.method}{way}," if way else f"The method {summary.method}"


def _by(summary: Summary) -> str:
    """Return what replaced values without groups of whole records."""
    if masking_called(summary.method) is not None:
        return f"the masking {summary.method}"
    return f"{summary.method}{along(summary)}"


def _roles(summary: Summary) -> list[tuple[str, str]]:
    roles = {
        "Removed (identifiers)": summary.removed,
        "Replaced (quasi-identifiers)": _replaced(summary),
        "Kept as they are (confidential)": summary.confidential,
        strata_role(summary): summary.strata,
        "Kept as it is (weights of the records)": summary.weights,
        "Kept as they are (no role given)": summary.unchanged,
        "Kept as it is (index of the frame)": summary.index,
        "Removed (index that names each record)": summary.index_dropped,
    }
    return [(role, ", ".join(map(str, names))) for role, names in roles.items() if names]


def _replaced(summary: Summary) -> list[str]:
    if summary.by_means:
        return [str(name) for name in summary.replaced]
    return [f"{name} ({summary.aggregate[name]})" for name in summary.replaced]


def _kept(summary: Summary) -> list[str]:
    if not summary.unchanged and not summary.index:
        return []
    return [
        "Some columns have no role and were released as they are. Check that none of them can "
        "identify a person."
    ]


def _promises(summary: Summary) -> list[tuple[bool, str]]:
    """Return each promise with what was counted on the released values."""
    checked = []
    if not summary.promises and not summary.limits:
        words = no_promise(summary)
        nothing = "Nothing is promised" if words == "nothing" else f"Promised: {words}"
        checked.append((False, f"{nothing}."))
    for each in summary.promises:
        words = f"Promised: {promise_words(summary, each.promise)}."
        counted = f"Counted on the released values: {each.achieved}."
        checked.append((each.achieved >= each.promise.k, f"{words} {counted}"))
    for limit in summary.limits:
        words = f"Promised: {beyond_words(limit.promise)}."
        counted = f"Counted on the released values: {counted_words(limit)}."
        checked.append((limit.promise.holds(limit.achieved), f"{words} {counted}"))
    if summary.units is not None:
        words = f"Promised: {units_words(summary.units)}."
        counted = f"Counted on the released values: {summary.units.achieved}."
        holds = summary.units.achieved >= summary.units.promise.k
        checked.append((holds, f"{words} {counted}"))
    return checked


def _provenance(
    outcome: Outcome, reader: Audience, written: WrittenFile | None
) -> list[tuple[str, str]]:
    """Return the provenance as a table: names and values."""
    arguments = outcome.settings.as_dict()
    for role in ROLES:
        arguments.pop(role, None)
    for name in ("hierarchies", "distance_tables"):  # the columns will do
        if name in arguments:
            arguments[name] = list(getattr(outcome.settings, name))
    rows: list[tuple[str, Any]] = [("Created", outcome.created), *outcome.software.items()]
    if written is not None:
        rows += [("Release file", written.name), ("Release SHA-256", written.sha256)]
    for part, words in _PARTS.items():
        if (names := getattr(outcome.schema, part)) and (reader.inside or part != "orders"):
            rows.append((words, names))  # orders name categories
    rows.append(("Kinds as taken", outcome.source.kinds or outcome.schema.kinds))
    rows += [(f"Argument {name}", value) for name, value in arguments.items()]
    if reader.inside:
        facts = input_facts(outcome.source)
        rows += [(f"Input {n}", facts[n]) for n in facts if n not in ("columns", "kinds")]
    return [(name.replace("_", " "), _in_words(value)) for name, value in rows if value != {}]


_PARTS = {
    "identifiers": "Identifiers",
    "quasi_identifiers": "Quasi-identifiers",
    "confidential": "Confidential",
    "orders": "Orders of categories",
}


def _in_words(value: Any) -> str:
    """Return an argument as a person writes it."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_in_words(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value)) or "none"
    return "none" if value is None else str(value)
