"""DBFS-NC: diameter-based fixed size, called Diameter in the TFRP paper.

Reference: Laszlo and Mukherjee 2005, IEEE TKDE 17(7); Chang, Li, Huang 2007 (TFRP), section 2.2.

Idea: the two remaining records that are farthest apart are seeds. Each group grows one record at a
time, by the record nearest to its running centroid.

Cost: that of md for the pairs, and O(n^2 d) for the growth. Memory O(nd).

Where the paper is silent or wrong: of the two seeds, the lower row number comes first. Remaining
records are treated as in mdav-nc. The paper shows its figures only as curves, so there are none to
reproduce.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.diameter_seeded import by_diameter

dbfs_nc = method(
    "dbfs-nc",
    summary="the two records farthest apart as seeds; adds the record nearest to the running centroid",
    reference="Laszlo and Mukherjee 2005",
    time="O(n^3 d / k) at worst",
    printed={"diameter": {}},
    refined={"diameter+": "decompose"},
    module=__name__,
)(by_diameter(growth="nc", leftovers="nearest"))
