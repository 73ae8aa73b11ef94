"""The cautions, which the reader must know before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from microagg.comparison.table import Comparison
from microagg.pipeline.outcome import Outcome
from microagg.report.audience import Audience
from microagg.report.content import Caution, Content, Paragraph
from microagg.report.material import AssessmentLike
from microagg.report.section import section
from microagg.report.summary import Summary

TITLE, PLACE = "Cautions", 10

ADDRESSED = Paragraph(
    "The advice in these cautions is addressed to the publisher of the data.", quiet=True
)


@section(TITLE, place=PLACE)
def of_release(outcome: Outcome, summary: Summary, reader: Audience) -> Iterator[Content]:
    """Yield the cautions of a release, with counts that the reader may see."""
    cautions = reader.cautions(outcome)
    if summary.has_columns_without_role:
        cautions.append(
            "Some columns have no role and were released unchanged. Check that none of them can "
            "identify a person."
        )
    yield from _addressed(cautions, reader)


@section(TITLE, place=PLACE)
def of_assessment(assessment: AssessmentLike, reader: Audience) -> Iterator[Content]:
    """Yield the reasons to doubt a comparison."""
    yield from _addressed(assessment.warnings_for(reader.name), reader)


@section(TITLE, place=PLACE)
def of_comparison(comparison: Comparison) -> Iterator[Caution]:
    """Yield possible mistakes in the settings that were compared."""
    yield from map(Caution, comparison.cautions)


def _addressed(cautions: Sequence[str], reader: Audience) -> Iterator[Content]:
    """Yield cautions; external readers learn whom the advice in them addresses."""
    yield from map(Caution, cautions)
    if cautions and not reader.inside:
        yield ADDRESSED
