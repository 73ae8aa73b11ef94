"""The report of a comparison of settings."""

from __future__ import annotations

from microagg.comparison.table import Comparison
from microagg.pipeline.software import now, software
from microagg.report.audience import Audience
from microagg.report.comparison import map_of, verdict_of_comparison
from microagg.report.content import Page
from microagg.report.material import Material, about
from microagg.report.section import sections_of


def page_of_comparison(comparison: Comparison, file: str = "") -> Page:
    """Return the report with the risk-utility map and the table.

    It is for the internal audience: its shares may be those of a few records.
    """
    reader = Audience("internal")
    made = {"Created": now(), **software()}
    material = Material(
        reader=reader,
        software=made,
        comparison=comparison,
        choices=map_of(comparison),
        files={"input": file} if file else None,
    )
    return Page(
        title="Comparison of methods",
        lead=comparison.sentence(),
        audience=reader.name,
        about=about(file or "a table in memory", made),
        verdict=verdict_of_comparison(comparison),
        sections=sections_of(material),
    )
