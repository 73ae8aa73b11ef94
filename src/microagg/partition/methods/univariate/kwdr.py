"""kWDR: kWD on pieces of the ranked values.

Reference: the thesis of Fayyoumi 2008, section 3.5.3.

Idea: both savings at once: the pieces of kWR, and in each of them only neighbours are looked at, as
in kWD. The groups are those of kWR with the same theta.

Cost: time O(n log n), memory O(n).

Where the paper is silent or wrong: as kWR and kWD.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.ward_merging import in_pieces

kwdr = method(
    "kwdr",
    summary="kwd on pieces of the ranked values",
    reference="Fayyoumi 2008",
    time="O(n log n)",
    module=__name__,
)(in_pieces(neighbours=True))
