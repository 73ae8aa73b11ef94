"""What k-Ward, kWD, kWR and kWDR share: the groups of fewer than k that merge first."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from microagg.constraints import AtLeast
from microagg.partition.registry import Labels
from microagg.partition.rules.along_axis import Floats, along_axis
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress

Parts = Annotated[int, AtLeast(2)]
"""How many parts a piece is divided into: the thesis' J."""

Theta = Annotated[float, AtLeast(0)] | Literal["dynamic"]
"""The least share of a piece's SST that must be left within its parts for it to be divided."""


def ward_merging(
    prepared: Prepared,
    k: int,
    progress: Progress,
    *,
    axis: str,
    neighbours: bool,
    parts: int = 2,
    theta: float | str | None = None,
) -> Labels:
    """Merge the values on an axis, looking at all pairs or at neighbours, whole or in pieces."""
    from microagg.kernels.line import k_ward_1d as kernels

    def group(values: Floats) -> Labels:
        n = values.size
        bounds = np.array([0, n])
        if theta is not None:
            limit = -1.0 if isinstance(theta, str) else float(theta)
            at_most = min(parts, n // (2 * k) + 1)  # more divide nothing, and need no room
            bounds = progress.run("Dividing", n, kernels.pieces, values, k, at_most, limit)
            progress.note(pieces=bounds.size - 1)
        labels: Labels = progress.run(
            "Grouping", n, kernels.k_ward_1d, values, bounds, k, neighbours
        )
        return labels

    return along_axis(prepared, axis, group)
