"""CBFS-MHM: optimal cuts of a path through the groups of CBFS.

Reference: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006, VLDB Journal 15(4); figures
quoted by Chettri, Paul, Dutta 2012, tables 5 to 7.

Idea: a path visits the groups of cbfs-nn one after the other. The dynamic program of Hansen and
Mukherjee then cuts the path into consecutive groups of k to 2k-1 records with the least error. The
groups of cbfs-nn are one such cut, so the loss is never above that of cbfs-nn.

Cost: that of cbfs-nn, and O(n^2 d / k^2 + n k d) at worst for the path and its cuts. This took 8 %
more time than cbfs-nn for 20,000 x 4 records with k=5, and 31 % more for 20,000 x 10 with k=3.
Memory O(nd).

Where the paper is silent or wrong: the order of the path is that of mdav-mhm, whose page explains
the choice. All six printed figures are reproduced within 1 % with the k-1 records nearest to the
seed (cbfs-nn). With growth by the running centroid (cbfs-nc), they are not.
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
    summary="optimal cuts of a path through the groups of cbfs-nn",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006",
    time="O(n^2 d / k)",
)
def cbfs_mhm(prepared: Prepared, k: int, context: Context) -> Grouping:
    """Group the records as described in the module docstring."""
    labels = centroid_seeded(prepared, k, context, opposite=False, growth="nn", leftovers="nearest")
    return Grouping(through_groups(prepared, labels, k, context))
