"""What was done, in sentences, and the treatment of each column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from microagg.comparison.table import Comparison
from microagg.errors import quoted_name
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.pipeline.outcome import FrameOutcome
from microagg.report.audience import Audience
from microagg.report.confidential_limits import beside_means
from microagg.report.content import Content, FactTable, Paragraph
from microagg.report.material import AssessmentLike
from microagg.report.section import section
from microagg.report.summary import Summary
from microagg.report.text import along, bound_words, groups_words, kinds_of, set_apart, strata_role

TITLE, PLACE = "What was done", 30


@section(TITLE, place=PLACE)
def to_release(
    outcome: FrameOutcome, summary: Summary, pair: Pair, reader: Audience
) -> Iterator[Content]:
    """Yield how the records were protected."""
    yield from map(Paragraph, _done(summary, reader))
    synthetic = beside_means(pair, outcome.partition, reader) if summary.synthetic else []
    yield FactTable([*_roles(summary), *kinds_of(pair), *synthetic])


@section(TITLE, place=PLACE)
def in_assessment(
    assessment: AssessmentLike, pair: Pair, reader: Audience, files: Mapping[str, str] | None = None
) -> Iterator[Content]:
    """Yield the facts about the comparison in an assessment."""
    yield Paragraph(
        "The masked file is evaluated without changes, regardless of the tool that created it."
    )
    yield from map(Paragraph, assessment.not_judged)
    facts = [
        ("Records", f"{assessment.n:,}, matched by {assessment.matched_by}"),
        ("Quasi-identifiers", ", ".join(pair.keys)),
        *kinds_of(pair),
    ]
    weight = assessment.loss_weight
    score = reader.score(assessment.score, assessment.findings, pair.n)
    if score is not None and weight != 0.5 and not _doubted(assessment.findings):
        words = f"{score:.3f} (lower is better), with a weight of {weight:g} on loss"
        facts.append(("Combined score of loss and risk", words))
    named = reader.only_inside(dict(files or {}), {})
    yield FactTable(
        [*facts, *((f"{what.capitalize()} file", name) for what, name in named.items())]
    )


@section(TITLE, place=PLACE)
def in_comparison(comparison: Comparison) -> Iterator[Content]:
    """Yield how settings were compared."""
    count = len(comparison.trials)
    yield Paragraph(
        f"The same records were protected with each of {count} settings, and the releases were measured."
    )
    yield FactTable([("Measured", "the measures of `microagg assess`, on the quasi-identifiers")])


def _doubted(findings: tuple[Finding, ...]) -> bool:
    return any(finding.doubtful for finding in findings if finding.measure.kind == "score")


def _done(summary: Summary, reader: Audience) -> list[str]:
    ending = [summary.ending] if summary.ending else []
    if summary.synthetic:
        return [
            f"{_method(summary)} formed {groups_words(summary)} of similar records. The records of each "
            "group were replaced by synthetic ones with the same means and covariances.",
            *ending,
        ]
    if summary.masking is not None:
        return [f"{_method(summary)} replaced the values of the quasi-identifiers.", *ending]
    some = set(summary.grouped_on) != set(summary.replaced)
    similar = f"records with similar values of {', '.join(map(str, summary.grouped_on))}"
    records = similar if some else "similar records"
    stands = "the means" if summary.by_means else "the representative"
    if not summary.as_a_whole:
        return [
            f"Groups were formed by {summary.method}{along(summary)}, and the values of each segment were "
            f"replaced with {stands} of its group.",
            *ending,
        ]
    return [
        f"{_method(summary)} formed {groups_words(summary)} of {records}{along(summary)} and replaced "
        f"the quasi-identifiers of each record with {stands} of its group.",
        *ending,
        *set_apart(summary),
        "Anyone who knows only the quasi-identifiers of a person finds at least "
        f"{_crowd(summary)} that match that person equally well.",
        *([] if reader.few_changed else bound_words(summary)),  # which state the loss
    ]


def _crowd(summary: Summary) -> str:
    """Return what an intruder cannot tell apart: records, or the units that are counted instead."""
    if summary.units is None:
        return f"{summary.k_promised} records"
    unit = quoted_name(summary.units.promise.unit)
    return f"{summary.units.promise.k} units (different values of {unit})"


def _method(summary: Summary) -> str:
    """Return the method or the masking as the subject of a sentence."""
    return f"The {'method' if summary.masking is None else 'masking'} {summary.method}"


def _roles(summary: Summary) -> list[tuple[str, str]]:
    roles = {
        "Removed (identifiers)": summary.removed,
        "Replaced (quasi-identifiers)": _replaced(summary),
        "Released unchanged (confidential)": summary.confidential,
        strata_role(summary): summary.strata,
        "Released unchanged (weights of the records)": summary.weights,
        "Released unchanged (no role)": summary.unchanged,
        "Released unchanged (index of the frame)": summary.index,
        "Removed (index that identifies each record)": summary.index_dropped,
    }
    return [(role, ", ".join(map(str, names))) for role, names in roles.items() if names]


def _replaced(summary: Summary) -> list[str]:
    if summary.by_means:
        return [str(name) for name in summary.replaced]
    return [f"{name} ({summary.aggregate[name]})" for name in summary.replaced]
