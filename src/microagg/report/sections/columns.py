"""Charts of each column before and after protection."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.measure.pair import Pair
from microagg.report.audience import Audience
from microagg.report.charts.columns import drawn
from microagg.report.content import Content, Figure, Figures, Paragraph
from microagg.report.distributions import distributions_of, released_alone
from microagg.report.section import section

MOST_COLUMNS = 40


@section("Each column before and after", place=60)
def columns(pair: Pair, reader: Audience) -> Iterator[Content]:
    """Yield the distributions of the quasi-identifiers that the reader may see."""
    if len(pair.keys) > MOST_COLUMNS:
        yield Paragraph(f"The charts show {MOST_COLUMNS} of {len(pair.keys)} columns.")
    if pair.sample_of is not None:
        yield Paragraph(f"The charts show a sample of {pair.n:,} of {pair.sample_of:,} records.")
    shown = distributions_of(pair, reader.least)[:MOST_COLUMNS]
    shown = [released_alone(c) if c.name in reader.few_changed else c for c in shown]
    figures = [Figure(drawn(column), column.remark, column.name) for column in shown]
    yield Figures(figures, key=True)
