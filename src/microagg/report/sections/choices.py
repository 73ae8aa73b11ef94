"""Settings on the risk-utility map, and the table of what was measured."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.report.charts.risk_utility import risk_utility
from microagg.report.comparison import RiskUtilityMap
from microagg.report.content import Content, Figure, NumberTable, Paragraph
from microagg.report.section import section


@section("Settings on the risk-utility map", place=20, audiences=("internal",))
def choices(choices: RiskUtilityMap) -> Iterator[Content]:
    """Yield the map, and the table where there is one.

    Others do not see it: the risk of a setting may be that of a few records.
    """
    yield Paragraph(
        "Settings further left have less loss, and settings further down have less risk. Filled circles "
        "are Pareto-optimal: no other setting has less loss without more risk. The settings with the "
        "lowest loss for their k are labelled. A ring marks the recommended setting, and a cross marks "
        "one whose release does not satisfy k."
    )
    yield Figure(risk_utility(choices.points, choices.loss), "Each circle is one setting.")
    if choices.table:
        yield NumberTable(choices.table)
        yield Paragraph(f"In the table, {choices.legend}", quiet=True)
