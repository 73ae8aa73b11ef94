"""The verdict on a file in four boxes: promises, information loss, remaining risk, next steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from microagg.errors import quoted_name
from microagg.measure.copies import Copy
from microagg.measure.diversity.k_units import k_units
from microagg.measure.other_columns import OtherColumns
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.measure.risk.record_linkage import WAYS
from microagg.percent import short_percent
from microagg.pipeline.outcome import Outcome
from microagg.prepare.cautions import CODES_AS_NUMBERS
from microagg.report.audience import Audience
from microagg.report.confidential_limits import beyond_words, counted_words, units_words
from microagg.report.content import Box, State
from microagg.report.summary import Summary
from microagg.report.text import no_promise, promise_words

MOST_NAMED = 3
"""The number of columns that are named as those that lost the most."""

LEVELS = ((50.0, "Most of the detail was lost."), (20.0, "Much of the detail was lost."))
"""A high loss in words, from so many percent. A low one is not called little: one column may lose much."""


def verdict_of_release(
    outcome: Outcome,
    summary: Summary,
    findings: Sequence[Finding],
    audience: Audience,
    compared: int,
) -> list[Box]:
    """Return the verdict on a release; `compared` is the number of records that were measured."""
    steps = _steps_of_release(outcome, summary)
    return [
        _promised(summary),
        _lost(
            summary.information_loss, summary.loss_by_column, audience, _blanks(summary, audience)
        ),
        _at_risk(outcome, findings, audience, compared),
        *_next(audience, steps, "The checks"),
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
        words = _sentence(f"Promised: {promise}")
        words = "k-anonymity is not promised." if promise == "nothing" else words
        asked = f"k = {summary.k_promised} was requested."
        return Box("Promises", number, label, [words, asked, *limits], "alarm")
    parts = [_sentence(promise_words(summary, p.promise)) for p in summary.promises[:MOST_NAMED]]
    alone = "This holds for each of these sets of columns separately, not for their combination."
    return Box(title, number, label, [*parts, alone], "attention")


def _lost(
    il: float, by_column: Mapping[str, float], audience: Audience, more: Iterable[str] = ()
) -> Box:
    level = [words for limit, words in LEVELS if il >= limit][:1]
    worst = sorted(by_column.items(), key=lambda each: -each[1])[:MOST_NAMED]
    listed = [f"{quoted_name(name)} ({short_percent(lost)})" for name, lost in worst if lost > 0]
    most = ["The columns that lost the most: " + ", ".join(listed) + "."] if listed else []
    state: State = "attention" if il >= 50 else "fine"
    if audience.few_changed:
        label = "because it would reveal how few records changed"
        level = level or ["Less than 20 % of the variation between records was lost."]
        return Box("Information lost", "not shown", label, [*level, *more], state)
    label = "of the variation between records"
    return Box("Information lost", short_percent(il), label, [*level, *most, *more], state)


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


def _at_risk(
    outcome: Outcome, findings: Sequence[Finding], audience: Audience, compared: int
) -> Box:
    title, exposure = "Remaining risk", outcome.exposure
    shared = [
        _sentence(
            f"{audience.percent(count, outcome.records)} of the records are in groups with a "
            f"single value of {quoted_name(name)}"
        )
        for name, count in outcome.homogeneous.items()
        if count
    ]
    shared += _of_people(outcome, audience)
    if exposure is None or not exposure.columns:
        box = _linked(findings, title, compared, audience)
        if outcome.units is not None and box.number != "?":
            shared.append(
                "A link to another record of the same unit does not count as a link here."
            )
        doubt: State = "attention" if _unsure(outcome) else box.state
        return box._replace(words=[*_not_counted(outcome), *shared], state=doubt)
    n, worst = exposure.records, ", ".join(map(quoted_name, exposure.worst))
    count = f"{audience.count(exposure.below_k, n)} of {n:,}"
    count = f"all {n:,}" if exposure.below_k == n else count
    words = [_sentence(f"on these columns, {count} records are in classes of {exposure.fewer}")]
    if worst:
        most = "column that exposes" if len(exposure.worst) == 1 else "columns that expose"
        words.append(f"The {most} the most records: {worst}.")
    label = (
        f"of the records {exposure.alone} on the quasi-identifiers together with the "
        f"{_unchanged(len(exposure.columns))}"
    )
    settled = not exposure.below_k and not _unsure(outcome)
    state: State = "fine" if settled else "attention"
    state = "alarm" if exposure.percent(exposure.unique) > 5 or outcome.copies else state
    return Box(title, audience.percent(exposure.unique, n), label, [*words, *shared], state)


def _unsure(outcome: Outcome) -> bool:
    """Return whether people may have several records, or columns could not be counted."""
    uncounted = outcome.exposure is not None and outcome.exposure.not_compared
    return bool(outcome.shared_identifiers or uncounted)


def _of_people(outcome: Outcome, audience: Audience) -> list[str]:
    """Return what the figures about records leave out if people have several records each."""
    return [
        f"If {quoted_name(each.name)} identifies people, "
        f"{audience.count(each.below_k, outcome.records)} of {outcome.records:,} records are in classes of "
        f"fewer than k = {outcome.settings.k} people."
        for each in outcome.shared_identifiers
    ]


def _linked(findings: Sequence[Finding], title: str, n: int, audience: Audience) -> Box:
    """Return the remaining risk if no unchanged column adds to it."""
    linked = [
        (f.value, audience.finding(f, n, short_percent(f.value)))
        for f in findings
        if f.measure.name in WAYS and f.value is not None and not f.doubtful
    ]
    if not linked:
        return Box(title, "?", "was not measured", ["Read the cautions."], "attention")
    label = (
        "of the released records are linked to their own original if an intruder knows all original "
        "quasi-identifiers"
    )
    return Box(title, max(linked)[1], label, [])


def _not_counted(outcome: Outcome) -> list[str]:
    """Return a sentence about the risk that is not included."""
    if outcome.exposure is None or outcome.exposure.not_compared:
        return ["This does not include the risk that unchanged columns add."]
    confidential = outcome.schema.confidential
    if not confidential:
        return ["No column is released unchanged."]
    listed = ", ".join(map(quoted_name, confidential[:MOST_NAMED]))
    more = f" and {len(confidential) - MOST_NAMED} more" if len(confidential) > MOST_NAMED else ""
    columns = _plural(len(confidential), "confidential column")
    return [
        f"This does not include the risk from {columns} ({listed}{more}), "
        f"which {'is' if len(confidential) == 1 else 'are'} released unchanged. Anyone who knows such a "
        "value of a person may recognise the record by it."
    ]


def _steps_of_release(outcome: Outcome, summary: Summary) -> list[str]:
    steps = []
    if not summary.as_a_whole:
        steps.append(
            "Choose a method that groups whole records, unless weaker protection suffices."
        )
    if outcome.exposure is not None and outcome.exposure.below_k:
        steps.append(_who_may_know(outcome.exposure.worst))
    steps += _steps_about_copies(outcome.copies)
    if any(outcome.homogeneous.values()) and not any(
        each.promise.what == "l_diversity" for each in outcome.limits
    ):
        steps.append("Require l-diversity, so that confidential values differ within every group.")
    if outcome.blanks is not None and outcome.blanks.many(outcome.blanks.filled):
        steps.append("Keep missing values missing instead of filling them in.")
    if outcome.blanks is not None and outcome.blanks.many(outcome.blanks.blanked):
        steps.append(
            "Decide whether so many values may be released as missing. If not, choose another "
            "treatment of missing values, weaker limits or a smaller k."
        )
    if outcome.shared_identifiers:
        listed = ", ".join(quoted_name(each.name) for each in outcome.shared_identifiers)
        steps.append(f"Decide whether {listed} identifies people. If so, count units, not records.")
    if outcome.diverse_by_missing:
        listed = ", ".join(map(quoted_name, outcome.diverse_by_missing))
        steps.append(
            f"Require a larger l: some groups have enough values of {listed} only because missing values "
            "count."
        )
    if any(caution.startswith(CODES_AS_NUMBERS) for caution in outcome.cautions):
        steps.append("Specify the kinds of the columns that look like codes.")
    if summary.information_loss >= 50:
        steps.append("Try a smaller k or fewer quasi-identifiers: little detail is left.")
    count = len(outcome.cautions) + summary.has_columns_without_role
    if count:
        steps.append(
            "Read the caution below and decide on it."
            if count == 1
            else f"Read the {count} cautions below and decide on each."
        )
    return steps


def _who_may_know(columns: Sequence[str]) -> str:
    listed = ", ".join(map(quoted_name, columns)) or "the unchanged columns"
    return (
        f"Consider who could know the values of {listed}. If others could know a column, make it a "
        "quasi-identifier or remove it. Declare it confidential only if nobody outside can know it."
    )


def _steps_about_copies(copies: Sequence[Copy]) -> list[str]:
    copied = dict.fromkeys(copy.column for copy in copies if copy.of is not None)
    unique = dict.fromkeys(copy.column for copy in copies if copy.of is None)
    steps = []
    if copied:
        listed = ", ".join(map(quoted_name, copied))
        steps.append(
            f"Remove columns that repeat quasi-identifiers, or protect them too: {listed}."
        )
    if unique:
        listed = ", ".join(map(quoted_name, unique))
        steps.append(f"Round or remove columns whose values are nearly all unique: {listed}.")
    return steps


def _next(audience: Audience, steps: Sequence[str], checked: str) -> Iterator[Box]:
    """Yield the box with the next steps: those of the owner, whom only the internal report addresses."""
    if not audience.inside:
        return
    otherwise = f"{checked} found no open issues. Whether to publish remains your decision."
    label = f"issue{'' if len(steps) == 1 else 's'} to resolve before publication"
    label = label if steps else "open issues"
    state: State = "attention" if steps else "fine"
    yield Box("Next steps", str(len(steps)), label, steps or [otherwise], state)


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
    lost = Box("Information lost", "?", "cannot be measured", ["Read the cautions."], "attention")
    if "il" in values:
        lost = _lost(values["il"], {} if pair.loss is None else pair.loss.by_column, audience)
    risk = _linked(findings, "Remaining risk", pair.n, audience)
    if others.unchanged:
        unique = (
            "of the records are unique on the quasi-identifiers together with the "
            f"{_unchanged(len(others.unchanged))}"
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
        *_next(audience, steps, "The measures"),
    ]


def _k_words(k: int) -> str:
    if k == 1:
        return "Some released records are unique on the quasi-identifiers."
    return f"Each combination of quasi-identifiers belongs to at least {k:,} released records."


def _units_words(fewest: int) -> str:
    """Return a sentence about the minimum number of units in a class."""
    if fewest < 2:
        return "Some combinations belong to a single unit: k records, but one person."
    return f"Each combination belongs to at least {fewest:,} different units."


def _about_units(fewest: int) -> str:
    """Return the next step if a class has fewer units than records."""
    if fewest < 2:
        return "Protect the file by unit: some combinations belong to a single unit."
    return f"Decide whether {fewest:,} units are enough; if they are not, protect the file by unit."


def _unchanged(count: int) -> str:
    return "unchanged column" if count == 1 else f"{count:,} unchanged columns"


def _plural(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
