"""The seed rule of TFRP: the records farthest from two fixed reference points, in turn."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from microagg.partition.registry import Labels
from microagg.partition.rules.index import on_records
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress

References = Literal["global", "attribute"]
"""Both points: the least and the largest of all values in every attribute, or of each attribute."""

Start = Literal["minimum", "maximum"]
"""The point that the first record is farthest from."""

Leftovers = Literal["sorted", "nearest"]
"""How the fewer than k records left join the group of nearest centroid, while centroids move: in
order of falling distance to the second reference point, or the closest to a centroid first."""


def reference_points(
    columns: NDArray[np.float64], references: str, start: str
) -> NDArray[np.float64]:
    """Return the two points, float64[2, d], the one to start from first."""
    low, high = columns.min(axis=1), columns.max(axis=1)
    if references == "global":
        low, high = np.full_like(low, low.min()), np.full_like(high, high.max())
    return np.stack([low, high] if start == "minimum" else [high, low])


def reference_seeded(
    prepared: Prepared,
    k: int,
    progress: Progress,
    growth: str,
    references: str,
    start: str,
    leftovers: str,
    index: str,
) -> Labels:
    """Group with seeds farthest from two fixed points."""
    from microagg.kernels.fixed.fixed_size import GROWTH
    from microagg.kernels.fixed.two_points import reference_seeded as kernel

    labels: Labels = progress.run(
        "Grouping",
        prepared.n,
        on_records(kernel, index),
        prepared.columns,
        k,
        reference_points(prepared.columns, references, start),
        GROWTH[growth],
        leftovers == "sorted",
    )
    return labels
