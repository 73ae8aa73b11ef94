"""A comparison as a table for a terminal, and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from microagg.measure.registry import find
from microagg.report.page import Choice, Page, Tile, software

LOSSES = {"g-il": "G_IL", "il": "SSE/SST"}
"""What may stand for the loss, as it is called."""

_COLUMNS = {
    "k": "k",
    "score": "score",
    "g-il": "loss",
    "g-dr": "risk",
    "il": "IL %",
    "rld": "RLD %",
    "interval-disclosure": "ID %",
    "linkage": "linked %",
    "seconds": "seconds",
}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the choices as text; a star marks what nothing beats."""
    names = [_name(row) for row in rows]
    width = max(map(len, ["method", *names]))
    lines = [f"  {'method':<{width}}" + "".join(f"{head:>10}" for head in _COLUMNS.values())]
    for name, row in zip(names, rows, strict=True):
        cells = "".join(f"{_cell(row, column):>10}" for column in _COLUMNS)
        lines.append(f"{'*' if row['unbeaten'] else ' '} {name:<{width}}{cells}")
    return "\n".join([*lines, ""])


def legend(rows: Sequence[Mapping[str, Any]], weight: float, loss: str) -> str:
    """Return what the columns of the table mean, in one line."""
    said = [
        f"loss: {find('g-il').summary} (G_IL)",
        f"risk: {find('g-dr').summary} (G_DR)",
        f"score: {weight:g} of {LOSSES[loss]} and {1 - weight:g} of G_DR, the lower the better",
    ]
    if not all(map(_holds, rows)):
        said.append("k!: a record shares its released values with fewer than k")
    return f"{'; '.join(said)}."


def page_of_choices(
    rows: Sequence[Mapping[str, Any]],
    points: Sequence[Choice],
    words: str,
    file: str = "",
    loss: str = "g-il",
    weight: float = 0.5,
) -> Page:
    """Return the page that shows the risk-utility map and the table."""
    return Page(
        title="Comparison of ways to protect",
        face="external",
        lead=words,
        tiles=[
            Tile(str(len(rows)), "choices"),
            Tile(str(len([p for p in points if p[3]])), "unbeaten"),
        ],
        done=["Each choice protected the same records, and its release was measured."],
        facts=[("Measured", "what `microagg assess` measures, on the quasi-identifiers")],
        promises=[_held(rows)],
        findings=(),
        provenance=[*software(), *([("File", file)] if file else [])],
        choices=points,
        choice_loss=LOSSES[loss],
        choice_words="Left is less loss, down is less risk. Filled circles are choices that "
        "nothing else beats; the others have more of one and no less of the other. "
        f"In the table, {legend(rows, weight, loss)}",
        choice_table=[["method", *_COLUMNS.values()], *map(_cells, rows)],
    )


def _cells(row: Mapping[str, Any]) -> list[str]:
    star = " *" if row["unbeaten"] else ""
    return [_name(row) + star, *(_cell(row, column) for column in _COLUMNS)]


def _held(rows: Sequence[Mapping[str, Any]]) -> tuple[bool, str]:
    kept = sum(map(_holds, rows))
    return kept == len(rows), f"{kept} of {len(rows)} releases hold k for records as a whole."


def _holds(row: Mapping[str, Any]) -> bool:
    return bool(row["k-anonymity"] >= row["k"])


def _name(row: Mapping[str, Any]) -> str:
    name = row["method"] if row["refine"] is None else f"{row['method']} + {row['refine']}"
    return f"{name} ({row['stopped']})" if row["stopped"] else str(name)


def _cell(row: Mapping[str, Any], column: str) -> str:
    value = row[column]
    if column == "k" and not _holds(row):
        return f"{value}!"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
