"""The seed rule of MD: the two records farthest apart."""

from __future__ import annotations

from microagg.partition.registry import Labels
from microagg.partition.rules.index import on_records
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress


def diameter_seeded(
    prepared: Prepared,
    k: int,
    progress: Progress,
    *,
    growth: str,
    leftovers: str,
    index: str = "auto",
) -> Labels:
    """Group around both ends of the longest distance left."""
    from microagg.kernels.fixed.diameter import diameter_seeded as kernel
    from microagg.kernels.fixed.fixed_size import GROWTH, LEFTOVERS

    labels: Labels = progress.run(
        "Grouping",
        prepared.n,
        on_records(kernel, index),
        prepared.columns,
        k,
        GROWTH[growth],
        LEFTOVERS[leftovers],
    )
    return labels
