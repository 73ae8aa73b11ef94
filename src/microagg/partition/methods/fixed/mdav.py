"""MDAV: maximum distance to average vector.

Reference: Domingo-Ferrer and Torra 2005, Data Mining and Knowledge Discovery 11(2); survey by
Domingo-Ferrer, Solanas, Martinez-Balleste 2006, section IV.

Idea: take the record r farthest from the centroid of the remaining records, and the record s
farthest from r. Group each with its k-1 nearest neighbours, and repeat while 3k records remain.
Then form one group around the farthest record; the rest is the last group.

Cost: time O(n^2 d / k) by scans, and far less with a spatial index if there are few columns. Memory
O(nd).

Where the paper is silent or wrong: the 2006 survey groups r and s while 2k records remain. If fewer
than k records are left over, they join the closest group. The printed tables cannot distinguish
this from the rule above, which is the default (`leftovers="group"`). `leftovers="nearest"`, or the
name MDAV-NN, is the rule of Khomnotai et al. 2018. Seventeen of its eighteen figures are
reproduced; Tarragona with k=20 gives 43.194459 (printed 43.195). For Census, the SSE is 1052.26
with k=4 and 1987.49 with k=10, but the survey prints 1053.78 and 1997.03, and mu-ARGUS also gives
1997.03. The centroid is that of the remaining records; with the centroid of all data, the printed
figures are not reproduced. s is chosen among the records outside the group of r, which matters only
if all distances are equal.

Mixed records: this is MDAV-generic, the version of the same paper for data of any kind, which
leaves the average and the distance open. microagg uses means, shares of categories, and its own
distance for mixed records.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import by_centroid
from microagg.partition.rules.mixed_centroid_seeded import on_mixed

mdav = method(
    "mdav",
    summary="the record farthest from the centroid and its opposite, each with k-1 nearest neighbours",
    reference="Domingo-Ferrer and Torra 2005",
    time="O(n^2 d / k)",
    mixed=on_mixed(opposite=True, growth="nn"),
    printed={"mdav-nn": {"leftovers": "nearest"}, "mdav-generic": {}},
    gpu=True,
    suffixed=("mdav-nn",),
    module=__name__,
)(by_centroid(opposite=True, growth="nn", leftovers="group"))
