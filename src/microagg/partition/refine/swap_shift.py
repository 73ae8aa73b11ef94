"""Swap-shift: move single records and exchange pairs until neither reduces the loss.

Reference: local search similar to Laszlo and Mukherjee 2015, cited in Khomnotai et al. 2018,
section 3.2, with closed-form changes of the error.

Idea: each record of a group considers the groups whose centroids are nearest to that of its own
group. It may move there, if its group has more than k records and the other has fewer than 2k-1, or
change places with one of their records. The best change is made immediately. A group is visited
again only if it or one of its neighbours has changed.

Cost: O(w k d) for each record visited, with w neighbouring groups, and one search for neighbouring
groups for each group that changes. On the MDAV groups of 100,000 x 10 normal records, it took
about as long as MDAV with a spatial index. Memory O(nd).

Where the paper is silent: the number of neighbouring groups, w = 8, was chosen for microagg.

On mixed records (categories, missing values, weights), a change is judged by the loss that the release
reports: the representative of a category is its mode, not the shares of all categories. A record
considers the 16 groups whose representatives are nearest to that of its own group, and changes places
within the two whose loss grows least if it joins. Where k or more records agree on all columns, groups
of equal records are tried first: they lose nothing. Records that remain when a group is broken up join the
groups whose loss grows least. There are at most three passes. On Adult (48,842 records, eight columns,
k=5), it takes three quarters of the time of `mdav-nc` and reduces the loss by 17 %.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Labels
from microagg.partition.refine.mixed_records import exchange_mixed
from microagg.partition.refine.registry import refinement
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.refine.refine")

NEAR_GROUPS = 8


@refinement(
    "swap-shift",
    summary="moves single records and exchanges pairs until nothing improves",
    reference="developed for microagg: local search",
    time="O(n k d) per pass, and a search for neighbouring groups",
    mixed=exchange_mixed,
)
def swap_shift(prepared: Prepared, labels: Labels, k: int, context: Context) -> Labels:
    """Refine as described in the module docstring."""
    refined: Labels = context.run(
        "Improving",
        prepared.n,
        kernels.refine_swap_shift,
        prepared.columns,
        labels,
        k,
        NEAR_GROUPS,
        keep=True,
    )
    return refined
