"""IAMAT: interactive-associative micro-aggregation.

Reference: Fayyoumi 2008, thesis (Carleton University), section 5.3, algorithm 12.

Idea: take the record least associated with the centroid of all the data; add the record most
associated with it, then one by one the record of largest interaction, the product of its
associations with the members. An association is e^(-distance^2 / alpha).

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: the scale alpha is sqrt(n) over the mean squared distance to the
centroid; text (5.13) divides by alpha, the algorithm's box by alpha^2. Neither matters: a product
of associations is largest where the sum of squared distances to the members is smallest, which is
the record nearest to their mean. So ours is NC growth, with no exponential that could underflow, from
seeds farthest from the centroid of all the data; records beyond a multiple of k join the last
group, as the box says. The seven figures of table 5.1 come out within 1.2 %, Tarragona k=3, 4, 5:
15.607, 19.268, 22.621 (printed 15.602, 19.287, 22.716), Census k=3, 4, 5, 6: 5.374, 7.247, 8.932,
10.104 (printed 5.364, 7.217, 8.843, 9.987). What the rest comes from was not found: exponentials in
double precision give the same groups with either scale; single precision, distances not squared,
the centroid of what is left and seeds in opposite pairs do not meet the figures either.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.index import Index, on_records
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.fixed.iamat")


@method(
    "iamat",
    summary="farthest from the centroid of all; grown by the largest product of associations",
    reference="Fayyoumi 2008",
    time="O(n^2 d)",
)
def iamat(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    index: Index = "auto",
) -> Grouping:
    """Group as the file's opening says."""
    kernel = on_records(kernels.iamat, index)
    return Grouping(context.run("Grouping", prepared.n, kernel, prepared.columns, k))
