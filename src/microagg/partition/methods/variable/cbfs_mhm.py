"""CBFS-MHM: the best cut of a path through the groups of CBFS.

Reference: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006, VLDB Journal 15(4); figures quoted
by Chettri, Paul, Dutta 2012, tables 5 to 7.

Idea: a path that visits the groups of cbfs-nn one after the other; then Hansen and Mukherjee's dynamic
program cuts it into the groups of k to 2k-1 records that follow each other and have the least error.
As the groups of cbfs-nn are such a cut, the loss is never above that of cbfs-nn.

Cost: that of cbfs-nn, and O(n^2 d / k^2 + n k d) at worst for the path and its cut: 8 % more time than
cbfs-nn for 20,000 x 4 records and k=5, 31 % for 20,000 x 10 and k=3. Memory O(nd).

Where the paper is silent or wrong: the order of the path is that of mdav-mhm, whose page says how it
was chosen. All six printed figures are met within 1 % with the k-1 records nearest to the seed
(cbfs-nn); with growth by the running centroid (cbfs-nc) they are not.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_path import through_groups
from microagg.partition.rules.centroid_seeded import centroid_seeded
from microagg.prepare.prepared import Prepared


@method(
    "cbfs-mhm",
    summary="the best cut of a path through the groups of cbfs-nn",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006",
    time="O(n^2 d / k)",
)
def cbfs_mhm(prepared: Prepared, k: int, context: Context) -> Grouping:
    """Group as the file's opening says."""
    labels = centroid_seeded(prepared, k, context, opposite=False, growth="nn", leftovers="nearest")
    return Grouping(through_groups(prepared, labels, k, context))
