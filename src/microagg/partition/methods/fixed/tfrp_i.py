"""TFRP-I: two fixed reference points, phase one.

Reference: Chang, Li, Huang 2007, Journal of Systems and Software 80(11), section 3.1, appendix A.

Idea: two fixed points, R1 of the least of all standardised values and R2 of the largest. The
record left that is farthest from R1 and its k-1 nearest form a group, then the one farthest from
R2, in turn. No centroid is needed while grouping.

Cost: time O(n^2 d / k), memory O(nd).

Where the paper is silent or wrong: the order in which fewer than k records left over join the
group of nearest centroid. In order of falling distance to R2, with centroids that move, 47 of the
48 printed figures of table 2 are met (Census k=50 gives 28.3091, printed 28.310); seven other
rules, tried on the same figures, meet fewer. Its EIA has ten columns: UTILITYID was left out,
unlike in the later papers. The names TFRP-NN and `references="attribute", start="maximum",
leftovers="nearest"` are the rules of Khomnotai et al. 2018: all eighteen printed figures are met.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.two_point_seeded import by_two_points

tfrp_i = method(
    "tfrp-i",
    summary="farthest from two fixed reference points in turn; k-1 nearest",
    reference="Chang, Li, Huang 2007",
    time="O(n^2 d / k)",
    printed={
        "tfrp-nn": {"references": "attribute", "start": "maximum", "leftovers": "nearest"},
        "tfrp-1": {},
    },
    refined={"tfrp": "decompose"},
    suffixed=("tfrp-nn",),
    module=__name__,
)(by_two_points(growth="nn", references="global", start="minimum", leftovers="sorted"))
