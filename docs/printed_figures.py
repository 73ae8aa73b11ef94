"""The printed figures of the papers: a summary for each method's page, and the appendix with all of them.

They come from docs/reproduction.csv, which `make reproduce` writes.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from microagg.partition.names import resolve

KEPT = Path(__file__).with_name("reproduction.csv")
PAGE = "printed-figures.md"
HEAD = """# Appendix: every printed figure

The tables compare each figure that a paper prints with that of microagg, by method. A figure is
reproduced if that of microagg rounds to it. [Reproduce the literature](reproduction.md) summarises the
tables and states the reasons for differences; the pages of the [methods](methods/index.md) describe how
each paper was read.
"""
COLUMNS = (
    "| printed as | source | data | k | measure | printed | microagg | reproduced |",
    "| --- | --- | --- | ---: | --- | ---: | ---: | --- |",
)
NONE = "The [comparison with published figures](../reproduction.md) does not include this method."


@dataclass(frozen=True)
class Printed:
    """The printed figures of one method, refined or not."""

    method: str
    refine: tuple[str, ...]
    rows: tuple[dict[str, str], ...]

    @property
    def title(self) -> str:
        """Return the heading in the appendix."""
        return " ".join([self.method, *(f"refined by {step}" for step in self.refine)])

    @property
    def link(self) -> str:
        """Return the address of the table, from the page of a method."""
        return f"../{PAGE}#{self.title.replace(' ', '-')}"

    @property
    def reproduced(self) -> int:
        """Return how many figures are reproduced."""
        return sum(row["reproduced"] == "yes" for row in self.rows)

    @property
    def lower(self) -> int:
        """Return how many of the other figures are above those of microagg."""
        others = [row for row in self.rows if row["reproduced"] != "yes"]
        return sum(float(row["ours"]) < float(row["printed"]) for row in others)

    def table(self) -> list[str]:
        """Return the figures as a table."""
        cells = ("method", "source", "data", "k", "measure", "printed", "ours", "reproduced")
        lines = ("| " + " | ".join(row[cell] for cell in cells) + " |" for row in self.rows)
        return [*COLUMNS, *lines]


@cache
def printed() -> tuple[Printed, ...]:
    """Return the figures by method and refinements, in alphabetical order."""
    rows: dict[tuple[str, tuple[str, ...]], list[dict[str, str]]] = {}
    for row in csv.DictReader(KEPT.read_text(encoding="utf-8").splitlines()):
        choice = resolve(row["computed_as"])
        rows.setdefault((choice.method.name, choice.refine), []).append(row)
    return tuple(Printed(*choice, tuple(own)) for choice, own in sorted(rows.items()))


def of_method(name: str) -> str:
    """Return the sentence on the page of a method."""
    own = [each for each in printed() if (each.method, each.refine) == (name, ())]
    if not own:
        return NONE
    (found,) = own
    count, others = len(found.rows), len(found.rows) - found.reproduced
    if not others:
        text = f"All {count} figures are reproduced to the printed digit"
    elif not found.reproduced:
        text = f"None of the {count} figures is reproduced to the printed digit"
        text += f"; microagg loses less in {found.lower} of them"
    else:
        text = f"{found.reproduced} of {count} figures are reproduced to the printed digit"
        text += f", and microagg loses less in {found.lower} of the other {others}"
    return f"**Printed figures.** {text} ([all figures]({found.link}))."


def of_refinement(name: str) -> list[str]:
    """Return the table on the page of a refinement: a row for each method that it follows."""
    own = [each for each in printed() if each.refine == (name,)]
    if not own:
        return [NONE]
    lines = [
        "| refined method | printed figures | reproduced | lower than printed |",
        "| --- | ---: | ---: | ---: |",
        *(f"| [`{each.method}`]({each.link}) | {len(each.rows)} | {each.reproduced} | {each.lower} |"
          for each in own),
    ]  # fmt: skip
    return ["**Printed figures**", "\n".join(lines)]


def page(note: str) -> str:
    """Return the appendix."""
    tables = (["", f"## {each.title}", "", *each.table()] for each in printed())
    return "\n".join([note, HEAD.rstrip(), *(line for lines in tables for line in lines), ""])
