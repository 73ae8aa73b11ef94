"""Pairwise means: two near groups at a time, records join the one whose centroid is nearer.

Reference: ours; the assignment step of k-means, between two groups and with sizes from k to 2k-1.

Idea: the records of two near groups are put in order along the line through both centroids and cut
where the centroids are equally near, or as close to there as the sizes allow. For fixed
centroids that is the best division of these records. It is kept where it lowers the loss. A group
meets the groups whose centroids are nearest, and again when it or one of them has changed, until all of
them together gain less than 0.1 %.

Cost: O(w k d) for each group looked at, with w near groups, which is O(n w d) a pass for any k. It is made
for large groups, in which `swap-shift` takes O(n k d) a pass. Memory O(nd).

Where there was a choice: w is 8, as in `swap-shift`.
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
    summary="records of two near groups join the nearer centroid, pair after pair",
    reference="k-means with limits on sizes; ours",
    time="O(n d) a pass, and a search for near groups",
)
def pairwise_means(prepared: Prepared, labels: Labels, k: int, context: Context) -> Labels:
    """Refine as the file's opening says."""
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
