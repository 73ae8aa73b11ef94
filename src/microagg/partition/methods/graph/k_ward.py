"""k-Ward: Ward's clustering, never joining two groups that both have k records.

Reference: Domingo-Ferrer and Mateo-Sanz 2002, IEEE TKDE 14(1); Fayyoumi 2008, algorithm 2 and section
2.6.3.2.

Idea: the first k and the last k records are groups, every other record is one on its own. Join the two
groups that add least error, but never two that both have k, until all have k. Do the same again
inside each group of 2k records or more.

Cost: a chain of nearest neighbours over two trees of boxes instead of a matrix: O(n^2 d) at worst,
memory O(nd). The constraint keeps Ward's distance reducible, so without ties the chain gives what
joining the nearest pair of all gives; a test compares the two.

Where the paper is silent or wrong: the first and the last in more than one dimension are said to come
from a projection, not which. Here it is the sum of the (scaled) columns; ties go to the lowest row. In
ties of added error a group goes back to the one it came from, then to the group of the lowest
row. Equal records that still have to be cut are cut as they come.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.graph.ward")


@method(
    "k-ward",
    summary="Ward's clustering that never joins two groups of k and more",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    time="O(n^2 d) at worst",
)
def k_ward(prepared: Prepared, k: int, context: Context) -> Grouping:
    """Group as the file's opening says."""
    return Grouping(context.run("Grouping", prepared.n, kernels.k_ward, prepared.columns, k))
