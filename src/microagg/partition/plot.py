"""A partition drawn with matplotlib: its groups on two axes, or the sizes of its groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.data.matrix import columns_of
from microagg.errors import DataError
from microagg.notebook import AFTER, COLOURS, axes_or_new, plain_label
from microagg.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from microagg.partition.partition import Partition


def draw_sizes(part: Partition, ax: Axes | None) -> Axes:
    """Draw how many groups there are of each size."""
    ax = axes_or_new(ax)
    sizes, counts = np.unique(part.sizes, return_counts=True)
    ax.bar([str(size) for size in sizes], counts, color=AFTER)
    ax.set_xlabel("records in a group")
    ax.set_ylabel("groups")
    ax.set_title(f"{part.n:,} records in {part.n_groups:,} groups, k = {part.k}")
    return ax


def draw_groups(part: Partition, X: Any, ax: Axes | None) -> Axes:
    """Draw each record in the colour of its group, joined with the centroid of the group."""
    from matplotlib.collections import LineCollection

    columns, names = columns_of(X)
    if len(columns[0]) != part.n:
        raise DataError(f"The data has {len(columns[0])} rows, but the groups have {part.n}.")
    points, labels = _on_a_plane(np.stack(columns), names)
    ax = axes_or_new(ax)
    sums = np.array([np.bincount(part.labels, axis) for axis in points])
    centroids = sums / part.sizes
    ends = np.stack([points.T, centroids.T[part.labels]], axis=1)
    colours = [COLOURS[group % len(COLOURS)] for group in part.labels]
    ax.add_collection(LineCollection(list(ends), colors=colours, linewidths=0.6, alpha=0.5))
    ax.scatter(points[0], points[1], s=12, c=colours, edgecolor="white", linewidth=0.3, zorder=2)
    across, up = centroids
    ax.scatter(across, up, s=28, marker="X", color="black", edgecolor="white", zorder=3)
    ax.set_xlabel(plain_label(labels[0]))
    ax.set_ylabel(plain_label(labels[1]))
    ax.set_title(f"{part.n:,} records in {part.n_groups:,} groups, k = {part.k}")
    return ax


def _on_a_plane(columns: Floats, names: list[str]) -> tuple[Floats, list[str]]:
    """Return two coordinates of each record and what they are."""
    if len(columns) == 1:
        return np.vstack([columns, np.zeros_like(columns)]), [names[0], ""]
    if len(columns) == 2:
        return columns, names
    spread = columns.std(axis=1, keepdims=True)
    scaled = (columns - columns.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1)
    axes = np.linalg.eigh(scaled @ scaled.T)[1][:, :-3:-1]
    return axes.T @ scaled, ["first principal component", "second principal component"]
