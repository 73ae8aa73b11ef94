"""OMMA: the object-migrating micro-aggregated automaton.

Reference: Fayyoumi 2008, thesis (Carleton University), section 4.3, algorithms 6 to 10.

Idea: records start in random groups of k, each in a state from 1 (certain) to `depth` (the boundary).
A list of similar pairs is read again and again. A pair in one group is rewarded: both move a state
inwards. A pair in two groups is penalised: both move outwards; where one is at the boundary, the
exchange is made that brings it to the other and has the least error, if the error does not grow, and
else the pair is struck off the list; where both are, the better of both ways, and the pair stays.

Cost: time O(n^2 d) for the list and O(k d) a pair and cycle; memory O(nd) and the list, which
`pairs` bounds.

Where the thesis is silent or wrong: it lists all pairs within half the range of the distance matrix,
whose smallest value is the 0 of its diagonal: half the largest distance. (The times it prints for
uniform data go with the lists that this gives, not with those without the diagonal.) That is nearly
all pairs of Census. Here each record offers its nearest, as many as `pairs` (8 bytes each, about 36
while they are sorted) has room for: all of them up to 3,000 records, 500 of each with 20,000.

It is silent on the order of the list. `order="matrix"` reads each pair once, as they stand in the
matrix below its diagonal, row after row. That is what the thesis did, as far as figures can tell: of
the gains over its MDAV in tables 4.5 to 4.7, 32 of 32 come out within two points (one draw in 24 cells,
two in 8), but 11 of 32 by the default; the loss on uniform data comes out within 1.3 %
(`benchmarks/quality/omma.py`).
`order="rank"`, the default, is ours and loses less: it reads in rounds, each record with its nearest,
then each with its second nearest, so that a pair can come twice. `order="distance"` reads each pair
once, the closest first.

With ten seeds and no more cycles than printed in table 4.3, the loss by rank is in the median (best, worst;
printed): Tarragona k=2 9.146 (9.039, 9.596; 9.2435), k=3 15.001 (14.762, 15.223; 15.129), k=6 24.048
(23.867, 24.559; 24.261); Census k=3 5.258 (5.158, 5.347; 5.229), k=4 6.878 (6.794, 6.971; 6.762), k=5
8.152 (8.121, 8.695; 8.090), k=6 9.137 (9.006, 9.314; 9.143): at or below the print but for Census k=3, 4
and 5, which are 0.6, 1.7 and 0.8 % above. As a matrix: 9.198 (9.039, 10.538), 15.167 (14.880, 15.462),
24.011 (23.748, 24.179); 5.373 (5.205, 5.438), 6.913 (6.847, 7.089), 8.242 (8.081, 8.474), 9.149 (9.017,
9.937).

The thesis says neither how many runs it made nor which it prints; but for Census k=4, our best run in
one order or the other is at or below the print. What else the thesis leaves open was tried and comes no
closer: the groups of states as its algorithm 6 has them (``div M``, which counts a boundary state to
the next group), the host moving outwards as in the automaton that it starts from, pairs struck off in
all cases or in none, exchanges with records at the boundary alone, depths from 2 to 10, both
triangles of the matrix with and without its diagonal, records in another order.

In many columns distances hardly differ, and half the largest is less than any of them: the list would
be empty, and the groups would stay random. Where the threshold leaves fewer than 3k offers a
record, each record therefore offers its 3k nearest as well, which the thesis does not say. All data of
the thesis are far above that.

Records beyond a multiple of k are left out at random and join the group of nearest centroid at the
end, the closest first. With `initial` the name of a method that makes groups of k to 2k-1, none is left
out, and exchanges keep the sizes. "The loss stays" means that a cycle lowers it by less than one part in
10^12.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from microagg.budget import Stop
from microagg.constraints import AtLeast
from microagg.context import Context
from microagg.errors import ParameterError
from microagg.lazy import lazy
from microagg.partition.grouping import Facts, Grouping
from microagg.partition.registry import method
from microagg.partition.rules.initial import Initial, initial_groups
from microagg.prepare.prepared import Prepared
from microagg.typing import Labels

fixed_size = lazy("microagg.kernels.fixed.fixed_size")
kernels = lazy("microagg.kernels.learning.omma")
similar = lazy("microagg.kernels.learning.similar_pairs")

LEAST = 3
"""A record has this many times k similar ones at least, in the mean, or offers its nearest."""


@method(
    "omma",
    summary="random groups; similar pairs, rewarded and penalised, exchange records",
    reference="Fayyoumi 2008, section 4.3",
    time="O(n^2 d), and O(k d) a pair and cycle",
    memory="O(nd), and a list of `pairs`",
    deterministic=False,
    timed=True,
    brief={"max_iterations": 1},
)
def omma(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    initial: Initial = "random",
    depth: Annotated[int, AtLeast(1)] = 5,
    order: Literal["rank", "matrix", "distance"] = "rank",
    pairs: Annotated[int, AtLeast(1)] = 10_000_000,
    max_iterations: Annotated[int, AtLeast(1)] = 100,
) -> Grouping:
    """Group as the file's opening says."""
    if pairs < prepared.n:
        raise ParameterError(
            f"must be at least n={prepared.n}, a pair for each record. Got {pairs}.",
            parameter="pairs",
            caller="omma",
            hint="Leave it out, or give a multiple of the number of records.",
        )
    labels = initial_groups(initial, "omma", prepared, k, context)
    if labels.max() > 0 and not context.budget.stopped:
        taking_part = np.flatnonzero(labels >= 0)
        columns = np.ascontiguousarray(prepared.columns[:, taking_part])
        limits = (depth, order, pairs, max_iterations)
        learned = _learn(columns, labels[taking_part], *limits, context)
        labels[taking_part], facts = learned.labels, learned.facts
    else:
        facts = Facts(stopped=context.budget.stopped or Stop.LOSS_STAYS, cycles=0)
    left_over, n_groups = np.flatnonzero(labels < 0), int(labels.max()) + 1
    fixed_size.join_nearest_group(prepared.columns, left_over, n_groups, labels)
    return Grouping(labels, facts)


def _learn(
    columns: NDArray[np.float64],
    labels: Labels,
    depth: int,
    order: str,
    pairs: int,
    max_iterations: int,
    context: Context,
) -> Grouping:
    """List the similar pairs, then let them exchange records; what is listed in time serves."""
    n = columns.shape[1]
    width = min(n - 1, pairs // n)
    least = min(width, LEAST * (n // (int(labels.max()) + 1)))
    first, second = context.run(
        "Listing pairs",
        n,
        similar.similar_pairs,
        columns,
        width,
        least,
        similar.ORDERS[order],
        keep=True,
    )
    learned, errors, left = context.run(
        "Learning",
        max_iterations,
        kernels.omma,
        columns,
        labels,
        depth,
        first,
        second,
        max_iterations,
        keep=True,
    )
    stays = len(errors) > 1 and errors[-1] >= errors[-2] * (1 - kernels.STAYS)
    by_itself = Stop.LOSS_STAYS if stays else Stop.MAX_ITERATIONS
    facts = Facts(
        stopped=context.budget.stopped or by_itself,
        cycles=len(errors) - 1,
        pairs=first.size,
        pairs_left=int(left),
    )
    return Grouping(learned, facts)
