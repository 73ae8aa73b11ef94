"""TFRP-I: two fixed reference points, phase one.

Reference: Chang, Li, Huang 2007, Journal of Systems and Software 80(11), section 3.1, appendix A.

Idea: there are two fixed points: R1 has the smallest of all standardised values in every column,
and R2 the largest. The remaining record farthest from R1 forms a group with its k-1 nearest
neighbours, then the one farthest from R2, in turn. No centroid is needed.

Cost: time O(n^2 d / k), memory O(nd).

Where the paper is silent or wrong: if fewer than k records are left over, they join the group with the
nearest centroid, but in which order is not specified. In order of decreasing distance to R2, with moving
centroids, 47 of the 48 printed figures of table 2 are reproduced; Census with k=50 gives 28.3091
(printed 28.310). Seven other rules, tried on the same figures, reproduce fewer. The paper's EIA has
ten columns: it leaves out UTILITYID, unlike the later papers. The name TFRP-NN, or
`references="attribute", start="maximum", leftovers="nearest"`, selects the rules of Khomnotai et
al. 2018, with which all eighteen printed figures are reproduced.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.two_point_seeded import by_two_points

tfrp_i = method(
    "tfrp-i",
    summary="records farthest from two fixed points in turn, with their k-1 nearest neighbours",
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
