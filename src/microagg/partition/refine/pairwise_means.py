"""Pairwise means: divides two neighbouring groups at a time by their centroids.

Reference: developed for microagg; the assignment step of k-means, between two groups of k to 2k-1 records.

Idea: the records of two neighbouring groups are sorted along the line through both centroids and cut
where the centroids are equally near, or as close to that point as the sizes allow. For fixed centroids,
this is the best division of these records. It is kept if it lowers the loss. Each group is divided
with the groups of nearest centroids, and again after one of them has changed, until a pass over all
groups lowers the loss by less than 0.1 %.

Cost: time O(n w d) per pass for any k, with w neighbouring groups; memory O(nd). This refinement is for
large groups, where a pass of `swap-shift` takes O(n k d).

Choices: each group is divided with its w = 8 nearest groups, as in `swap-shift`.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Labels
from microagg.partition.refine.registry import refinement
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.refine.refine")

NEAR_GROUPS = 8


@refinement(
    "pairwise-means",
    summary="divides pairs of neighbouring groups by their centroids until little is gained",
    reference="developed for microagg: k-means between two groups",
    time="O(n d) per pass, and a search for neighbouring groups",
)
def pairwise_means(prepared: Prepared, labels: Labels, k: int, context: Context) -> Labels:
    """Refine the groups as described in the module docstring."""
    refined: Labels = context.run(
        "Improving",
        prepared.n,
        kernels.refine_pairwise_means,
        prepared.columns,
        labels,
        k,
        NEAR_GROUPS,
        keep=True,
    )
    return refined
