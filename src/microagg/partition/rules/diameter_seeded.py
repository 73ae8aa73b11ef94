"""The seed rule of MD: the two records farthest apart."""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import Function
from microagg.partition.rules.centroid_seeded import Growth, Leftovers
from microagg.partition.rules.index import Index, on_records
from microagg.prepare.prepared import Prepared
from microagg.typing import Labels

diameter = lazy("microagg.kernels.fixed.diameter")
fixed_size = lazy("microagg.kernels.fixed.fixed_size")


def diameter_seeded(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    growth: Growth,
    leftovers: Leftovers,
    index: Index = "auto",
) -> Labels:
    """Group around both ends of the longest distance left."""
    labels: Labels = context.run(
        "Grouping",
        prepared.n,
        on_records(diameter.diameter_seeded, index),
        prepared.columns,
        k,
        fixed_size.GROWTH[growth],
        fixed_size.LEFTOVERS[leftovers],
    )
    return labels


def by_diameter(*, growth: Growth, leftovers: Leftovers) -> Function:
    """Return the method of these rules; its users may choose another rule for leftovers."""
    default = leftovers

    def run(
        prepared: Prepared,
        k: int,
        context: Context,
        *,
        leftovers: Leftovers = default,
        index: Index = "auto",
    ) -> Grouping:
        labels = diameter_seeded(
            prepared, k, context, growth=growth, leftovers=leftovers, index=index
        )
        return Grouping(labels)

    return run
