"""MDAV-MHM: the best cut of a path through the groups of MDAV.

Reference: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006, VLDB Journal 15(4); figures quoted
by Chettri, Paul, Dutta 2012, tables 5 to 7.

Idea: a path that visits the groups of mdav one after the other; then Hansen and Mukherjee's dynamic
program cuts it into the groups of k to 2k-1 records that follow each other and have the least error.
As the groups of mdav are such a cut, the loss is never above that of mdav.

Cost: that of mdav, and O(n^2 d / k^2 + n k d) at worst for the path and its cut: 12 % more time than
mdav for 20,000 x 4 records and k=5, 43 % for 20,000 x 10 and k=3. Memory O(nd).

Where the paper is silent or wrong: the paper is not at hand and those that quote it do not say how
groups and records are put in order. Here the path starts in one of the two groups whose means are
farthest apart, the one formed later, and goes on to the group of nearest mean; inside a group it goes to
the nearest record next, from the record nearest to where it comes from. This was chosen by the printed
figures: 23 of the 24 of MD-MHM, MDAV-MHM and CBFS-MHM are then met within 1 %, and none of the more
than 100 other combinations tried meets as many (groups as formed, from both ends, by distance; starts
at the first, second, last, outermost and middle group; records as they joined, by row, by distance to
the group before or behind). With the groups as formed nothing changes on EIA, where the prints
differ most from the plain heuristics. EIA with k=3 gives 0.403 (printed 0.408).
"""

from __future__ import annotations

from microagg.context import Context
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_path import through_groups
from microagg.partition.rules.centroid_seeded import centroid_seeded
from microagg.prepare.prepared import Prepared


@method(
    "mdav-mhm",
    summary="the best cut of a path through the groups of mdav",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006",
    time="O(n^2 d / k)",
)
def mdav_mhm(prepared: Prepared, k: int, context: Context) -> Grouping:
    """Group as the file's opening says."""
    labels = centroid_seeded(prepared, k, context, opposite=True, growth="nn", leftovers="group")
    return Grouping(through_groups(prepared, labels, k, context))
