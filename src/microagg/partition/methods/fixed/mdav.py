"""MDAV: maximum distance to average vector.

Reference: Domingo-Ferrer and Torra 2005, Data Mining and Knowledge Discovery 11(2); survey by
Solanas 2006, section IV.

Idea: take the record r farthest from the centroid of what is left and the record s farthest from
r; group each with its k-1 nearest; repeat while 3k records are left, then one group around the
farthest, and the rest is the last group.

Cost: time O(n^2 d / k) by scans, on the tree far less where columns are few; memory O(nd).

Where the paper is silent or wrong: the 2006 survey groups r and s while 2k are left and adds
fewer than k left over to the closest group. The printed tables cannot tell that from the rule
above, which is the default (`leftovers="group"`); `leftovers="nearest"`, or the name MDAV-NN, is
the rule of Khomnotai et al. 2018: seventeen of its eighteen figures are met, and Tarragona k=20
gives 43.194459 (printed 43.195). The centroid is that of the records left: with the centroid of
all the data the printed figures are not met. s is sought among the records not in the group of r,
which only matters when all distances are equal.

On mixed records this is MDAV-generic, the same paper's MDAV for data of any kind, whose average and
distance are to be chosen. Ours are means and shares of categories, and the distance of
`prepare.records`.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import by_centroid
from microagg.partition.rules.mixed_centroid_seeded import on_mixed

mdav = method(
    "mdav",
    summary="farthest from the centroid, then farthest from that; k-1 nearest",
    reference="Domingo-Ferrer and Torra 2005",
    time="O(n^2 d / k)",
    mixed=on_mixed(opposite=True, growth="nn"),
    printed={"mdav-nn": {"leftovers": "nearest"}, "mdav-generic": {}},
    gpu=True,
    suffixed=("mdav-nn",),
    module=__name__,
)(by_centroid(opposite=True, growth="nn", leftovers="group"))
