"""A report as data, for programs that display it, such as the web page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

from microagg.report.content import (
    Box,
    Content,
    Figures,
    MeasureRow,
    MeasureTable,
    Page,
    PageSection,
)

_TYPES: dict[str, type[Any]] = {each.__name__: each for each in get_args(Content)}


def data_of(page: Page) -> dict[str, Any]:
    """Return a report as data for JSON, which `page_from` reads again."""
    return {
        "title": page.title,
        "lead": page.lead,
        "audience": page.audience,
        "about": [list(pair) for pair in page.about],
        "verdict": [box._asdict() for box in page.verdict],
        "sections": [
            {"name": each.name, "title": each.title, "content": list(map(_entry, each.content))}
            for each in page.sections
        ],
        "measures": dict(page.measures),
    }


def page_from(data: Mapping[str, Any]) -> Page:
    """Return the report that `data_of` described.

    Examples
    --------
    >>> page = Page("Report", "Lead.", "internal", [], [Box("Lost", "2 %", "of all", [])], [])
    >>> page_from(data_of(page)) == page
    True
    """
    sections = [
        PageSection(each["name"], each["title"], [_content(entry) for entry in each["content"]])
        for each in data["sections"]
    ]
    return Page(
        title=data["title"],
        lead=data["lead"],
        audience=data["audience"],
        about=[(name, words) for name, words in data["about"]],
        verdict=[Box(**box) for box in data["verdict"]],
        sections=sections,
        measures=data["measures"],
    )


def _entry(content: Content) -> dict[str, Any]:
    """Return a piece of content with its type name."""
    values = {each.name: getattr(content, each.name) for each in fields(content)}
    if isinstance(content, Figures):
        values["figures"] = list(map(_entry, content.figures))
    return {"type": type(content).__name__, **values}


def _content(entry: Mapping[str, Any]) -> Content:
    values = {name: value for name, value in entry.items() if name != "type"}
    kind = _TYPES[entry["type"]]
    if kind is Figures:
        values["figures"] = [_content(each) for each in values["figures"]]
    elif kind is MeasureTable:
        values["rows"] = [MeasureRow(*row) for row in values["rows"]]
    content: Content = kind(**values)
    return content
