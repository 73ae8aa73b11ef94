"""The report of a release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from microagg.comparison.table import Comparison
from microagg.errors import ParameterError
from microagg.mask.registry import refuse_external_report
from microagg.measure.at_risk import AtRisk, most_at_risk
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding, evaluate
from microagg.measure.utility.utility import Utility, utility_of
from microagg.pipeline.outcome import FrameOutcome, Outcome
from microagg.pipeline.pairing import pair_of_outcome
from microagg.provenance import WrittenFile
from microagg.report.audience import Audience
from microagg.report.comparison import RiskUtilityMap, map_of
from microagg.report.content import Page
from microagg.report.material import Material, about
from microagg.report.section import sections_of
from microagg.report.summary import Summary, summary_of
from microagg.report.verdict import verdict_of_release
from microagg.reporter import Reporter


def page_of_release(
    outcome: FrameOutcome,
    original: Any = None,
    *,
    audience: str = "internal",
    comparison: Comparison | None = None,
    written: WrittenFile | None = None,
    target: str | None = None,
    progress: Reporter | None = None,
) -> Page:
    """Return the report of a release, with the map of a comparison if there is one.

    With a `target` column, the report says what analysts can still learn about it.

    The `original` frame is needed only if the outcome does not contain the original columns.
    `written` is the file of the released data, if there is one.
    """
    if not isinstance(comparison, Comparison | None):
        raise ParameterError(
            f"must be a Comparison, as `compare` returns it. Got {type(comparison).__name__}.",
            parameter="comparison",
        )
    if audience == "external":
        if comparison is not None:
            raise ParameterError(
                "must be None in a report for the external audience: the map shows risks that may "
                "describe a few records. Write the map into a report for the internal audience.",
                parameter="comparison",
            )
        refuse_external_report(str(outcome.settings.method))
    pair = pair_of_outcome(outcome, original)
    numbers = None if outcome.rows is None else outcome.rows + 1
    return _page(
        outcome,
        pair,
        evaluate(pair, progress=progress),
        audience=audience,
        written=written,
        at_risk=most_at_risk(pair, numbers),
        utility=None if target is None else _utility(outcome, pair, target),
        choices=None if comparison is None else replace(map_of(comparison), table=(), legend=""),
    )


def page_of_sample(
    outcome: Outcome, pair: Pair, words: str, *, audience: str, written: WrittenFile
) -> Page:
    """Return the report of a release, based on a sample of it, `pair`.

    `words` describe the sample. Counts of the outcome on all records replace the measures
    of the sample; no single record is named.
    """
    caution = (
        f"Measures that compare individual records are computed on {words}; "
        "all other measures cover every record."
    )
    exact = {**outcome.measures, "k": outcome.anonymity.k}
    findings = tuple(
        replace(each, value=float(exact[each.measure.name]))
        if each.measure.name in exact
        else replace(each, note="; ".join(filter(None, (each.note, f"of {words}"))))
        for each in evaluate(pair)
    )
    return _page(
        outcome, pair, findings, audience=audience, written=written, at_risk=AtRisk(), note=caution
    )


def _page(
    outcome: Outcome,
    pair: Pair,
    findings: tuple[Finding, ...],
    *,
    audience: str,
    written: WrittenFile | None,
    at_risk: AtRisk,
    utility: Utility | None = None,
    choices: RiskUtilityMap | None = None,
    note: str = "",
) -> Page:
    """Return the page; `note` describes its measures, and the verdict does not count it as open."""
    summary = summary_of(outcome)
    reader = Audience.of(audience, summary.k_promised).of_pair(pair, outcome.loss)
    software = {"Created": outcome.created, **outcome.software}
    material = Material(
        reader=reader,
        software=software,
        outcome=replace(outcome, cautions=(*outcome.cautions, note)) if note else outcome,
        summary=summary,
        written=written,
        pair=pair,
        findings=findings,
        at_risk=at_risk,
        utility=utility,
        choices=choices,
    )
    return Page(
        title="Release report",
        lead=_lead(summary),
        audience=audience,
        about=about(_data_set(outcome, reader, written), software),
        verdict=verdict_of_release(outcome, summary, findings, reader, pair.n),
        sections=sections_of(material),
        measures={each.measure.name: reader.value(each, pair.n) for each in findings},
    )


def _utility(outcome: FrameOutcome, pair: Pair, target: str) -> Utility:
    """Return the utility for a target, without columns that are unique in each record."""
    naming = {copy.column for copy in outcome.copies if copy.of is None}
    keys = set(outcome.schema.quasi_identifiers)
    others = [n for n in pair.after.frame.names if n not in keys and str(n) not in naming]
    return utility_of(pair, target, others, seed=outcome.settings.seed)


def _data_set(outcome: Outcome, reader: Audience, written: WrittenFile | None) -> str:
    """Return the name of the input, or of the released file for the external audience."""
    name = reader.only_inside(outcome.source.file, "")
    return name or (written.name if written is not None else "a table in memory")


def _lead(summary: Summary) -> str:
    start = f"{summary.rows:,} records were protected by microaggregation"
    if summary.synthetic:
        return f"{start} with synthetic records in each group. Read the cautions."
    if not summary.as_a_whole:
        return f"{start} that does not form groups of whole records. Read the cautions."
    return (
        f"{start}: the quasi-identifiers of each record were replaced by the representative of a group "
        f"of at least {summary.k_promised} records."
    )
