"""The report of an assessment of a masked file."""

from __future__ import annotations

from collections.abc import Mapping

from microagg.pipeline.software import now, software
from microagg.report.audience import Audience
from microagg.report.content import Page
from microagg.report.material import AssessmentLike, Material, about
from microagg.report.section import sections_of
from microagg.report.verdict import verdict_of_assessment


def page_of_assessment(
    assessment: AssessmentLike,
    files: Mapping[str, str] | None = None,
    *,
    audience: str = "internal",
) -> Page:
    """Return the report of an assessment; only the internal audience sees the names of the files."""
    pair = assessment.pair
    reader = Audience.of_assessed(audience, pair.anonymity.k).of_pair(pair)
    named = reader.only_inside(dict(files or {}), {})
    made = {"Created": now(), **software()}
    material = Material(
        reader=reader,
        software=made,
        assessment=assessment,
        files=named,
        pair=pair,
        findings=assessment.findings,
        at_risk=assessment.at_risk,
        utility=assessment.utility,
    )
    return Page(
        title="Assessment of a masked file",
        lead=f"{assessment.n:,} released records were compared with their originals.",
        audience=audience,
        about=about(named.get("released", "not named" if files else "tables in memory"), made),
        verdict=verdict_of_assessment(
            pair, assessment.findings, assessment.other_columns, assessment.copies, reader
        ),
        sections=sections_of(material),
    )
