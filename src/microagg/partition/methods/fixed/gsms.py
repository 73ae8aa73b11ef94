"""GSMS: successive group minimization selection.

Reference: Panagiotakis and Tziritas 2013, IEEE TKDE 25(5); as described in Khomnotai et al. 2018,
section 3.1.

Idea: each record left and its k-1 nearest are a candidate group; the candidate whose own error
and that of the rest together are least is taken; repeat.

Cost: time O(n^2 d) for the neighbours by scans, less on the tree; few candidates are looked at for
each group, those farthest from the mean of what is left. Memory O(n (d + k)). Each record keeps a
list of its nearest, some to spare, instead of the queue of all others in the paper.

Where the paper is silent or wrong: records left over join as for mdav-nc. All eighteen printed
figures of 2018 are met.
"""

from __future__ import annotations

import numpy as np

from microagg.partition.registry import Labels, method
from microagg.partition.rules.centroid_seeded import Leftovers
from microagg.partition.rules.index import Index, on_records
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress


@method(
    "gsms",
    summary="the candidate group that leaves the least error; k-1 nearest",
    reference="Panagiotakis and Tziritas 2013",
    time="O(n^2 d)",
    memory="O(n (d + k))",
    printed={"gsms-nn": {}},
)
def gsms(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    leftovers: Leftovers = "nearest",
    index: Index = "auto",
) -> Labels:
    """Group as the file's opening says."""
    from microagg.kernels.fixed.fixed_size import LEFTOVERS
    from microagg.kernels.fixed.gsms import gsms as kernel

    labels: Labels = progress.run(
        "Grouping", prepared.n, on_records(kernel, index), prepared.columns, k, LEFTOVERS[leftovers]
    )
    return labels
