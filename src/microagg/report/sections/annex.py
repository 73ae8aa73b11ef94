"""The annex: all measures by kind, with explanations."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.report.audience import Audience
from microagg.report.content import Content, MeasureTable, Paragraph
from microagg.report.findings import annex_of, not_measured
from microagg.report.section import section


@section("Annex: all measures", place=100)
def all_measures(findings: tuple[Finding, ...], pair: Pair, reader: Audience) -> Iterator[Content]:
    """Yield a table for each kind of measure, and the measures without a value."""
    tables = annex_of(findings, pair.n, reader)
    yield from (MeasureTable(title, rows) for title, rows in tables.items())
    if tables and (missing := not_measured(findings)):
        yield Paragraph(missing, quiet=True)
