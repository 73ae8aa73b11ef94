"""MDAV-NC: the seeds of MDAV, grown towards the centroid of the group.

Reference: Khomnotai, Lin, Peng, Samanta Santra 2018, Symmetry 10(7), section 3.1.

Idea: take seeds as MDAV does; grow each group one record at a time by the record nearest to the
group's running centroid, which keeps the group rounder than the neighbours of an outlying seed.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: records beyond a multiple of k. One by one, the record closest
to the centroid of any group joins it, and the centroid moves; so done, all eighteen printed
figures are met.

On mixed records (categories, blanks, weights) growth is that of k-modes, with the shares of the
categories in place of modes. It looks at the 8k records nearest to the seed: a scan of all for each
member would take k times as long.
"""

from __future__ import annotations

import numpy as np

from microagg.partition.registry import Labels, method
from microagg.partition.rules.centroid_seeded import Leftovers, centroid_seeded
from microagg.partition.rules.index import Index
from microagg.partition.rules.mixed_centroid_seeded import on_mixed
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress


@method(
    "mdav-nc",
    summary="seeds as mdav; grown by the record nearest to the running centroid",
    reference="Khomnotai et al. 2018",
    time="O(n^2 d)",
    mixed=on_mixed(opposite=True, growth="nc"),
)
def mdav_nc(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    leftovers: Leftovers = "nearest",
    index: Index = "auto",
) -> Labels:
    """Group as the file's opening says."""
    return centroid_seeded(
        prepared, k, progress, opposite=True, growth="nc", leftovers=leftovers, index=index
    )
