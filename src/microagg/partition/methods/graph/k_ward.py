"""k-Ward: Ward's clustering that never merges two groups that both have k records.

Reference: Domingo-Ferrer and Mateo-Sanz 2002, IEEE TKDE 14(1); Fayyoumi 2008, algorithm 2 and
section 2.6.3.2.

Idea: the first k and the last k records are groups, and every other record is a group by itself.
Merge the two groups that add the least error, but never two that both have k records, until all
have k. Repeat the procedure inside each group of 2k records or more.

Cost: a chain of nearest neighbours over two spatial indexes instead of a distance matrix: O(n^2 d)
at worst, memory O(nd). The constraint keeps Ward's distance reducible. Without ties, the chain
therefore gives the same groups as merging the nearest pair of all; a test compares the two.

Where the paper is silent or wrong: with several columns, the first and the last records come from a
projection that the paper does not specify. microagg uses the sum of the scaled columns; ties go to
the lowest row. If two merges add the same error, a group prefers its predecessor in the chain, then
the group with the lowest row. If equal records must be separated, they are separated in row order.
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
    summary="Ward's clustering that never merges two groups of at least k records",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    time="O(n^2 d) at worst",
)
def k_ward(prepared: Prepared, k: int, context: Context) -> Grouping:
    """Group the records as described in the module docstring."""
    return Grouping(context.run("Grouping", prepared.n, kernels.k_ward, prepared.columns, k))
