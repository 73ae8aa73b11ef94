"""TFRP-NC: the seeds of TFRP, grown towards the centroid of the group.

Reference: Khomnotai, Lin, Peng, Samanta Santra 2018, Symmetry 10(7), section 3.1.

Idea: seeds as TFRP-I takes them; each group grows one record at a time by the record nearest to
its running centroid.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: which reference points. Those of the least and the largest
value of each attribute, starting from the largest, and left-over records closest to a centroid
first, meet all eighteen printed figures; the global ones of 2007 do not.
"""

from __future__ import annotations

import numpy as np

from microagg.partition.registry import Labels, method
from microagg.partition.rules.index import Index
from microagg.partition.rules.two_point_seeded import (
    Leftovers,
    References,
    Start,
    reference_seeded,
)
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress


@method(
    "tfrp-nc",
    summary="seeds as tfrp-i; grown by the record nearest to the running centroid",
    reference="Khomnotai et al. 2018",
    time="O(n^2 d)",
)
def tfrp_nc(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    references: References = "attribute",
    start: Start = "maximum",
    leftovers: Leftovers = "nearest",
    index: Index = "auto",
) -> Labels:
    """Group as the file's opening says."""
    return reference_seeded(prepared, k, progress, "nc", references, start, leftovers, index)
