"""Optimal-1d: the optimal partition of values on a line.

Reference: Hansen and Mukherjee 2003, IEEE Transactions on Knowledge and Data Engineering 15(4);
Aggarwal, Klawe, Moran, Shor, Wilber 1987 for the search (SMAWK).

Idea: the groups of an optimal partition consist of k to 2k-1 consecutive values. The best partition
of the first j values ends with a group i..j, preceded by the best partition of the first i values:
a shortest path. For k consecutive ends, all predecessors are known and the costs are totally
monotone, so the best starts can be computed in O(k).

Cost: time O(n log n) for sorting and O(n) afterwards, for any k. Memory O(n).

Where the paper is silent or wrong: the paper tries all k starts for each end, which takes O(nk).
microagg computes sums of squares from positive terms only (parts before and after a pivot, and the
distance of their means). Values around 1e9 that differ by one, or two clusters a billion spreads
apart, are therefore grouped correctly. With several columns, the partition is optimal for the
positions on the axis, not for the loss over all columns.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_axis import on_axis
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import Axis

kernels = lazy("microagg.kernels.line.optimal_1d")


@method(
    "optimal-1d",
    summary="the optimal partition of the values on an axis",
    reference="Hansen and Mukherjee 2003",
    time="O(n log n)",
    optimal="for one column",
)
def optimal_1d(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    axis: Axis = "pc1",
) -> Grouping:
    """Group the records as described in the module docstring."""
    return on_axis(
        prepared,
        axis,
        lambda values: context.run("Grouping", values.size, kernels.optimal_1d, values, k),
    )
