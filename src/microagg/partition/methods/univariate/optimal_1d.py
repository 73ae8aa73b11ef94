"""Optimal-1d: the exact partition of values on a line.

Reference: Hansen and Mukherjee 2003, IEEE Transactions on Knowledge and Data Engineering 15(4);
Aggarwal, Klawe, Moran, Shor, Wilber 1987 for the search (SMAWK).

Idea: groups of an optimal partition are consecutive values, k to 2k-1 of them. The best partition
of the first j values ends with a group i..j and is the best of the first i before it: a shortest
path. For k ends at once all that came before is known, and the costs are totally monotone, so that
the best starts are found in O(k).

Cost: time O(n log n) for the sort and O(n) after it, whatever k; memory O(n).

Where the paper is silent or wrong: it searches all k starts of each end, O(nk). Sums of squares
are made of positive terms only (parts before and after a pivot, and the distance of their means):
values around 1e9 a unit apart, or two clusters that are a billion spreads apart, are grouped as
well as any. With several columns it is optimal for the positions on the axis alone, and not for the
loss over all columns.
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
    summary="the exact partition of the values on an axis",
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
    """Group as the file's opening says."""
    return on_axis(
        prepared,
        axis,
        lambda values: context.run("Grouping", values.size, kernels.optimal_1d, values, k),
    )
