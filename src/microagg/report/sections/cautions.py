"""Cautions: what the reader must know before anything else."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.comparison.table import Comparison
from microagg.pipeline.outcome import Outcome
from microagg.report.audience import Audience
from microagg.report.content import Caution
from microagg.report.material import AssessmentLike
from microagg.report.section import section
from microagg.report.summary import Summary

TITLE, PLACE = "Cautions", 10


@section(TITLE, place=PLACE)
def of_release(outcome: Outcome, summary: Summary, reader: Audience) -> Iterator[Caution]:
    """Yield the cautions of a release, with counts that the reader may see."""
    yield from map(Caution, reader.cautions(outcome))
    if summary.unchanged or summary.index:
        yield Caution(
            "Some columns have no role and were released unchanged. Check that none of them can "
            "identify a person."
        )


@section(TITLE, place=PLACE)
def of_assessment(assessment: AssessmentLike, reader: Audience) -> Iterator[Caution]:
    """Yield what makes a comparison doubtful."""
    yield from map(Caution, assessment.warnings_for(reader.name))


@section(TITLE, place=PLACE)
def of_comparison(comparison: Comparison) -> Iterator[Caution]:
    """Yield what may be a mistake in all that was compared."""
    yield from map(Caution, comparison.cautions)
