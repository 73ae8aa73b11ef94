"""kWDR: kWD on pieces of the ranked values.

Reference: the thesis of Fayyoumi 2008, section 3.5.3.

Idea: both savings at once: the pieces of kWR, and in each of them only neighbours are looked at, as
in kWD. The groups are those of kWR with the same theta.

Cost: time O(n log n), memory O(n).

Where the paper is silent or wrong: as kWR and kWD.
"""

from __future__ import annotations

import numpy as np

from microagg.partition.registry import Labels, method
from microagg.partition.rules.ward_merging import Parts, Theta, ward_merging
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import Axis
from microagg.progress import Progress


@method(
    "kwdr",
    summary="kwd on pieces of the ranked values",
    reference="Fayyoumi 2008",
    time="O(n log n)",
)
def kwdr(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    axis: Axis = "pc1",
    parts: Parts = 2,
    theta: Theta = "dynamic",
) -> Labels:
    """Group as the file's opening says."""
    return ward_merging(prepared, k, progress, axis=axis, neighbours=True, parts=parts, theta=theta)
