"""IP-style: groups grown to their running mean, in the manner of importance partitioning.

Reference: after Kokolakis and Fouskakis 2009, Computational Statistics and Data Analysis 53; figures
in Chettri, Paul, Dutta 2012, tables 5 to 7. The paper of 2009 is not at hand, so this is not
it: only what its printed figures allow to say.

Idea: one group at a time: the record farthest from the centroid of what is left, then one by one
the record nearest to the group's running mean; the last k to 2k-1 records are one group.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: the seed rule. Of twelve tried with NC growth (farthest from the
centroid or the median of what is left or of all, from the last seed or group, from these in turn
with the centroid, from the middle of the range; nearest to the centroid), this one, which is that of
cbfs-nc, comes nearest to the six printed figures, 0.2 % off on average (the others 0.5 % or more):
Tarragona k=3, 5: 15.617, 22.610 (printed 15.61, 22.45), Census 5.348, 8.685 (5.34, 8.68), EIA 0.470,
1.533 (0.47, 1.53). Tarragona k=5 has four records left over, but no leftovers rule tried explains it.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import by_centroid

ip_style = method(
    "ip-style",
    summary="after importance partitioning: groups grown to their running mean",
    reference="after Kokolakis and Fouskakis 2009",
    time="O(n^2 d)",
    module=__name__,
)(by_centroid(opposite=False, growth="nc", leftovers="group"))
