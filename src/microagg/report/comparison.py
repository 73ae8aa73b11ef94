"""A comparison as a table for a terminal, and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from microagg.data.frames import Frame
from microagg.measure.registry import find
from microagg.measure.score import LOSSES
from microagg.report.charts import Point
from microagg.report.page import Choice, Page, Tile, software


def _columns(rows: Sequence[Mapping[str, Any]], loss: str) -> dict[str, str]:
    """Return the columns of the table and their heads."""
    other = next(name for name in LOSSES if name != loss)
    left_out = any(row["suppressed"] for row in rows)
    return {
        "k": "k",
        **({"records": "records"} if left_out else {}),
        "score": "score",
        loss: "loss %",
        "g-dr": "risk %",
        other: f"{other} %",
        "rld": "rld %",
        "interval-disclosure": "guessed %",
        "linkage": "linked %",
        "seconds": "seconds",
    }


def table(rows: Sequence[Mapping[str, Any]], loss: str) -> str:
    """Return the choices as text; a star marks what nothing beats."""
    names, columns = [_name(row) for row in rows], _columns(rows, loss)
    width = max(map(len, ["method", *names]))
    lines = [f"  {'method':<{width}}" + "".join(f"{head:>10}" for head in columns.values())]
    for name, row in zip(names, rows, strict=True):
        cells = "".join(f"{_cell(row, column):>10}" for column in columns)
        lines.append(f"{'*' if row['unbeaten'] else ' '} {name:<{width}}{cells}")
    return "\n".join([*lines, ""])


def legend(rows: Sequence[Mapping[str, Any]], weight: float, loss: str) -> str:
    """Return what the columns of the table mean, in one line."""
    said = [f"score: {weight:g} of the loss and {1 - weight:g} of the risk, the lower the better"]
    for name, head in _columns(rows, loss).items():
        if head.endswith("%"):
            found = find(name)
            said.append(f"{head.removesuffix(' %')}: {found.title.lower()} ({name})")
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
    """Return the page that shows the risk-utility map and the table; internal if it names a file.

    The points are those of the rows, in the same order.
    """
    marked = [Point(*p[:4], _holds(row)) for p, row in zip(points, rows, strict=True)]
    return Page(
        title="Comparison of ways to protect",
        audience="internal" if file else "external",
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
        choices=marked,
        choice_loss=loss,
        choice_words=f"{_MAP} In the table, {legend(rows, weight, loss)}",
        choice_table=[
            ["method", *_columns(rows, loss).values()],
            *(_cells(row, _columns(rows, loss)) for row in rows),
        ],
    )


_MAP = (
    "Left is less loss, down is less risk. Filled circles are choices that nothing else beats; the "
    "others have more of one and no less of the other. A cross and ! mark a choice that breaks k: a "
    "record shares its released values with fewer than k."
)


def choices_of(comparison: Any) -> dict[str, Any]:
    """Return the parts of a page that show the frame that `compare` gave back."""
    needed = [
        "method",
        "refine",
        "k",
        "unbeaten",
        "loss",
        "g-dr",
        "k-anonymity",
        "stopped",
        *LOSSES,
    ]
    frame = Frame(comparison)
    frame.require(needed, "comparison")
    rows = frame.select(needed).to_pylist()
    points = [
        Point(f"{_name(r)}, k={r['k']}", r["loss"], r["g-dr"], r["unbeaten"], _holds(r))
        for r in rows
    ]
    loss = next(name for name in LOSSES if all(row[name] == row["loss"] for row in rows))
    return {"choices": points, "choice_words": _MAP, "choice_loss": loss}


def _cells(row: Mapping[str, Any], columns: Iterable[str]) -> list[str]:
    star = " *" if row["unbeaten"] else ""
    return [_name(row) + star, *(_cell(row, column) for column in columns)]


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
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
