"""The pictures of the documentation: groups and their centroids on one set of 2-D records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import microagg as ma

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

K = 5
# Okabe and Ito's colours, told apart by colour-blind readers too; without black and yellow.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7")
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}
# Without a date and a version, the same picture gives the same bytes.
SAVE = {"dpi": 120, "metadata": {"Software": None}}


def records() -> Floats:
    """Return the records of every picture: 63, so that three are left over at k = 5."""
    return ma.generate.clustered(11, n=63, sizes=(4, 9), spread=2_400) / 1_000


def draw_readme(path: Path) -> None:
    """Two panels: the records in their groups, and what is released."""
    import matplotlib.pyplot as plt

    X = records()
    part = ma.partition(X, K, "mdav")
    with plt.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 4.1), sharex=True, sharey=True)
        draw_groups(left, X, part)
        draw_released(right, X, part)
        left.set_title(f"{part.n} records in {part.n_groups} groups of at least {K}", fontsize=11)
        right.set_title("released: every record as its group's centroid", fontsize=11)
        left.set_ylabel("second quasi-identifier")
        figure.supxlabel("first quasi-identifier", fontsize=10, y=0.03)
        figure.tight_layout()
        figure.savefig(path, **SAVE)
        plt.close(figure)


def draw_method(name: str, path: Path, *, refine: str | None = None) -> None:
    """One panel: the groups that the method makes, refined or not."""
    import matplotlib.pyplot as plt

    X = records()
    limit = {"time_limit": 5} if name == "best" else {}  # else it would prove its groups the best
    part = ma.partition(X, K, method=name, refine=refine, parameters=limit)
    loss = ma.information_loss(X, part).il
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(4.8, 4.1))
        draw_groups(axes, X, part)
        axes.set_title(f"{part.method}, k = {K}: information loss {loss:.2f} %", fontsize=10)
        axes.set_xlabel("first quasi-identifier")
        axes.set_ylabel("second quasi-identifier")
        figure.tight_layout()
        figure.savefig(path, **SAVE)
        plt.close(figure)


def draw_groups(axes: Axes, X: Floats, part: ma.Partition) -> None:
    """Records, each group with its hull and with lines to its centroid."""
    centroids = _centroids(X, part)
    for rows, centroid, colour in zip(part.groups(), centroids, _colours(centroids), strict=True):
        hull = _hull(X[rows])
        axes.fill(*hull.T, color=colour, alpha=0.16, linewidth=0)
        axes.plot(*np.vstack([hull, hull[:1]]).T, color=colour, alpha=0.55, linewidth=0.9)
        for record in X[rows]:
            axes.plot(*np.vstack([record, centroid]).T, color=colour, alpha=0.45, linewidth=0.7)
        axes.scatter(*X[rows].T, s=20, color=colour, edgecolor="white", linewidth=0.5, zorder=3)
    axes.scatter(*centroids.T, s=42, marker="X", color="black", edgecolor="white", zorder=4)
    _legend(axes, [("o", "#777777", "record"), ("X", "black", "centroid")])


def draw_released(axes: Axes, X: Floats, part: ma.Partition) -> None:
    """Centroids with the number of records that share each; the records as a shadow."""
    centroids = _centroids(X, part)
    axes.scatter(*X.T, s=10, color="#d5d5d5")
    colours = _colours(centroids)
    axes.scatter(*centroids.T, s=190, color=colours, edgecolor="black", linewidth=0.8, zorder=3)
    for centroid, size in zip(centroids, part.sizes, strict=True):
        axes.annotate(
            str(size),
            centroid,
            ha="center",
            va="center_baseline",
            fontsize=9,
            weight="bold",
            zorder=4,
        )
    _legend(axes, [("o", "#d5d5d5", "original, not released"), ("$5$", "black", "records there")])


def _legend(axes: Axes, entries: list[tuple[str, str, str]]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="", marker=marker, color=colour, label=label)
        for marker, colour, label in entries
    ]
    axes.legend(handles=handles, loc="lower left", fontsize=8, framealpha=0.9, handletextpad=0.2)


def _centroids(X: Floats, part: ma.Partition) -> Floats:
    return np.array([X[rows].mean(axis=0) for rows in part.groups()])


def _colours(centroids: Floats) -> list[str]:
    """Give each group a colour that the groups next to it do not have."""
    chosen: list[str] = []
    for group, centroid in enumerate(centroids):
        near = np.argsort(((centroids[:group] - centroid) ** 2).sum(axis=1), kind="stable")
        taken = [chosen[other] for other in near[: len(COLOURS) - 1]]
        chosen.append(next(colour for colour in COLOURS if colour not in taken))
    return chosen


def _hull(points: Floats) -> Floats:
    from scipy.spatial import ConvexHull

    return points[ConvexHull(points).vertices]
