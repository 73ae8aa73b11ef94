"""Each column before and after, as pictures."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.measure.pair import Pair
from microagg.report.audience import Audience
from microagg.report.charts.columns import drawn
from microagg.report.content import Content, Figure, Figures, Paragraph
from microagg.report.distributions import distributions_of
from microagg.report.section import section

MOST_COLUMNS = 40


@section("Each column before and after", place=40)
def columns(pair: Pair, reader: Audience) -> Iterator[Content]:
    """Yield the distributions of the quasi-identifiers, less what the reader may not see."""
    if len(pair.keys) > MOST_COLUMNS:
        yield Paragraph(f"Drawn: {MOST_COLUMNS} of {len(pair.keys)} columns.")
    if pair.sample_of is not None:
        yield Paragraph(f"Drawn from a sample of {pair.n:,} of {pair.sample_of:,} records.")
    figures = [
        Figure(drawn(column), column.remark, column.name)
        for column in distributions_of(pair, reader.least)[:MOST_COLUMNS]
    ]
    yield Figures(figures, key=True)
