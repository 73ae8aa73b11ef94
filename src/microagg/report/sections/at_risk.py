"""The records most at risk: row numbers, never values, for the internal audience only."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.measure.at_risk import AtRisk
from microagg.report.content import Paragraph
from microagg.report.section import section


@section("The records most at risk", place=90, audiences=("internal",))
def rows(at_risk: AtRisk) -> Iterator[Paragraph]:
    """Yield the rows that are most likely to be re-identified."""
    yield from map(Paragraph, at_risk.words())
