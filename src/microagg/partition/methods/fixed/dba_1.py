"""DBA-1: density-based, dense regions first.

Reference: Lin, Wen, Hsieh, Chang 2010, Expert Systems with Applications 37(4); described by Chettri,
Paul, Dutta 2012, section 3.3.

Idea: the k-neighbourhood of a record is the record and its k-1 nearest that are left. Make a group of
the densest neighbourhood, and look again at those that lost a record; repeat while k are left.

Cost: time O(n^2 d): a search for each record and, where its spare neighbours are used up, another;
memory O(n (d + k)). About ten times the time of mdav on 20,000 x 10 records with k=5.

Where the paper is silent or wrong: the paper of 2010 is not at hand and that of 2012 does not define
density. With density 1 / SSE of the neighbourhood about its own mean, all twelve figures printed in
2012 (tables 5 to 7) are met; sums of squared or plain distances to the record, sums of distances
to the mean and the distance of the k-th neighbour do not meet them. Fewer than k records left
over join, closest first, the group of nearest centroid, which moves; fixed centroids give the
same figures, one group for all of them and the group of the nearest record do not.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.index import Index, on_records
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.fixed.density")


@method(
    "dba-1",
    summary="the densest record left and its k-1 nearest",
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
    """Group as the file's opening says."""
    kernel = on_records(kernels.density_seeded, index)
    return Grouping(context.run("Grouping", prepared.n, kernel, prepared.columns, k))
