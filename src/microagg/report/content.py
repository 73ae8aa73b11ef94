"""The content of a report: typed pieces without markup, which `html.py` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Table = Sequence[Sequence[str]]
"""Rows of cells; the first row contains the headings."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; a quiet paragraph is small and grey."""

    text: str
    quiet: bool = False


@dataclass(frozen=True)
class Caution:
    """A highlighted paragraph."""

    text: str


@dataclass(frozen=True)
class FactTable:
    """A table of names and descriptions."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class NumberTable:
    """A table of numbers with headings and an optional title."""

    table: Table
    title: str = ""


@dataclass(frozen=True)
class Checks:
    """Statements that hold or not."""

    lines: Sequence[tuple[bool, str]]


@dataclass(frozen=True)
class Figure:
    """An optional SVG picture with a title above and a caption below."""

    picture: str
    caption: str = ""
    title: str = ""


@dataclass(frozen=True)
class Figures:
    """Figures side by side, with a key if they show both files in one picture."""

    figures: Sequence[Figure]
    key: bool = False


class MeasureRow(NamedTuple):
    """A measure in the annex of a report."""

    title: str
    name: str
    value: str
    direction: str
    range: str
    meaning: str
    note: str


@dataclass(frozen=True)
class MeasureTable:
    """Measures of one kind."""

    title: str
    rows: Sequence[MeasureRow]


Content = (
    Paragraph | Caution | FactTable | NumberTable | Checks | Figure | Figures | MeasureTable
)  # fmt: skip

State = Literal["fine", "attention", "alarm"]


class Box(NamedTuple):
    """A part of the verdict: a number with its label, and sentences about it."""

    title: str
    number: str
    label: str
    words: Sequence[str]
    state: State = "fine"


@dataclass(frozen=True)
class PageSection:
    """A section of a page: the name of its file, its title and its content."""

    name: str
    title: str
    content: Sequence[Content]


@dataclass(frozen=True)
class Page:
    """A report.

    Attributes
    ----------
    title, lead : str
        The title, and a sentence that introduces the report.
    audience : {"internal", "external"}
        The audience of the report.
    about : sequence of (str, str)
        The data set, the date and the version.
    verdict : sequence of Box
        The facts for a decision, each with one number.
    sections : sequence of PageSection
        The sections, in order.
    measures : mapping of str to float
        The measures by name, for programs; None if a measure has no value, or none that the
        audience may see.
    """

    title: str
    lead: str
    audience: str
    about: Sequence[tuple[str, str]]
    verdict: Sequence[Box]
    sections: Sequence[PageSection]
    measures: Mapping[str, float | None] = field(default_factory=dict)
