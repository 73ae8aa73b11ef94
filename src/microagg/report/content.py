"""What a report is made of: typed pieces without any markup. `html.py` writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Table = Sequence[Sequence[str]]
"""Rows of cells; the first row has the heads."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; a quiet one is printed small and grey."""

    text: str
    quiet: bool = False


@dataclass(frozen=True)
class Caution:
    """A paragraph that stands out."""

    text: str


@dataclass(frozen=True)
class FactTable:
    """A table of names and what is to be said of them."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class NumberTable:
    """A table of numbers with heads, and a title if it has one."""

    table: Table
    title: str = ""


@dataclass(frozen=True)
class Checks:
    """Statements, each with whether it holds."""

    lines: Sequence[tuple[bool, str]]


@dataclass(frozen=True)
class Figure:
    """A picture as SVG, perhaps none, with a title above and a caption below."""

    picture: str
    caption: str = ""
    title: str = ""


@dataclass(frozen=True)
class Figures:
    """Figures side by side; with a key where they show both files in one picture."""

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
    """A part of the verdict: a number with its label, and what follows from it."""

    title: str
    number: str
    label: str
    words: Sequence[str]
    state: State = "fine"


@dataclass(frozen=True)
class PageSection:
    """A section as it is shown: the name of its file, its title and its content."""

    name: str
    title: str
    content: Sequence[Content]


@dataclass(frozen=True)
class Page:
    """A report.

    Attributes
    ----------
    title, lead : str
        What it is, in a few words and in a sentence.
    audience : {"internal", "external"}
        Who may read it.
    about : sequence of (str, str)
        Data set, date and version.
    verdict : sequence of Box
        What a decision needs, each with one number.
    sections : sequence of PageSection
        The rest, in order.
    measures : mapping of str to float
        What was measured, by name, for programs; None where a measure has no value, or none that the
        audience may see.
    """

    title: str
    lead: str
    audience: str
    about: Sequence[tuple[str, str]]
    verdict: Sequence[Box]
    sections: Sequence[PageSection]
    measures: Mapping[str, float | None] = field(default_factory=dict)
