"""CBFS-NC: centroid-based fixed size, the method called Centroid in the TFRP paper.

Reference: Laszlo and Mukherjee 2005, IEEE TKDE 17(7); Chang, Li, Huang 2007 (TFRP), section 2.2.

Idea: one group at a time: the record farthest from the centroid of what is left, then one by one
the record nearest to the group's running centroid.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: records beyond a multiple of k: as for mdav-nc. All eighteen
printed figures of the 2018 paper are met.

On mixed records (categories, blanks, weights) growth is that of k-modes, with the shares of the
categories in place of modes. It looks at the 8k records nearest to the seed: a scan of all for each
member would take k times as long.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import by_centroid
from microagg.partition.rules.mixed_centroid_seeded import on_mixed

cbfs_nc = method(
    "cbfs-nc",
    summary="farthest from the centroid; grown by the record nearest to the running centroid",
    reference="Laszlo and Mukherjee 2005",
    time="O(n^2 d)",
    mixed=on_mixed(opposite=False, growth="nc"),
    printed={"centroid": {}},
    gpu=True,
    refined={"centroid+": "decompose"},
    suffixed=("cbfs-nc",),
    module=__name__,
)(by_centroid(opposite=False, growth="nc", leftovers="nearest"))
