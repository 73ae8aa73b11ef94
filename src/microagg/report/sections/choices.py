"""Settings on the risk-utility map, and the table of their measures."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.report.charts.risk_utility import risk_utility
from microagg.report.comparison import RiskUtilityMap
from microagg.report.content import Content, Figure, NumberTable, Paragraph
from microagg.report.section import section


@section("Settings on the risk-utility map", place=40, audiences=("internal",))
def choices(choices: RiskUtilityMap) -> Iterator[Content]:
    """Yield the map, and the table if there is one.

    The external audience does not see it, because the risk of a setting may describe few records.
    """
    yield Paragraph(
        "The further left a setting is, the lower its loss; the further down, the lower its risk. "
        "Filled circles are Pareto-optimal: no other setting has a lower loss without a higher risk. The "
        "settings with the lowest loss for their k are labelled. A ring marks the recommended setting, "
        "and a cross marks one whose release does not satisfy k."
    )
    yield Figure(risk_utility(choices.points, choices.loss), "Each circle is one setting.")
    if choices.table:
        yield NumberTable(choices.table)
        yield Paragraph(f"Columns of the table: {choices.legend}", quiet=True)
