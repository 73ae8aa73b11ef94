"""The seed rule that MDAV and CBFS share: the record farthest from the centroid of what is left."""

from __future__ import annotations

from typing import Literal

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping, Labels
from microagg.partition.registry import Function
from microagg.partition.rules.index import Index, on_records
from microagg.prepare.prepared import Prepared

fixed_size = lazy("microagg.kernels.fixed.fixed_size")

Growth = Literal["nn", "nc"]
"""How a group grows from its seed: by the k-1 records nearest to the seed, or one by one by the record
nearest to the group's running centroid."""

Leftovers = Literal["group", "nearest"]
"""What becomes of the last records.

"group": the last k to 2k-1 form one more group. "nearest": groups of k are formed while k are left;
then, one by one, the record that is closest to the centroid of any group joins it, and the centroid
moves. Khomnotai et al. 2018 do not say theirs: of eight tried on their figures, this one meets most,
so it was chosen by those figures.
"""


def centroid_seeded(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    opposite: bool,
    growth: Growth,
    leftovers: Leftovers,
    index: Index = "auto",
) -> Labels:
    """Group with seeds farthest from the centroid and, if `opposite`, from the seed before."""
    labels: Labels = context.run(
        "Grouping",
        prepared.n,
        on_records(fixed_size.centroid_seeded, index, context.engine, threads=context.threads),
        prepared.columns,
        k,
        opposite,
        fixed_size.GROWTH[growth],
        fixed_size.LEFTOVERS[leftovers],
    )
    return labels


def by_centroid(*, opposite: bool, growth: Growth, leftovers: Leftovers) -> Function:
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
        labels = centroid_seeded(
            prepared, k, context, opposite=opposite, growth=growth, leftovers=leftovers, index=index
        )
        return Grouping(labels)

    return run
