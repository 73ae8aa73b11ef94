"""MD: maximum distance, around the two records farthest apart.

Reference: Domingo-Ferrer and Mateo-Sanz 2002, IEEE TKDE 14(1); survey by Solanas 2006, section
III.

Idea: the two records left that are farthest apart; each with its k-1 nearest is a group; repeat.

Cost: time O(n^3 d / k) in the worst case. The distance from a record to the one farthest from it only
falls as records leave, so only the record with the largest distance known looks again, by a scan or
on the tree. Memory O(nd).

Where the paper is silent or wrong: which of the two comes first (the lower row number), and the
last records (as for mdav). Five of the eight printed sums of squares (survey, table I) are met to
the digit, the others within 0.04 %.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.diameter_seeded import by_diameter

md = method(
    "md",
    summary="the two records farthest apart; k-1 nearest",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    time="O(n^3 d / k) at worst",
    module=__name__,
)(by_diameter(growth="nn", leftovers="group"))
