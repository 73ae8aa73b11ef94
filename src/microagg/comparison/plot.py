"""The risk-utility map of a comparison, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from microagg.measure.registry import find
from microagg.notebook import AFTER, GREY, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from microagg.comparison.table import Comparison
    from microagg.comparison.trial import RankedTrial


def draw_map(comparison: Comparison, ax: Axes | None) -> Axes:
    """Draw loss to the right and risk upwards; Pareto-optimal choices are filled and joined."""
    ax = axes_or_new(ax)
    front = sorted(comparison.front, key=lambda trial: trial.loss)
    ax.plot(*_places(front), "--", color=AFTER, linewidth=1, zorder=1)
    for trial in comparison.trials:
        ax.scatter(
            *_places([trial]),
            marker="o" if trial.holds else "x",
            facecolor=AFTER if trial.pareto_optimal or not trial.holds else "white",
            edgecolor=None if not trial.holds else AFTER if trial.pareto_optimal else GREY,
            zorder=2,
        )
    best = comparison.recommended
    if best is not None:
        ax.scatter(*_places([best]), s=140, facecolor="none", edgecolor="black", zorder=3)
    for trial in comparison.least_loss.values():
        ax.annotate(
            str(trial.choice),
            (trial.loss, trial.value("g-dr")),
            xytext=(6, 6),
            textcoords="offset points",
            fontsize="small",
        )
    ax.set_xlabel(f"{find(comparison.loss).title} (%)")
    ax.set_ylabel(f"{find('g-dr').title} (%)")
    ax.set_title("Risk-utility map")
    return ax


def _places(trials: list[RankedTrial]) -> tuple[list[float], list[float]]:
    return [trial.loss for trial in trials], [trial.value("g-dr") for trial in trials]
