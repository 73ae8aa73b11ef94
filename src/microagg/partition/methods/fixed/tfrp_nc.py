"""TFRP-NC: the seeds of TFRP, grown towards the centroid of the group.

Reference: Khomnotai, Lin, Peng, Samanta Santra 2018, Symmetry 10(7), section 3.1.

Idea: choose seeds as TFRP-I does. Grow each group one record at a time by the record nearest to its
running centroid.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: the reference points are not specified. Points with the smallest
and the largest value of each attribute, starting from the largest, reproduce all eighteen printed
figures if remaining records join the closest centroid first. The global points of 2007 do not.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.two_point_seeded import by_two_points

tfrp_nc = method(
    "tfrp-nc",
    summary="seeds of tfrp-i; adds the record nearest to the running centroid",
    reference="Khomnotai et al. 2018",
    time="O(n^2 d)",
    suffixed=("tfrp-nc",),
    module=__name__,
)(by_two_points(growth="nc", references="attribute", start="maximum", leftovers="nearest"))
