"""The rules of `centroid_seeded` on mixed records: categories, blanks and weights.

This is the MDAV of Domingo-Ferrer and Torra 2005 for data of any kind, whose average and distance
are to be chosen: the average of a nominal column is the shares of its categories (its mode is what
is released), the distance that of `prepare.records`. Growth towards the centre ("nc") is that of
k-modes with shares in place of modes; it looks at the 8k records nearest to the seed, because
a scan of all for each member would take k times as long.
"""

from __future__ import annotations

from microagg.partition.registry import Function, Labels
from microagg.partition.rules.centroid_seeded import Leftovers
from microagg.prepare.records import Records
from microagg.progress import Progress


def on_mixed(*, opposite: bool, growth: str) -> Function:
    """Return the function that groups mixed records by this combination of rules."""

    def mixed_centroid_seeded(
        records: Records, k: int, rng: object, progress: Progress, *, leftovers: Leftovers
    ) -> Labels:
        from microagg.kernels.fixed import fixed_size
        from microagg.kernels.mixed import groups as mixed_groups
        from microagg.kernels.mixed.records import Mixture

        labels: Labels = progress.run(
            "Grouping",
            records.n,
            mixed_groups.mixed_centroid_seeded,
            Mixture(**records.arrays()),
            k,
            opposite,
            fixed_size.GROWTH[growth],
            fixed_size.LEFTOVERS[leftovers],
        )
        return labels

    return mixed_centroid_seeded
