"""The rules of `centroid_seeded` on mixed records: categories, blanks and weights.

This is the MDAV of Domingo-Ferrer and Torra 2005 for data of any kind, whose average and distance
are to be chosen: the average of a nominal column is the shares of its categories (its mode is what
is released), the distance that of `prepare.records`. Growth towards the centre ("nc") is that of
k-modes with shares in place of modes; it looks at the 8k records nearest to the seed, because
a scan of all for each member would take k times as long.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import Function
from microagg.partition.rules.centroid_seeded import Growth, Leftovers
from microagg.prepare.records import Records

fixed_size = lazy("microagg.kernels.fixed.fixed_size")
mixed_groups = lazy("microagg.kernels.mixed.groups")
mixed_records = lazy("microagg.kernels.mixed.records")


def on_mixed(*, opposite: bool, growth: Growth) -> Function:
    """Return the function that groups mixed records by this combination of rules."""

    def mixed_centroid_seeded(
        records: Records, k: int, context: Context, *, leftovers: Leftovers
    ) -> Grouping:
        labels = context.run(
            "Grouping",
            records.n,
            mixed_groups.mixed_centroid_seeded,
            mixed_records.Mixture(**records.arrays()),
            k,
            opposite,
            fixed_size.GROWTH[growth],
            fixed_size.LEFTOVERS[leftovers],
        )
        return Grouping(labels)

    return mixed_centroid_seeded
