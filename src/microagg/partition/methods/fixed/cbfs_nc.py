"""CBFS-NC: centroid-based fixed size, called Centroid in the TFRP paper.

Reference: Laszlo and Mukherjee 2005, IEEE TKDE 17(7); Chang, Li, Huang 2007 (TFRP), section 2.2.

Idea: form one group at a time. Start with the record farthest from the centroid of the remaining
records, then add the record nearest to the running centroid of the group, one by one.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: records beyond a multiple of k are treated as in mdav-nc. All
eighteen printed figures of the 2018 paper are reproduced.

Mixed records: with categories, missing values or weights, groups grow as in k-modes, with shares of
categories instead of modes. Only the 8k records nearest to the seed are considered, because
scanning all records for each member would take k times as long.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import by_centroid
from microagg.partition.rules.mixed_centroid_seeded import on_mixed

cbfs_nc = method(
    "cbfs-nc",
    summary="seed farthest from the centroid; adds the record nearest to the running centroid",
    reference="Laszlo and Mukherjee 2005",
    time="O(n^2 d)",
    mixed=on_mixed(opposite=False, growth="nc"),
    printed={"centroid": {}},
    gpu=True,
    refined={"centroid+": "decompose"},
    suffixed=("cbfs-nc",),
    module=__name__,
)(by_centroid(opposite=False, growth="nc", leftovers="nearest"))
