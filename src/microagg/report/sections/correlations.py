"""Charts of correlations before and after protection."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.measure.loss.correlations import correlations
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable
from microagg.report.audience import Audience
from microagg.report.charts import groups as charts
from microagg.report.content import Content, Figure, Figures, Paragraph
from microagg.report.section import section

MOST_CORRELATED = 14


@section("Correlations before and after", place=70)
def before_and_after(pair: Pair, reader: Audience) -> Iterator[Content]:
    """Yield the correlations of the first numeric columns."""
    count = len(pair.names)
    if count < 2:
        return
    try:
        matrices = correlations(pair)
    except NotApplicable:
        return
    some = (
        f" The charts show the first {MOST_CORRELATED} of {count} numeric columns."
        if count > MOST_CORRELATED
        else ""
    )
    own = pair.covariations
    if pair.sample_of is not None and (own is None or own[0].records <= pair.n):
        some += f" They are computed on a sample of {pair.n:,} of {pair.sample_of:,} records."
    if reader.few_numbers:
        some += (
            " Those of the original are not shown, because the difference describes few records."
        )
    yield Paragraph(
        "Blue cells are positive correlations, and orange cells are negative ones. The paler a cell, the "
        "weaker the correlation." + some
    )
    names = pair.names[:MOST_CORRELATED]
    figures = []
    for which, caption, matrix in zip(
        ("before", "after"), ("Original", "Released"), matrices, strict=True
    ):
        if which == "before" and reader.few_numbers:
            continue
        first = matrix[: len(names), : len(names)].tolist()
        figures.append(Figure(charts.correlations(names, first, f"Correlations {which}"), caption))
    yield Figures(figures)
