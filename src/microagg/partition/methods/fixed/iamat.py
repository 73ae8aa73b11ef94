"""IAMAT: interactive-associative micro-aggregation.

Reference: Fayyoumi 2008, thesis (Carleton University), section 5.3, algorithm 12.

Idea: take the record least associated with the centroid of all data and add the record most
associated with it. Then add, one by one, the record with the largest interaction, which is the
product of its associations with the members. An association is e^(-distance^2 / alpha).

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: the scale alpha is sqrt(n) divided by the mean squared distance
to the centroid. Equation 5.13 divides by alpha, but the listing of the algorithm divides by
alpha^2. Neither matters: the product of associations is largest where the sum of squared distances
to the members is smallest, which is the record nearest to their mean. microagg therefore uses NC
growth, without exponentials that could underflow, from seeds farthest from the centroid of all
data. Records beyond a multiple of k join the last group, as in the listing.

Reproduction: the seven figures of table 5.1 are reproduced within 1.2 %.

| | Tarragona, k=3 | k=4 | k=5 | Census, k=3 | k=4 | k=5 | k=6 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| microagg | 15.607 | 19.268 | 22.621 | 5.374 | 7.247 | 8.932 | 10.104 |
| printed | 15.602 | 19.287 | 22.716 | 5.364 | 7.217 | 8.843 | 9.987 |

The cause of the differences is unknown. Exponentials in double precision give the same groups with
either scale. Single precision, unsquared distances, the centroid of the remaining records, and
seeds in opposite pairs do not reproduce the figures either.
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
    summary="seed farthest from the overall centroid; adds the record with the strongest associations",
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
    """Group the records as described in the module docstring."""
    kernel = on_records(kernels.iamat, index, threads=context.threads)
    return Grouping(context.run("Grouping", prepared.n, kernel, prepared.columns, k))
