"""Runs side by side: their main figures, and all of them on one risk-utility map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microagg.measure.score import pareto_front
from microagg.report.charts.risk_utility import MapPoint, risk_utility
from microagg.server import results
from microagg.server.runs import Run

LOSS, RISK = "il", "g-dr"
"""The measures of the map, which are those of `compare`."""


@dataclass(frozen=True)
class Row:
    """A run in the overview: its settings, and its measures if it has finished.

    `k` is counted on the quasi-identifiers; `exposed` counts the records that are unique on these
    together with unchanged columns that are not confidential, None if that was not counted.
    """

    run: Run
    asked: str
    promised: bool = False
    k: int | None = None
    loss: float | None = None
    risk: float | None = None
    exposed: int | None = None
    records: int | None = None
    early: bool = False

    @property
    def holds(self) -> bool:
        """Whether the release has the requested k."""
        return self.k is not None and self.k >= int(self.asked)


def row(run: Run) -> Row:
    """Return a run for the overview."""
    asked = results.texts_of(run)["k"][0]
    if run.state != "finished":
        return Row(run, asked)
    result, measures = results.provenance(run.folder)["result"], results.report(run.folder).measures
    exposure = result["exposure"]
    return Row(
        run=run,
        asked=asked,
        promised=bool(result["promises"]),
        k=int(result["k"]),
        loss=measures[LOSS],
        risk=measures[RISK],
        exposed=None if exposure is None else exposure["records_unique"],
        records=int(result["records"]),
        early=bool(run.interrupts),
    )


def risk_utility_map(rows: Sequence[Row]) -> str:
    """Return the map of the finished runs as SVG; empty if no run has both measures."""
    measured = [
        (each, each.loss, each.risk)
        for each in rows
        if each.loss is not None and each.risk is not None
    ]
    if not measured:
        return ""
    holding = [point for point in measured if point[0].holds]
    front = pareto_front([loss for _, loss, _ in holding], [risk for *_, risk in holding])
    optimal = {holding[place][0].run.id for place in front}
    points = [
        MapPoint(each.run.title, loss, risk, each.run.id in optimal, holds=each.holds, named=True)
        for each, loss, risk in measured
    ]
    return risk_utility(points, LOSS)


def same_roles(rows: Sequence[Row]) -> bool:
    """Return whether all finished runs replaced the same columns, so that their losses are comparable."""
    finished = [each.run for each in rows if each.run.state == "finished"]
    return len({tuple(results.schema_of(run).quasi_identifiers) for run in finished}) <= 1
