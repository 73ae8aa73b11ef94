"""A comparison as a table for a terminal, and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from microagg.data.frames import Frame
from microagg.measure.registry import find
from microagg.measure.score import LOSSES
from microagg.report.audience import short_percent
from microagg.report.charts.risk_utility import MapPoint
from microagg.report.page import Choice, Page, about, software
from microagg.report.verdict import Box


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the columns of the table and their heads."""
    left_out = any(row["suppressed"] for row in rows)
    return {
        "k": "k",
        "rank": "rank",
        **({"records": "records"} if left_out else {}),
        "il": "loss %",
        "error-correlations": "corr. %",
        "linkage": "linked %",
        "interval-disclosure": "guessed %",
        "rld": "rld %",
        **({"g-il": "g-il %"} if all(row["g-il"] is not None for row in rows) else {}),
        "g-dr": "risk %",
        "score": "score",
        "seconds": "seconds",
    }


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the choices as text; a star marks the Pareto-optimal ones."""
    names, columns = [_name(row) for row in rows], _columns(rows)
    width = max(map(len, ["method", *names]))
    lines = [f"  {'method':<{width}}" + "".join(f"{head:>10}" for head in columns.values())]
    for name, row in zip(names, rows, strict=True):
        cells = "".join(f"{_cell(row, column):>10}" for column in columns)
        lines.append(f"{'*' if row['pareto_optimal'] else ' '} {name:<{width}}{cells}")
    return "\n".join([*lines, ""])


def legend(rows: Sequence[Mapping[str, Any]], weight: float, loss: str) -> str:
    """Return what the columns of the table mean, in one line."""
    said = [
        "rank: by information loss, for each k",
        f"score: {weight:g} x {loss} + {1 - weight:g} x risk; lower is better",
        "*: Pareto-optimal, no other has less loss without more risk",
    ]
    for name, head in _columns(rows).items():
        if head.endswith("%"):
            found = find(name)
            said.append(f"{head.removesuffix(' %')}: {found.title.lower()} ({name})")
    if not all(map(_holds, rows)):
        said.append("k!: the release does not hold k, so it has no rank")
    return f"{'; '.join(said)}."


def page_of_choices(
    rows: Sequence[Mapping[str, Any]],
    points: Sequence[Choice],
    words: str,
    file: str = "",
    loss: str = "g-il",
    weight: float = 0.5,
    recommended: Mapping[str, Any] | None = None,
) -> Page:
    """Return the page that shows the risk-utility map and the table; internal if it names a file.

    The points are those of the rows, in the same order.
    """
    marked = [MapPoint(*p[:4], _holds(row)) for p, row in zip(points, rows, strict=True)]
    versions = dict(software())
    return Page(
        title="Comparison of methods",
        audience="internal" if file else "external",
        lead=words,
        about=about(file or "a table in memory", versions["Created"], versions["microagg"]),
        verdict=_verdict(rows, recommended),
        done=["Each choice protected the same records, and its release was measured."],
        facts=[("Measured", "what `microagg assess` measures, on the quasi-identifiers")],
        promises=[_held(rows)],
        provenance=[*versions.items(), *([("File", file)] if file else [])],
        choices=marked,
        choice_loss=loss,
        choice_words=_MAP,
        choice_legend=f"In the table, {legend(rows, weight, loss)}",
        choice_table=[
            ["method", *_columns(rows).values()],
            *(_cells(row, _columns(rows)) for row in rows),
        ],
    )


def _verdict(rows: Sequence[Mapping[str, Any]], best: Mapping[str, Any] | None) -> list[Box]:
    kept = sum(map(_holds, rows))
    compared = Box(
        "What was compared",
        str(len(rows)),
        "choices of method, refinement and k",
        [_held(rows)[1]],
        "fine" if kept == len(rows) else "attention",
    )
    if best is None:
        return [compared]
    name = _name(best)
    lost, linked = (short_percent(float(best[key])) for key in ("il", "linkage"))
    return [
        Box("Recommended", f"k = {best['k']}", f"by {name}", ["It loses least for this k."]),
        Box("What it loses", lost, "of the differences between records", []),
        Box("What is still at risk", linked, "of the records are linked by distance", []),
        compared,
    ]


_MAP = (
    "Left is less loss, down is less risk. Filled circles are Pareto-optimal: no other choice has less "
    "loss without more risk. A cross and ! mark a choice whose release does not hold k."
)


def choices_of(comparison: Any) -> dict[str, Any]:
    """Return the parts of a page that show the frame that `compare` gave back."""
    needed = [
        "method",
        "refine",
        "k",
        "pareto_optimal",
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
        MapPoint(f"{_name(r)}, k={r['k']}", r["loss"], r["g-dr"], r["pareto_optimal"], _holds(r))
        for r in rows
    ]
    loss = next(name for name in LOSSES if all(row[name] == row["loss"] for row in rows))
    return {"choices": points, "choice_words": _MAP, "choice_loss": loss}


def _cells(row: Mapping[str, Any], columns: Iterable[str]) -> list[str]:
    star = " *" if row["pareto_optimal"] else ""
    return [_name(row) + star, *(_cell(row, column) for column in columns)]


def _held(rows: Sequence[Mapping[str, Any]]) -> tuple[bool, str]:
    kept = sum(map(_holds, rows))
    return kept == len(rows), f"{kept} of {len(rows)} releases hold k on the quasi-identifiers."


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
