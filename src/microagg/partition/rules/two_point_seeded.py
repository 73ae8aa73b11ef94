"""The seed rule of TFRP: the records farthest from two fixed reference points, in turn."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import Function
from microagg.partition.rules.centroid_seeded import Growth
from microagg.partition.rules.index import Index, on_records
from microagg.prepare.prepared import Prepared

fixed_size = lazy("microagg.kernels.fixed.fixed_size")
two_points = lazy("microagg.kernels.fixed.two_points")

References = Literal["global", "attribute"]
"""The two points: the smallest and the largest value over all attributes, or of each attribute."""

Start = Literal["minimum", "maximum"]
"""The point from which the first seed is farthest."""

Leftovers = Literal["sorted", "nearest"]
"""The order in which the last records, if fewer than k, join the group with the nearest centroid, which
then moves: by decreasing distance to the second reference point, or the record closest to a centroid
first."""


def reference_points(
    columns: NDArray[np.float64], references: str, start: str
) -> NDArray[np.float64]:
    """Return the two points, float64[2, d], the one to start from first."""
    low, high = columns.min(axis=1), columns.max(axis=1)
    if references == "global":
        low, high = np.full_like(low, low.min()), np.full_like(high, high.max())
    return np.stack([low, high] if start == "minimum" else [high, low])


def by_two_points(
    *, growth: Growth, references: References, start: Start, leftovers: Leftovers
) -> Function:
    """Return the method that takes its seeds farthest from two fixed points.

    Its users may choose all rules but that of growth.
    """
    defaults = references, start, leftovers

    def run(
        prepared: Prepared,
        k: int,
        context: Context,
        *,
        references: References = defaults[0],
        start: Start = defaults[1],
        leftovers: Leftovers = defaults[2],
        index: Index = "auto",
    ) -> Grouping:
        labels = context.run(
            "Grouping",
            prepared.n,
            on_records(two_points.reference_seeded, index, threads=context.threads),
            prepared.columns,
            k,
            reference_points(prepared.columns, references, start),
            fixed_size.GROWTH[growth],
            leftovers == "sorted",
        )
        return Grouping(labels)

    return run
