"""TSP-MHM: optimal cuts of a short path through all records.

Reference: developed for microagg, after Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006,
VLDB Journal 15(4).

Idea: compute a short round trip through all records: nearest point next, shortened by 2-opt and
Or-opt moves that bring a record next to one of its nearest neighbours. Open it at its longest edge.
The dynamic program of Hansen and Mukherjee then cuts the path into consecutive groups of k to 2k-1
records with the least error.

Cost: time O(n^2 d) at worst. In practice, it is little more than the time to find nearest
neighbours and to reverse parts of the trip: a few seconds for 100,000 records of four columns.
Memory O(n (d + m)) with m neighbours.

Choices: `neighbours` is the number of near records that a record may be placed next to. Lengths are
plain distances. The path is about 5 % shorter than that of npn-mhm, and the loss is 1 to 22 % lower
on the three benchmarks (on Census 5.32, 9.03 and 16.32 with k=3, 5 and 10). With k=3, it also loses
less than mdav there. With k=10 it does not, except on EIA, because long groups along a path are not
compact.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from microagg.constraints import AtLeast
from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_path import cut
from microagg.partition.rules.nearest_next import nearest_next
from microagg.prepare.prepared import Prepared

tours = lazy("microagg.kernels.path.tour")
walks = lazy("microagg.kernels.path.walk")

SHORTEST = 8
"""The minimum number of records for which the path is shortened."""


@method(
    "tsp-mhm",
    summary="optimal cuts of a short path through all records",
    reference="developed for microagg, after Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe 2006",
    time="O(n^2 d) at worst",
)
def tsp_mhm(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    neighbours: Annotated[int, AtLeast(1)] = 8,
) -> Grouping:
    """Group the records as described in the module docstring."""
    order = nearest_next(prepared, context)
    if prepared.n >= SHORTEST:
        points, m = np.array(prepared.columns.T, order="C"), min(neighbours, prepared.n - 1)
        near = context.run("Finding neighbours", prepared.n, walks.near_lists, points, m)
        trip = context.run("Shortening the path", prepared.n, tours.shorten, points, order, near)
        order = tours.open_at_longest(points, trip)
    return Grouping(cut(prepared, order, k, context))
