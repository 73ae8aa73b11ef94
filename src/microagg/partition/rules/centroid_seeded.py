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
"""The growth of a group from its seed: the k-1 records nearest to the seed ("nn"), or one by one the record
nearest to the running centroid of the group ("nc")."""

Leftovers = Literal["group", "nearest"]
"""The treatment of the last records.

"group": the last k to 2k-1 records form one more group. "nearest": groups of k are formed while k records
remain; then, one by one, the record closest to the centroid of any group joins that group, and the
centroid moves. Khomnotai et al. 2018 do not specify their rule. Of eight rules that were tried, this one
reproduces most of their figures.
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
