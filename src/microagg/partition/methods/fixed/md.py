"""MD: maximum distance, around the two records farthest apart.

Reference: Domingo-Ferrer and Mateo-Sanz 2002, IEEE TKDE 14(1); survey by Domingo-Ferrer,
Solanas, Martinez-Balleste 2006, section III.

Idea: take the two remaining records that are farthest apart, form a group of each with its k-1
nearest neighbours, and repeat.

Cost: time O(n^3 d / k) in the worst case. The distance from a record to the record farthest from it
can only fall as records leave. Only the record with the largest known distance therefore searches
again, by a scan or with a spatial index. Memory O(nd).

Where the paper is silent or wrong: of the two records, the lower row number comes first, and the
last records are treated as in mdav. Five of the eight printed sums of squares (survey, table I) are
reproduced exactly, the others within 0.04 %.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.diameter_seeded import by_diameter

md = method(
    "md",
    summary="the two records farthest apart, each with its k-1 nearest neighbours",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    time="O(n^3 d / k) at worst",
    module=__name__,
)(by_diameter(growth="nn", leftovers="group"))
