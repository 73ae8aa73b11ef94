"""M-d: a minimum spanning tree cut at its longest edges; large parts are split around their diameter.

Reference: Laszlo and Mukherjee 2005, IEEE TKDE 17(7); described by Chang, Li, Huang 2007, section
2.3; figures quoted by Chettri, Paul, Dutta 2012, tables 5 and 6.

Idea: connect the records by their minimum spanning tree. Cut its edges, longest first, wherever
both sides keep k records. Split parts of 2k records or more with a fixed-size heuristic.

Cost: the tree is computed by Boruvka's algorithm with a spatial index, which takes a few seconds
for 100,000 records of four columns and never considers all pairs. The heuristic then takes O(m^3 d
/ k) at worst for a part of m records. Parts grow with the number of columns, because records far
from all others are attached to one large part. Memory O(nd).

Where the paper is silent or wrong: the paper was not available. `split="diameter"` (the d of the
name) is dbfs-nc: seeds are the two records farthest apart, groups grow by the record nearest to the
running centroid, and remaining records join the nearest group one by one. Six of the eight printed
figures are reproduced exactly; Census gives 10.306 with k=5 (printed 10.300) and 17.181 with k=10
(17.170). Growth by the record nearest to the seed, or one more group of the remaining records,
reproduces fewer. `split="centroid"` (M-c) is cbfs-nc. Of equally long edges, the one with the lowest
rows comes first, both in the tree and in the cutting.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.prepare.prepared import Prepared

spanning = lazy("microagg.kernels.graph.spanning")
trees = lazy("microagg.kernels.graph.cut_tree")

Split = Literal["diameter", "centroid"]
Edges = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def spanning_edges(prepared: Prepared, context: Context) -> Edges:
    """Return lower ends, higher ends and squared lengths of the minimum spanning tree.

    Equal records are attached to the first of them, so only distinct records need a search.
    """
    first = first_of_equals(prepared.columns)
    rows = np.flatnonzero(first == np.arange(prepared.n))
    equal = np.flatnonzero(first != np.arange(prepared.n))
    points = np.ascontiguousarray(prepared.columns[:, rows].T)
    lows, highs, squares = context.run("Spanning a tree", rows.size, spanning.spanning_tree, points)
    return (
        np.append(rows[lows], first[equal]),
        np.append(rows[highs], equal),
        np.append(squares, np.zeros(equal.size)),
    )


def first_of_equals(columns: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each record the lowest row of those equal to it.

    Examples
    --------
    >>> first_of_equals(np.array([[3.0, 1.0, 3.0, 2.0, 1.0]]))
    array([0, 1, 0, 3, 1])
    """
    order = np.lexsort(columns[::-1])
    new = np.append(True, (np.diff(columns[:, order], axis=1) != 0).any(axis=0))
    first = np.empty(order.size, dtype=np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


@method(
    "m-d",
    summary="a minimum spanning tree cut at its longest edges, with large parts split",
    reference="Laszlo and Mukherjee 2005",
    time="O(n^3 d / k) at worst",
    printed={"m-c": {"split": "centroid"}},
)
def m_d(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    split: Split = "diameter",
) -> Grouping:
    """Group the records as described in the module docstring."""
    edges = spanning_edges(prepared, context)
    parts = context.run("Cutting", prepared.n - 1, trees.cut_longest, *edges, k)
    split_parts, rule = trees.split_parts, trees.SPLIT[split]
    labels = context.run("Splitting", prepared.n, split_parts, prepared.columns, parts, k, rule)
    return Grouping(labels)
