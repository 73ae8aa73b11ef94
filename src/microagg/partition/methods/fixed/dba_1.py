"""DBA-1: density-based, dense regions first.

Reference: Lin, Wen, Hsieh, Chang 2010, Expert Systems with Applications 37(4); described by
Chettri, Paul, Dutta 2012, section 3.3.

Idea: the k-neighbourhood of a record consists of the record and its k-1 nearest remaining records.
Turn the densest neighbourhood into a group, update the neighbourhoods that lost a record, and repeat
while k records remain.

Cost: time O(n^2 d): one search for each record, and another when its spare neighbours are used up.
Memory O(n (d + k)). It takes five to six times as long as mdav on 20,000 x 10 records with k=5.

Where the paper is silent or wrong: the paper of 2010 was not available, and that of 2012 does not
define density. With density 1 / SSE of the neighbourhood around its own mean, all twelve figures
printed in 2012 (tables 5 to 7) are reproduced. Sums of squared or plain distances to the record,
sums of distances to the mean, and the distance of the k-th neighbour do not reproduce them. If
fewer than k records are left over, they join the group with the nearest centroid, closest first, and
the centroid moves. Fixed centroids give the same figures; one group for all of these records, or the
group of the nearest record, does not.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.index import Index, on_neighbours
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.fixed.density")


@method(
    "dba-1",
    summary="the densest remaining record with its k-1 nearest neighbours",
    reference="Lin, Wen, Hsieh, Chang 2010",
    time="O(n^2 d)",
    memory="O(n (d + k))",
    refined={"dba-2": "decompose"},
)
def dba_1(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    index: Index = "auto",
) -> Grouping:
    """Group the records as described in the module docstring."""
    kernel = on_neighbours(kernels.density_seeded, index, context.threads)
    return Grouping(context.run("Grouping", prepared.n, kernel, prepared.columns, k))
