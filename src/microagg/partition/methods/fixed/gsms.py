"""GSMS: successive group minimization selection.

Reference: Panagiotakis and Tziritas 2013, IEEE TKDE 25(5); as described in Khomnotai et al. 2018,
section 3.1.

Idea: each remaining record with its k-1 nearest neighbours is a candidate group. Take the candidate
for which its own error and the error of the rest together are smallest, and repeat.

Cost: time O(n^2 d) for the neighbours by scans, and less with a spatial index. For each group, only
a few candidates are evaluated: those farthest from the mean of the remaining records. Memory O(n (d
+ k)), because each record keeps a short list of its nearest neighbours instead of the paper's queue
of all others.

Where the paper is silent or wrong: remaining records are treated as in mdav-nc. All eighteen
printed figures of 2018 are reproduced.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import Leftovers
from microagg.partition.rules.index import Index, on_neighbours
from microagg.prepare.prepared import Prepared

kernels = lazy("microagg.kernels.fixed.gsms")
fixed_size = lazy("microagg.kernels.fixed.fixed_size")


@method(
    "gsms",
    summary="the record and its k-1 nearest neighbours that leave the least total error",
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
    """Group the records as described in the module docstring."""
    kernel = on_neighbours(kernels.gsms, index, context.threads)
    rule = fixed_size.LEFTOVERS[leftovers]
    return Grouping(context.run("Grouping", prepared.n, kernel, prepared.columns, k, rule))
