"""kWD: k-Ward that compares neighbours only.

Reference: the thesis of Fayyoumi 2008, section 3.4.1, algorithm 3 (k-Ward Diagonal).

Idea: as in k-Ward-1d, but the next pair to merge is sought among adjacent groups, and across
groups that already have k values. The groups are always those of k-Ward-1d.

Cost: time O(n log n), and more if groups of fewer than k values lie between long runs of groups
that have k. Memory O(n).

Where the paper is silent or wrong: theorem 1 of the thesis says that of two groups on the same
side, the nearer one is cheaper to merge unless their means are equal. This fails if the farther
group is smaller and nearly as near. For example, with k=2, merging a value at 0 with three values
at 10 costs 75.0, but with two values at 10.1 it costs 68.0. It does no harm if the two groups can
merge, because they do so first. If both have k values, they cannot, and algorithm 3, which looks
past them on one side only, merges a different pair than k-Ward. In microagg, the smaller group
searches in both directions, past every group that has k values, until no farther group can cost
less. Among three groups that may merge in any pair, the two outer ones never cost least. Let s and
t be their distances to the middle group, and a and c their sizes: a c / (a + c) (s + t)^2 exceeds
the smaller of a s^2 and c t^2. No other pairs need to be considered.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.ward_merging import whole

kwd = method(
    "kwd",
    summary="the groups of k-ward-1d, computed by comparing neighbours only",
    reference="Fayyoumi 2008",
    time="O(n log n)",
    module=__name__,
)(whole(neighbours=True))
