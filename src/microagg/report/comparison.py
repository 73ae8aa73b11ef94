"""A comparison as a table for a terminal, and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microagg.comparison.table import Comparison
from microagg.comparison.trial import RankedTrial
from microagg.measure.registry import compared_measures
from microagg.percent import short_percent
from microagg.report.charts.risk_utility import MapPoint
from microagg.report.content import Box, Table


@dataclass(frozen=True)
class RiskUtilityMap:
    """The content of a risk-utility map.

    Attributes
    ----------
    points : sequence of MapPoint
        The settings.
    loss : str
        The measure of loss.
    table : rows of cells
        The measures of each setting; empty if there is only the map.
    legend : str
        An explanation of the columns of the table.
    """

    points: Sequence[MapPoint]
    loss: str
    table: Table = ()
    legend: str = ""


def map_of(comparison: Comparison) -> RiskUtilityMap:
    """Return the map and the table of a comparison."""
    best = comparison.recommended
    points = [
        MapPoint(
            str(trial.choice),
            trial.loss,
            trial.value("g-dr"),
            trial.pareto_optimal,
            trial.holds,
            trial is best,
            trial.rank == 1,
        )
        for trial in comparison.trials
    ]
    heads, *rows = _cells(comparison)
    for row, trial in zip(rows, comparison.trials, strict=True):
        row[0] += " *" if trial.pareto_optimal else ""
    return RiskUtilityMap(points, comparison.loss, [heads, *rows], legend(comparison))


def table(comparison: Comparison) -> str:
    """Return the settings as text; a star marks the Pareto-optimal ones."""
    heads, *rows = _cells(comparison)
    width = max(len(row[0]) for row in (heads, *rows))
    stars = ["*" if trial.pareto_optimal else " " for trial in comparison.trials]
    return "".join(
        f"{star} {first:<{width}}{''.join(f'{cell:>10}' for cell in rest)}\n"
        for star, (first, *rest) in zip([" ", *stars], [heads, *rows], strict=True)
    )


def legend(comparison: Comparison) -> str:
    """Return an explanation of the columns of the table, in one line."""
    weight = comparison.loss_weight
    lines = [
        f"rank: by {comparison.loss}, for each k",
        f"score: {weight:g} x {comparison.loss} + {1 - weight:g} x risk; lower is better",
        "*: Pareto-optimal, no other has a lower loss without a higher risk",
        *(
            f"{one.head.removesuffix(' %')}: {one.title.lower()} ({one.name})"
            for one in compared_measures()
            if _has_values(comparison, one.name)
        ),
    ]
    utility = comparison.trials[0].utility
    if utility is not None:
        lines.append(
            f"{utility.figure}: of a model that predicts {utility.target} from the quasi-identifiers, "
            f"trained on the release ({utility.original:.3f} on the original); higher is better"
        )
    if not all(trial.holds for trial in comparison.trials):
        lines.append("k!: the release does not satisfy k, so it has no rank")
    return f"{'; '.join(lines)}."


def _has_values(comparison: Comparison, name: str) -> bool:
    return all(trial.measures[name] is not None for trial in comparison.trials)


def _cells(comparison: Comparison) -> list[list[str]]:
    """Return the cells of the table, with the headings first."""
    shown = [one for one in compared_measures() if _has_values(comparison, one.name)]
    left_out = any(trial.suppressed for trial in comparison.trials)
    utility = comparison.trials[0].utility
    heads = ["method", "k", "rank", *(["records"] if left_out else [])]
    heads += [*(one.head for one in shown), *([] if utility is None else [utility.figure])]
    rows = [[*heads, "score", "seconds"]]
    for trial in comparison.trials:
        k = f"{trial.choice.k}{'' if trial.holds else '!'}"
        row = [_name(trial), k, "-" if trial.rank is None else str(trial.rank)]
        row += [str(trial.records)] if left_out else []
        row += [f"{trial.measures[one.name]:.2f}" for one in shown]
        row += [] if trial.utility is None else [f"{trial.utility.released:.3f}"]
        row.append("-" if trial.score is None else f"{trial.score:.2f}")
        rows.append([*row, f"{trial.seconds:.2f}"])
    return rows


def _name(trial: RankedTrial) -> str:
    return f"{trial.choice.way} ({trial.stopped})" if trial.stopped else trial.choice.way


def verdict_of_comparison(comparison: Comparison) -> list[Box]:
    """Return the verdict on the settings."""
    kept, count = sum(trial.holds for trial in comparison.trials), len(comparison.trials)
    compared = Box(
        "What was compared",
        str(count),
        "settings of method, refinement and k",
        [holding_words(comparison)],
        "fine" if kept == count else "attention",
    )
    best = comparison.recommended
    if best is None:
        return [compared]
    lost, linked = (short_percent(best.value(name)) for name in ("il", "linkage"))
    label = f"with {_name(best)}"
    return [
        Box("Recommended", f"k = {best.choice.k}", label, ["It has the lowest loss for this k."]),
        Box("Information lost", lost, "of the variation between records", []),
        Box(
            "Remaining risk",
            linked,
            "of the records are linked by distance on the quasi-identifiers",
            ["This does not include the risk that unchanged columns add."],
        ),
        compared,
    ]


def holding_words(comparison: Comparison) -> str:
    """Return the number of releases that satisfy their k, in words."""
    kept = sum(trial.holds for trial in comparison.trials)
    return f"{kept} of {len(comparison.trials)} releases satisfy k on the quasi-identifiers."
