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

import numpy as np

from microagg.partition.registry import Labels, method
from microagg.partition.rules.centroid_seeded import Leftovers
from microagg.partition.rules.diameter_seeded import diameter_seeded
from microagg.partition.rules.index import Index
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress


@method(
    "md",
    summary="the two records farthest apart; k-1 nearest",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    time="O(n^3 d / k) at worst",
)
def md(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    leftovers: Leftovers = "group",
    index: Index = "auto",
) -> Labels:
    """Group as the file's opening says."""
    return diameter_seeded(prepared, k, progress, growth="nn", leftovers=leftovers, index=index)
