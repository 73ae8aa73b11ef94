"""Plots of a release with matplotlib: the loss of each column, or one column before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from microagg.constraints import OneOf, check
from microagg.notebook import AFTER, BEFORE, axes_or_new, plain_label
from microagg.pipeline.outcome import FrameOutcome
from microagg.pipeline.pairing import pair_of_outcome
from microagg.report.distributions import Distribution, distributions_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_losses(outcome: FrameOutcome, ax: Axes | None) -> Axes:
    """Draw the information loss of each quasi-identifier."""
    ax = axes_or_new(ax)
    losses = dict(sorted(outcome.loss.by_column.items(), key=lambda each: each[1]))
    ax.barh([plain_label(name) for name in losses], list(losses.values()), color=AFTER)
    ax.set_xlabel("information loss (%)")
    ax.set_title(f"k = {outcome.anonymity.k}, information loss {outcome.loss.il:.1f} % in all")
    return ax


def draw_column(outcome: FrameOutcome, column: str, ax: Axes | None) -> Axes:
    """Draw the distribution of a quasi-identifier before and after.

    Categories of very few records are drawn together, as in the report.
    """
    by_name = {each.name: each for each in distributions_of(pair_of_outcome(outcome), 0)}
    check("column", str(column), OneOf(tuple(by_name)), "plot")
    shown, ax = by_name[str(column)], axes_or_new(ax)
    if len(shown.edges):
        ax.stairs(shown.before, shown.edges, fill=True, color=BEFORE, alpha=0.5, label="original")
        ax.stairs(shown.after, shown.edges, color=AFTER, linewidth=1.5, label="released")
    else:
        _draw_bars(shown, ax)
    ax.set_xlabel(plain_label(shown.name))
    ax.set_ylabel("records")
    ax.legend()
    return ax


def _draw_bars(shown: Distribution, ax: Axes) -> None:
    places = np.arange(len(shown.labels))
    ax.bar(places - 0.2, shown.before, 0.4, color=BEFORE, label="original")
    ax.bar(places + 0.2, shown.after, 0.4, color=AFTER, label="released")
    ax.set_xticks(places, list(map(plain_label, shown.labels)), rotation=30, ha="right")
