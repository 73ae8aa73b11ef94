"""GSMS: successive group minimization selection.

Reference: Panagiotakis and Tziritas 2013, IEEE TKDE 25(5); as described in Khomnotai et al. 2018,
section 3.1.

Idea: each record left and its k-1 nearest are a candidate group; the candidate whose own error
and that of the rest together are least is taken; repeat.

Cost: time O(n^2 d) for the neighbours by scans, less on the tree; few candidates are looked at for
each group, those farthest from the mean of what is left. Memory O(n (d + k)). Each record keeps a
list of its nearest, some to spare, instead of the queue of all others in the paper.

Where the paper is silent or wrong: records left over join as for mdav-nc. All eighteen printed
figures of 2018 are met.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import Leftovers
from microagg.partition.rules.index import Index, on_records
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.fixed.gsms")
fixed_size = lazy("microagg.kernels.fixed.fixed_size")


@method(
    "gsms",
    summary="the candidate group that leaves the least error; k-1 nearest",
    reference="Panagiotakis and Tziritas 2013",
    time="O(n^2 d)",
    memory="O(n (d + k))",
    printed={"gsms-nn": {}},
    refined={"gsms-t2": "decompose-2018"},
    suffixed=("gsms-nn",),
)
def gsms(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    leftovers: Leftovers = "nearest",
    index: Index = "auto",
) -> Grouping:
    """Group as the file's opening says."""
    kernel, rule = on_records(kernels.gsms, index), fixed_size.LEFTOVERS[leftovers]
    return Grouping(context.run("Grouping", prepared.n, kernel, prepared.columns, k, rule))
