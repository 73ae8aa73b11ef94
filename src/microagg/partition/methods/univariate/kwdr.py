"""kWDR: kWD on sections of the ranked values.

Reference: the thesis of Fayyoumi 2008, section 3.5.3.

Idea: this combines both savings: the sections of kWR, and the comparison of neighbours only, as in
kWD. The groups are those of kWR with the same theta.

Cost: time O(n log n), memory O(n).

Where the paper is silent or wrong: see kWR and kWD.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.ward_merging import in_pieces

kwdr = method(
    "kwdr",
    summary="kwd on sections of the ranked values",
    reference="Fayyoumi 2008",
    time="O(n log n)",
    module=__name__,
)(in_pieces(neighbours=True))
