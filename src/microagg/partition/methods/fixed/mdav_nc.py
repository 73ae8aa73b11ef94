"""MDAV-NC: the seeds of MDAV, grown towards the centroid of the group.

Reference: Khomnotai, Lin, Peng, Samanta Santra 2018, Symmetry 10(7), section 3.1.

Idea: take seeds as MDAV does; grow each group one record at a time by the record nearest to the
group's running centroid, which keeps the group rounder than the neighbours of an outlying seed.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: records beyond a multiple of k. One by one, the record closest
to the centroid of any group joins it, and the centroid moves; so done, all eighteen printed
figures are met.

On mixed records (categories, blanks, weights) growth is that of k-modes, with the shares of the
categories in place of modes. It looks at the 8k records nearest to the seed: a scan of all for each
member would take k times as long.
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.centroid_seeded import by_centroid
from microagg.partition.rules.mixed_centroid_seeded import on_mixed

mdav_nc = method(
    "mdav-nc",
    summary="seeds as mdav; grown by the record nearest to the running centroid",
    reference="Khomnotai et al. 2018",
    time="O(n^2 d)",
    mixed=on_mixed(opposite=True, growth="nc"),
    gpu=True,
    suffixed=("mdav-nc",),
    module=__name__,
)(by_centroid(opposite=True, growth="nc", leftovers="nearest"))
