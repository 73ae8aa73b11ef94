"""CBFS-NN: centroid-based fixed size, with nearest neighbours of the seed.

Reference: Laszlo and Mukherjee 2005, IEEE TKDE 17(7) (CBFS); with NN growth: Khomnotai et al. 2018,
Symmetry 10(7), section 3.1.

Idea: like MDAV, but one group at a time: the record farthest from the centroid of the remaining
records, with its k-1 nearest neighbours.

Cost: time O(n^2 d / k), memory O(nd).

Where the paper is silent or wrong: records beyond a multiple of k are treated as in mdav-nc.
Sixteen of the eighteen printed figures are reproduced. Tarragona with k=5 gives 22.818496 (printed
22.819). Census with k=10 gives 14.007 (printed 14.001); 1080 is a multiple of 10, so no rule for
remaining records can explain this.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import by_centroid
from microagg.partition.rules.mixed_centroid_seeded import on_mixed

cbfs_nn = method(
    "cbfs-nn",
    summary="seed farthest from the centroid, with its k-1 nearest neighbours",
    reference="Khomnotai et al. 2018",
    time="O(n^2 d / k)",
    mixed=on_mixed(opposite=False, growth="nn"),
    gpu=True,
    suffixed=("cbfs-nn",),
    module=__name__,
)(by_centroid(opposite=False, growth="nn", leftovers="nearest"))
