"""The records most at risk: row numbers, never values, and for the internal audience alone."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.measure.linkage import AtRisk
from microagg.report.content import Paragraph
from microagg.report.section import section


@section("The records most at risk", place=70, audiences=("internal",))
def rows(at_risk: AtRisk) -> Iterator[Paragraph]:
    """Yield which rows are most likely recognised."""
    yield from map(Paragraph, at_risk.words())
