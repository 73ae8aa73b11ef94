"""Decompose: dissolve groups whose records lose less in neighbouring groups.

Reference: Chang, Li, Huang 2007 (TFRP), section 3.2 and appendix C: phase two; also called
Centroid+ and Diameter+ on other groups. Khomnotai et al. 2018, Symmetry 10(7), algorithm 2.

Idea: visit each group once. Move each of its records to the group with the nearest centroid, and
keep the change if the loss falls. Groups that have grown to 2k records or more are split by a
fixed-size method.

Cost: time O(n^2 d / k) at most to find the nearest groups, with a spatial index over the centroids.
A group is abandoned as soon as moving its records costs more than dissolving it saves. Memory
O(nd).

Where the papers are silent or wrong: `decompose` follows the paper of 2007. It visits groups in
order of decreasing error and splits large groups by phase one of TFRP on their own records. No
group may exceed 4k-1 records; the next nearest group then takes the record. Centroids stay fixed
while one group is dissolved. Of the 48 printed figures of table 2, 45 are reproduced exactly, on EIA
without UTILITYID, which that paper left out. The three others (Tarragona with k=25 and 35, Census
with k=50) differ by less than 0.02 %.

Variant `decompose-2018`: this is algorithm 2 of 2018, without a maximum size, and with large groups
split by CBFS with NC growth. The paper does not specify the order of the groups and how large
groups are split. Up to 20,000 records, six combinations of rules are tried, and the best result is
kept. The result is at or below all 126 figures that the paper prints under the suffix 2, mostly by
a wide margin. The rule behind the printed figures is unknown. Of 123 sets of rules that were tried,
none reproduces more than three of the 42 figures for k=20 and 30. They vary the order of groups
(forwards, backwards, by decreasing error), the centroids (fixed, running, never moved), the maximum
size (2k-1, 4k-1), whether groups that took records are visited, and the split.

On mixed records (categories, missing values, weights) there are no centroids, and a change is judged by
the loss that the release reports. Groups of equal records are tried first, as in `swap-shift`. Each
record of a dissolved group joins the group whose loss grows least with it, after the records before it
have joined. It considers the 16 groups whose representatives are nearest to that of its own group. A
group of 2k or more records is split: parts of k are cut off, each grown from the record without which the
group loses least. `decompose` visits groups in order of decreasing loss, `decompose-2018` in order of
formation. In both, no group exceeds 4k-1 records before it is split, and the other open rules are not
tried.
"""

from __future__ import annotations

from functools import partial

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Labels
from microagg.partition.refine.mixed_records import give_up_mixed
from microagg.partition.refine.open_rules import best_of_open_rules
from microagg.partition.refine.registry import refinement
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.refine.refine")
orders = lazy("microagg.kernels.refine.decompose")
splits = lazy("microagg.kernels.refine.split")


@refinement(
    "decompose",
    summary="dissolves groups whose records lose less in neighbouring groups",
    reference="Chang, Li, Huang 2007 (TFRP phase two)",
    time="O(n^2 d / k)",
    mixed=partial(give_up_mixed, by_loss=True),
)
def decompose(prepared: Prepared, labels: Labels, k: int, context: Context) -> Labels:
    """Refine by the rules of 2007."""
    return _decompose(prepared, labels, k, context, "error", "tfrp", cap=4 * k - 1)


@refinement(
    "decompose-2018",
    summary="decompose by algorithm 2 of 2018: no maximum size, groups in order of formation",
    reference="Khomnotai et al. 2018, algorithms 2 and 3",
    time="O(n^2 d / k)",
    suffix="2",
    mixed=give_up_mixed,
)
def decompose_2018(prepared: Prepared, labels: Labels, k: int, context: Context) -> Labels:
    """Refine by the rules of 2018."""
    return best_of_open_rules(
        prepared.columns,
        lambda order, split: _decompose(prepared, labels, k, context, order, split),
        lambda: context.budget.stopped is not None,
    )


def _decompose(
    prepared: Prepared,
    labels: Labels,
    k: int,
    context: Context,
    order: str,
    split: str,
    cap: int = 0,
) -> Labels:
    rules = (orders.ORDERS[order], cap, splits.RULES[split])
    total = int(labels.max()) + 1
    refined: Labels = context.run(
        "Decomposing",
        total,
        kernels.refine_decompose,
        prepared.columns,
        labels,
        k,
        *rules,
        keep=True,
    )
    return refined
