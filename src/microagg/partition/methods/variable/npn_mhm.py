"""NPN-MHM: optimal cuts of a nearest-point-next path.

Reference: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006, VLDB Journal 15(4); figures
quoted by Chettri, Paul, Dutta 2012, tables 5 to 7.

Idea: the path starts at one of the two records farthest apart and always continues to the nearest
record that it has not visited. The dynamic program of Hansen and Mukherjee then cuts the path into
consecutive groups of k to 2k-1 records with the least error.

Cost: time O(n^2 d) at worst. With a spatial index, the path takes a few seconds for 100,000 records
of few columns. The cuts take O(n k d). Memory O(nd).

Where the paper is silent or wrong: the paper was not available, and those that quote it do not say
where the path starts. Every record was tried as the start, and none reproduces the printed figures
exactly. Starting at the record with the lower row number of the two farthest apart reproduces five
of the nine within 1 %, and none of the nine is above the printed figure:

| | Tarragona, k=3 | k=5 | k=10 | Census, k=3 | k=5 | k=10 | EIA, k=3 | k=5 | k=10 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| microagg | 17.305 | 27.010 | 40.037 | 6.278 | 11.281 | 18.626 | 0.511 | 0.957 | 2.262 |
| printed | 17.395 | 27.021 | 40.183 | 6.349 | 11.344 | 18.734 | 0.553 | 0.960 | 2.319 |

Other starts are farther from the printed figures: the record farthest from the centroid, the record
nearest to it, and the first row. So are paths that grow at both ends, and group sizes up to 2k-2 or
2k.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_path import cut
from microagg.partition.rules.nearest_next import nearest_next
from microagg.prepare.prepared import Prepared


@method(
    "npn-mhm",
    summary="optimal cuts of a path that always continues to the nearest record",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006",
    time="O(n^2 d) at worst",
)
def npn_mhm(prepared: Prepared, k: int, context: Context) -> Grouping:
    """Group the records as described in the module docstring."""
    return Grouping(cut(prepared, nearest_next(prepared, context), k, context))
