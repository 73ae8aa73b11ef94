"""DBFS-NC: diameter-based fixed size, the method called Diameter in the TFRP paper.

Reference: Laszlo and Mukherjee 2005, IEEE TKDE 17(7); Chang, Li, Huang 2007 (TFRP), section 2.2.

Idea: the two records left that are farthest apart; each group grows one record at a time by the
record nearest to its running centroid.

Cost: as md for the pairs, and O(n^2 d) for the growth. Memory O(nd).

Where the paper is silent or wrong: the order of the two, the lower row number first; records left
over as for mdav-nc. The paper prints its figures only as curves, so there is none to meet.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.diameter_seeded import by_diameter

dbfs_nc = method(
    "dbfs-nc",
    summary="the two records farthest apart; grown by the record nearest to the running centroid",
    reference="Laszlo and Mukherjee 2005",
    time="O(n^3 d / k) at worst",
    printed={"diameter": {}},
    refined={"diameter+": "decompose"},
    module=__name__,
)(by_diameter(growth="nc", leftovers="nearest"))
