"""The page that lists all methods, by family, with what each can do and what it loses."""

from __future__ import annotations

import csv
from pathlib import Path

from microagg.mask.registry import maskings
from microagg.partition.names import pairs
from microagg.partition.refine.registry import refinements
from microagg.partition.registry import FAMILIES, Method, methods

LOSSES = Path(__file__).with_name("method_losses.csv")
DATA = ("tarragona", "census", "eia")
TITLES = {
    "search": "Search",
    "fixed": "Groups of fixed size",
    "variable": "Groups of variable size",
    "univariate": "Univariate methods",
    "graph": "Graphs and hierarchical clustering",
    "learning": "Learning automata and genetic algorithms",
}
WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n"
INTRODUCTION = """# Methods

In most cases, use the default, `auto`: see [Which method should I use?](../guides/choosing-a-method.md)

The boxes above the table filter it, and a click on a heading sorts it.

- **Tarragona, Census, EIA**: the information loss in percent for k = 5 on the
  [benchmark data](../datasets.md), measured by `python -m benchmarks.quality.methods`. A star marks a
  search with a time limit; for `best`, the figures are those of the 120 s runs on the
  [quality page](../quality.md).
- **mixed records**: whether the method accepts nominal categories, missing values and weights
  ([records](../records.md)).
- **deterministic**: whether the groups are independent of the seed.
- **time**: n is the number of records, d is the number of quasi-identifiers, and k is the minimum group
  size.

`microagg methods --json` prints the table for other programs.
"""


def page(note: str) -> str:
    """Return the page."""
    losses = _losses()
    lines = [
        WIDE,
        note,
        INTRODUCTION,
        ":::{div} methods-table",
        *_heads(),
        *_rows(losses),
        ":::",
        "",
    ]
    return "\n".join([*lines, *_families(), *_refinements(), *_maskings(), *_names(), ""])


def _losses() -> dict[tuple[str, str], str]:
    rows = csv.DictReader(LOSSES.read_text(encoding="utf-8").splitlines())
    return {
        (row["method"], row["data"]): f"{float(row['il']):.2f}{'*' if row['limit'] else ''}"
        for row in rows
    }


def _heads() -> list[str]:
    heads = ["name", "idea", "Tarragona", "Census", "EIA", "mixed records", "optimal"]
    heads += ["deterministic", "GPU", "time", "largest group"]
    return ["| " + " | ".join(heads) + " |", "| --- | --- |" + " ---: |" * 3 + " --- |" * 6]


def _rows(losses: dict[tuple[str, str], str]) -> list[str]:
    ordered = (each for family in _in_order() for each in methods() if each.family == family)
    return ["| " + " | ".join(_cells(each, losses)) + " |" for each in ordered]


def _in_order() -> list[str]:
    """Return the families; searches, which most readers need, come first."""
    return ["search", *(name for name in FAMILIES if name != "search")]


def _cells(each: Method, losses: dict[tuple[str, str], str]) -> list[str]:
    return [
        f"[`{each.name}`]({each.name}.md)",
        each.summary,
        *(losses.get((each.name, data), "") for data in DATA),
        "yes" if each.mixed else "no",
        each.optimal or "no",
        "yes" if each.deterministic else "no",
        "yes" if each.gpu else "no",
        _superscript(each.time),
        each.max_size,
    ]


def _superscript(formula: str) -> str:
    return formula.replace("^2", "²").replace("^3", "³")


def _families() -> list[str]:
    """Return the methods of each family as a table of contents."""
    lines: list[str] = []
    for family in _in_order():
        own = [each.name for each in methods() if each.family == family]
        lines += _contents(TITLES[family], own)
    return lines


def _contents(title: str, names: list[str]) -> list[str]:
    head = ["```{toctree}", ":hidden:", f":caption: {title}", ""]
    return [*head, *(f"{name} <{name}>" for name in names), "```", ""]


def _refinements() -> list[str]:
    lines = [
        "## Refinements",
        "",
        "A refinement takes a partition and returns one that loses no more: `refine=` in Python, "
        "`--refine` on the command line. Several can follow each other.",
        "",
        "| name | idea | time | reference |",
        "| --- | --- | --- | --- |",
    ]
    for step in refinements():
        cells = (f"[`{step.name}`]({step.name}.md)", step.summary, step.time, step.reference)
        lines.append("| " + " | ".join(map(_superscript, cells)) + " |")
    return [*lines, "", *_contents("Refinements", [step.name for step in refinements()])]


def _maskings() -> list[str]:
    lines = [
        "## Maskings",
        "",
        "Maskings do not form groups of whole records, so **k-anonymity does not hold for the whole "
        "record**. `protect(..., method=...)` accepts them; `partition` does not.",
        "",
        "| name | idea | what is promised | reference |",
        "| --- | --- | --- | --- |",
    ]
    for each in maskings():
        cells = (f"[`{each.name}`]({each.name}.md)", each.summary, each.promise, each.reference)
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, "", *_contents("Maskings", [each.name for each in maskings()])]


def _names() -> list[str]:
    return [
        "## Names used in the papers",
        "",
        "| name | method |",
        "| --- | --- |",
        *(f"| `{name}` | `{base}` refined by `{step}` |" for name, (base, step) in pairs().items()),
        *(
            f"| a name of Khomnotai et al. 2018 followed by `{step.suffix}`, such as "
            f"`MDAV-NC{step.suffix}` | that method refined by `{step.name}` |"
            for step in refinements()
            if step.suffix
        ),
        "",
        "[Published figures, and whether they are reproduced](../reproduction.md)",
    ]
