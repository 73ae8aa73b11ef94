"""DBFS-NC: diameter-based fixed size, the method called Diameter in the TFRP paper.

Reference: Laszlo and Mukherjee 2005, IEEE TKDE 17(7); Chang, Li, Huang 2007 (TFRP), section 2.2.

Idea: the two records left that are farthest apart; each group grows one record at a time by the
record nearest to its running centroid.

Cost: as md for the pairs, and O(n^2 d) for the growth. Memory O(nd).

Where the paper is silent or wrong: the order of the two, the lower row number first; records left
over as for mdav-nc. The paper prints its figures only as curves, so there is none to meet.
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
    "dbfs-nc",
    summary="the two records farthest apart; grown by the record nearest to the running centroid",
    reference="Laszlo and Mukherjee 2005",
    time="O(n^3 d / k) at worst",
    printed={"diameter": {}},
)
def dbfs_nc(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    leftovers: Leftovers = "nearest",
    index: Index = "auto",
) -> Labels:
    """Group as the file's opening says."""
    return diameter_seeded(prepared, k, progress, growth="nc", leftovers=leftovers, index=index)
