"""TFRP-I: two fixed reference points, phase one.

Reference: Chang, Li, Huang 2007, Journal of Systems and Software 80(11), section 3.1, appendix A.

Idea: two fixed points, R1 of the least of all standardised values and R2 of the largest. The
record left that is farthest from R1 and its k-1 nearest form a group, then the one farthest from
R2, in turn. No centroid is needed while grouping.

Cost: time O(n^2 d / k), memory O(nd).

Where the paper is silent or wrong: the order in which fewer than k records left over join the
group of nearest centroid. In order of falling distance to R2, with centroids that move, 47 of the
48 printed figures of table 2 are met (Census k=50 gives 28.3091, printed 28.310); seven other
rules, tried on the same figures, meet fewer. Its EIA has ten columns: UTILITYID was left out,
unlike in the later papers. The names TFRP-NN and `references="attribute", start="maximum",
leftovers="nearest"` are the rules of Khomnotai et al. 2018: all eighteen printed figures are met.
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
    "tfrp-i",
    summary="farthest from two fixed reference points in turn; k-1 nearest",
    reference="Chang, Li, Huang 2007",
    time="O(n^2 d / k)",
    printed={
        "tfrp-nn": {"references": "attribute", "start": "maximum", "leftovers": "nearest"},
        "tfrp-1": {},
    },
)
def tfrp_i(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    references: References = "global",
    start: Start = "minimum",
    leftovers: Leftovers = "sorted",
    index: Index = "auto",
) -> Labels:
    """Group as the file's opening says."""
    return reference_seeded(prepared, k, progress, "nn", references, start, leftovers, index)
