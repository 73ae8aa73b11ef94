"""What analysts can still do: a model, a regression and subgroup means of a target."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.measure.utility.utility import Utility
from microagg.report.audience import Audience
from microagg.report.content import Content, NumberTable, Paragraph
from microagg.report.section import section
from microagg.report.utility import utility_tables, utility_words


@section("What analysts can still do", place=50)
def for_target(utility: Utility, reader: Audience) -> Iterator[Content]:
    """Yield the utility in sentences and tables."""
    yield from map(Paragraph, utility_words(utility, reader))
    for title, table in utility_tables(utility, reader):
        yield NumberTable(table, title)
