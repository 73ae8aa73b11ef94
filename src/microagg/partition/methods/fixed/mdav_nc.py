"""MDAV-NC: the seeds of MDAV, grown towards the centroid of the group.

Reference: Khomnotai, Lin, Peng, Samanta Santra 2018, Symmetry 10(7), section 3.1.

Idea: choose seeds as MDAV does. Grow each group one record at a time by the record nearest to its
running centroid, which makes the group more compact than the neighbours of an outlying seed.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: records beyond a multiple of k are not mentioned. In microagg,
the record closest to the centroid of any group joins that group, the centroid moves, and the next
record follows. With this rule, all eighteen printed figures are reproduced.

Mixed records: with categories, missing values or weights, groups grow as in k-modes, with shares of
categories instead of modes. Only the 8k records nearest to the seed are considered, because
scanning all records for each member would take k times as long.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import by_centroid
from microagg.partition.rules.mixed_centroid_seeded import on_mixed

mdav_nc = method(
    "mdav-nc",
    summary="seeds of mdav; adds the record nearest to the running centroid",
    reference="Khomnotai et al. 2018",
    time="O(n^2 d)",
    mixed=on_mixed(opposite=True, growth="nc"),
    gpu=True,
    suffixed=("mdav-nc",),
    module=__name__,
)(by_centroid(opposite=True, growth="nc", leftovers="nearest"))
