"""The verdict on a file in four boxes: what holds, what was lost, what is at risk, what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from microagg.errors import quoted_name
from microagg.measure.copies import Copy
from microagg.measure.diversity.k_units import k_units
from microagg.measure.other_columns import OtherColumns
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.measure.risk.record_linkage import WAYS
from microagg.pipeline.outcome import Outcome
from microagg.prepare.cautions import CODES_AS_NUMBERS
from microagg.report.audience import Audience, short_percent
from microagg.report.confidential_limits import beyond_words, counted_words, units_words
from microagg.report.content import Box, State
from microagg.report.summary import Summary
from microagg.report.text import no_promise, promise_words

MOST_NAMED = 3
"""So many columns are named as those that lost the most."""

LEVELS = (
    (5.0, "Little was lost."),
    (20.0, "Some detail was lost."),
    (50.0, "Much of the detail was lost."),
    (float("inf"), "Most of the detail was lost."),
)
"""The information loss in words, up to so many percent."""


def verdict_of_release(
    outcome: Outcome, summary: Summary, findings: Sequence[Finding], audience: Audience
) -> list[Box]:
    """Return the verdict on what `protect` released."""
    steps = _steps_of_release(outcome, summary)
    return [
        _promised(summary),
        _lost(summary.information_loss, summary.loss_by_column, _blanks(summary, audience)),
        _at_risk(outcome, findings, audience),
        _next(steps, "There are no open points. Keep the provenance file."),
    ]


def _promised(summary: Summary) -> Box:
    title = "Promises that hold"
    number, label = (
        f"k = {summary.k:,}",
        "on the quasi-identifiers, counted on the release",
    )
    limits = [
        _sentence(f"{beyond_words(each.promise)}; counted: {counted_words(each)}")
        for each in summary.limits
    ]
    if summary.units is not None:
        words = _sentence(f"{units_words(summary.units)}; counted: {summary.units.achieved}")
        limits.insert(0, words)
    if summary.as_a_whole:
        words = (
            f"Every combination of the {_plural(len(summary.replaced), 'quasi-identifier')} belongs "
            f"to at least {summary.k_promised} records."
        )
        return Box(title, number, label, [words, *limits])
    if not summary.promises:
        promise = no_promise(summary)
        words = "No k is promised." if promise == "nothing" else _sentence(f"Promised: {promise}")
        asked = f"k = {summary.k_promised} was requested."
        return Box("Promises", number, label, [words, asked, *limits], "alarm")
    parts = [_sentence(promise_words(summary, p.promise)) for p in summary.promises[:MOST_NAMED]]
    alone = "This holds for each of these sets of columns separately, not for their combination."
    return Box(title, number, label, [*parts, alone], "attention")


def _lost(il: float, by_column: Mapping[str, float], more: Iterable[str] = ()) -> Box:
    level = next(words for limit, words in LEVELS if il < limit)
    worst = sorted(by_column.items(), key=lambda each: -each[1])[:MOST_NAMED]
    listed = [f"{quoted_name(name)} ({short_percent(lost)})" for name, lost in worst if lost > 0]
    most = ["The columns that lost the most: " + ", ".join(listed) + "."] if listed else []
    state: State = "attention" if il >= 50 else "fine"
    label = "of the variation between records"
    return Box("Information lost", short_percent(il), label, [level, *most, *more], state)


def _blanks(summary: Summary, audience: Audience) -> list[str]:
    blanks = summary.blanks
    if blanks is None:
        return []
    changed = {"were filled in": blanks.filled, "were released as missing": blanks.blanked}
    return [
        f"Values that {what}: "
        + ", ".join(
            f"{quoted_name(name)} {audience.percent(count, blanks.records)}"
            for name, count in sorted(cells.items(), key=lambda each: -each[1])[:MOST_NAMED]
        )
        + "."
        for what, cells in changed.items()
        if cells
    ]


def _at_risk(outcome: Outcome, findings: Sequence[Finding], audience: Audience) -> Box:
    title, exposure = "Remaining risk", outcome.exposure
    shared = [
        _sentence(
            f"{audience.percent(count, outcome.records)} of the records are in groups whose records all "
            f"share the same value of {quoted_name(name)}"
        )
        for name, count in outcome.homogeneous.items()
        if count
    ]
    if exposure is None or not exposure.columns:
        box = _linked(findings, title, outcome.records, audience)
        return box._replace(words=[*_not_counted(outcome), *shared])
    n, worst = exposure.records, ", ".join(map(quoted_name, exposure.worst))
    count = f"{audience.count(exposure.below_k, n)} of {n:,}"
    count = f"all {n:,}" if exposure.below_k == n else count
    words = [_sentence(f"on these columns, {count} records are in classes of {exposure.fewer}")]
    if worst:
        words.append(f"The columns that expose the most: {worst}.")
    label = (
        f"of the records {exposure.alone} on the quasi-identifiers together with the "
        f"{_plural(len(exposure.columns), 'unchanged column')}"
    )
    state: State = "fine" if not exposure.below_k else "attention"
    state = "alarm" if exposure.percent(exposure.unique) > 5 or outcome.copies else state
    return Box(title, audience.percent(exposure.unique, n), label, [*words, *shared], state)


def _linked(findings: Sequence[Finding], title: str, n: int, audience: Audience) -> Box:
    """Return the risk that is left where no unchanged column adds to it."""
    linked = [
        (f.value, audience.finding(f, n, short_percent(f.value)))
        for f in findings
        if f.measure.name in WAYS and f.value is not None and not f.doubtful
    ]
    if not linked:
        return Box(title, "?", "was not measured", ["Read the cautions."], "attention")
    label = "of the released records can be linked to their original by distance"
    return Box(title, max(linked)[1], label, [])


def _not_counted(outcome: Outcome) -> list[str]:
    """Return what the risk on the quasi-identifiers alone leaves out."""
    if outcome.exposure is None:
        return ["What unchanged columns add to this was not counted."]
    confidential = outcome.schema.confidential
    if not confidential:
        return ["No column is released unchanged."]
    listed = ", ".join(map(quoted_name, confidential[:MOST_NAMED]))
    more = f" and {len(confidential) - MOST_NAMED} more" if len(confidential) > MOST_NAMED else ""
    return [
        f"Not counted: {_plural(len(confidential), 'confidential column')} ({listed}{more}), released "
        "unchanged. Anyone who knows such a value about a person may recognise the record by it."
    ]


def _steps_of_release(outcome: Outcome, summary: Summary) -> list[str]:
    steps = []
    if not summary.as_a_whole:
        steps.append("Choose a method that groups whole records, unless k by columns is enough.")
    if outcome.exposure is not None and outcome.exposure.below_k:
        steps.append(_who_may_know(outcome.exposure.worst))
    steps += _steps_about_copies(outcome.copies)
    if any(outcome.homogeneous.values()) and not any(
        each.promise.what == "l_diversity" for each in outcome.limits
    ):
        steps.append("Require l-diversity, so that every group has several confidential values.")
    if outcome.blanks is not None and outcome.blanks.many(outcome.blanks.filled):
        steps.append("Keep missing values missing instead of filling them in.")
    if outcome.blanks is not None and outcome.blanks.many(outcome.blanks.blanked):
        steps.append(
            "Decide whether so many values may be released as missing. If not, choose another "
            "treatment of missing values, weaker limits or a smaller k."
        )
    if any(caution.startswith(CODES_AS_NUMBERS) for caution in outcome.cautions):
        steps.append("Specify the kinds of the columns that look like codes.")
    if summary.information_loss >= 50:
        steps.append("Try a smaller k or fewer quasi-identifiers: little detail is left.")
    return steps


def _who_may_know(columns: Sequence[str]) -> str:
    listed = ", ".join(map(quoted_name, columns)) or "the unchanged columns"
    return (
        f"Decide who may know {listed}: make such columns quasi-identifiers or remove them. Declare them "
        "confidential only if nobody outside can know their values."
    )


def _steps_about_copies(copies: Sequence[Copy]) -> list[str]:
    copied = dict.fromkeys(copy.column for copy in copies if copy.of is not None)
    unique = dict.fromkeys(copy.column for copy in copies if copy.of is None)
    steps = []
    if copied:
        listed = ", ".join(map(quoted_name, copied))
        steps.append(f"Remove copies of quasi-identifiers, or protect them too: {listed}.")
    if unique:
        listed = ", ".join(map(quoted_name, unique))
        steps.append(f"Round or remove columns that are unique in each record: {listed}.")
    return steps


def _next(steps: Sequence[str], otherwise: str) -> Box:
    label = "point to settle before the release" if len(steps) == 1 else "points to settle first"
    label = label if steps else "open points"
    state: State = "attention" if steps else "fine"
    return Box("Next steps", str(len(steps)), label, steps or [otherwise], state)


def verdict_of_assessment(
    pair: Pair,
    findings: Sequence[Finding],
    others: OtherColumns,
    copies: Sequence[Copy],
    audience: Audience,
) -> list[Box]:
    """Return the verdict on a masked file of any tool."""
    values = {f.measure.name: f.value for f in findings if f.value is not None and not f.doubtful}
    k, steps = pair.anonymity.k, []
    label = f"on the {_plural(len(pair.keys), 'quasi-identifier')}"
    words = [_k_words(k)]
    if pair.units is not None:
        fewest = int(k_units(pair))  # counted on all records, even where the pair is a sample
        words.append(_units_words(fewest))
        if fewest < k:
            steps.append(_about_units(fewest))
    holds = Box("Anonymity", f"k = {k:,}", label, words, "fine" if k > 1 and not steps else "alarm")
    if k == 1:
        steps.append("Protect the file: some records are unique on the quasi-identifiers.")
    lost = Box("Information lost", "?", "cannot be measured", ["Read the warnings."], "attention")
    if "il" in values:
        lost = _lost(values["il"], {} if pair.loss is None else pair.loss.by_column)
    risk = _linked(findings, "Remaining risk", pair.n, audience)
    if others.unchanged:
        unique = (
            "of the records are unique on the quasi-identifiers together with the "
            f"{_plural(len(others.unchanged), 'unchanged column')}"
        )
        linked = _sentence(f"{risk.number} {risk.label}")
        linked = linked if risk.number != "?" else ""
        state: State = "fine" if not others.alone else "alarm"
        number = audience.percent(others.alone, others.n)
        risk = Box("Remaining risk", number, unique, [linked] if linked else [], state)
    if others.naming:
        listed = ", ".join(map(quoted_name, others.naming))
        risk = risk._replace(words=[*risk.words, f"Columns that identify records: {listed}."])
        risk = risk._replace(state="alarm")
        steps.append(f"Remove {listed}.")
    if others.alone:
        steps.append(_who_may_know(others.unchanged if len(others.unchanged) <= MOST_NAMED else ()))
    steps += _steps_about_copies(copies)
    return [
        holds,
        lost,
        risk,
        _next(steps, "The measures show no reason against the release."),
    ]


def _k_words(k: int) -> str:
    if k == 1:
        return "Some released records are unique on the quasi-identifiers."
    return f"Each combination of quasi-identifiers belongs to at least {k:,} released records."


def _units_words(fewest: int) -> str:
    """Return how many different units the smallest class has."""
    if fewest < 2:
        return "Some combinations belong to a single unit: k records, but one person."
    return f"Each combination belongs to at least {fewest:,} different units."


def _about_units(fewest: int) -> str:
    """Return what to do if the smallest class has fewer units than records."""
    if fewest < 2:
        return "Protect the file by unit: some combinations belong to a single unit."
    return f"Decide whether {fewest:,} units are enough; if they are not, protect the file by unit."


def _plural(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
