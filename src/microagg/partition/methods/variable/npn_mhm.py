"""NPN-MHM: the best cut of a nearest-point-next path.

Reference: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006, VLDB Journal 15(4); figures quoted
by Chettri, Paul, Dutta 2012, tables 5 to 7.

Idea: from one of the two records farthest apart always to the nearest record not yet visited; then
Hansen and Mukherjee's dynamic program cuts the path into the groups of k to 2k-1 records that follow
each other and have the least error.

Cost: time O(n^2 d) at worst; with a tree of boxes the walk takes a few seconds for 100,000 records
of few columns. O(n k d) for the cut. Memory O(nd).

Where the paper is silent or wrong: the paper is not at hand and those that quote it do not say where the
path starts. Every record was tried as the start: none gives the printed figures to the digit. The
record of the lower row of the two farthest apart gives five of the nine within 1 %, and all nine
are not above the print: Tarragona 17.305, 27.010, 40.037 (printed 17.395, 27.021, 40.183), Census
6.278, 11.281, 18.626 (6.349, 11.344, 18.734), EIA 0.511, 0.957, 2.262 (0.553, 0.960, 2.319) with k=3, 5,
10. The record farthest from the centroid, the nearest to it, the first row, and paths that grow
at both ends are farther from the prints; so are group sizes up to 2k-2 or 2k.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_path import cut
from microagg.partition.rules.nearest_next import nearest_next
from microagg.prepare.prepared import Prepared


@method(
    "npn-mhm",
    summary="the best cut of a path that always goes to the nearest record",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006",
    time="O(n^2 d) at worst",
)
def npn_mhm(prepared: Prepared, k: int, context: Context) -> Grouping:
    """Group as the file's opening says."""
    return Grouping(cut(prepared, nearest_next(prepared, context), k, context))
