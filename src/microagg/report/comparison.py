"""A comparison as a table for a terminal, and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from microagg.report.page import Choice, Page, software

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
        cells = "".join(f"{_cell(row[column]):>10}" for column in _COLUMNS)
        lines.append(f"{'*' if row['unbeaten'] else ' '} {name:<{width}}{cells}")
    return "\n".join([*lines, ""])


def page_of_choices(
    rows: Sequence[Mapping[str, Any]],
    points: Sequence[Choice],
    words: str,
    file: str = "",
    loss: str = "g-il",
) -> Page:
    """Return the page that shows the risk-utility map and the table."""
    return Page(
        title="Comparison of ways to protect",
        face="external",
        lead=words,
        tiles=[(str(len(rows)), "choices"), (str(len([p for p in points if p[3]])), "unbeaten")],
        done=["Each choice protected the same records, and its release was measured."],
        facts=[("Measured", "what `microagg assess` measures, on the quasi-identifiers")],
        promises=[_held(rows)],
        findings=(),
        provenance=[*software(), *([("File", file)] if file else [])],
        choices=points,
        choice_loss={"g-il": "G_IL", "il": "SSE/SST"}[loss],
        choice_words="Left is less loss, down is less risk. Filled circles are choices that "
        "nothing else beats; the others have more of one and no less of the other.",
        choice_table=[["method", *_COLUMNS.values()], *map(_cells, rows)],
    )


def _cells(row: Mapping[str, Any]) -> list[str]:
    star = " *" if row["unbeaten"] else ""
    return [_name(row) + star, *(_cell(row[column]) for column in _COLUMNS)]


def _held(rows: Sequence[Mapping[str, Any]]) -> tuple[bool, str]:
    kept = sum(row["k-anonymity"] >= row["k"] for row in rows)
    return kept == len(rows), f"{kept} of {len(rows)} releases hold k for records as a whole."


def _name(row: Mapping[str, Any]) -> str:
    return str(row["method"] if row["refine"] is None else f"{row['method']} + {row['refine']}")


def _cell(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
