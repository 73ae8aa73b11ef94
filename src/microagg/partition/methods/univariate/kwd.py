"""kWD: k-Ward that looks at neighbours only.

Reference: the thesis of Fayyoumi 2008, section 3.4.1, algorithm 3 (k-Ward Diagonal).

Idea: as k-Ward-1d, but the pair that merges is sought among groups that lie next to each other, and
beyond groups that hold k already. The groups are those of k-Ward-1d, always.

Cost: time O(n log n), more where groups of fewer than k stand between long runs of groups that hold
k; memory O(n).

Where the paper is silent or wrong: its theorem 1 says that of two groups on the same side the nearer
one merges at less cost, unless their means are equal. It fails whenever the farther one is smaller and
nearly as near: a value at 0, three values at 10 and two at 10.1 (k=2) cost 75.0 with the three, 68.0
with the two. That does no harm where the two can merge, for they do so first. Where both hold k they
cannot, and algorithm 3, which looks beyond them on one side only, then merges another pair than k-Ward.
Here the smaller group looks both ways, past every group that holds k, until none farther can cost
less. Among three groups that may merge in any pair, the two outer ones never cost least (with
distances s and t and sizes a and c of the outer, a c / (a + c) (s + t)^2 is more than the lesser of a s^2
and c t^2): so nothing else need be looked at.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.ward_merging import whole

kwd = method(
    "kwd",
    summary="the groups of k-ward-1d, found among neighbours",
    reference="Fayyoumi 2008",
    time="O(n log n)",
    module=__name__,
)(whole(neighbours=True))
