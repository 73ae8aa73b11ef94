"""OMMA: the object-migrating micro-aggregated automaton.

Reference: Fayyoumi 2008, thesis (Carleton University), section 4.3, algorithms 6 to 10.

Idea: records start in random groups of k, each in a state from 1 (certain) to `depth` (the
boundary). A list of similar pairs is read repeatedly. A pair in one group is rewarded: both records
move one state inwards. A pair in two groups is penalised: both move outwards. If one of them is at
the boundary, it moves to the group of the other by the exchange with the least error. If that
exchange would increase the error, the pair is removed from the list instead. If both are at the
boundary, the better of the two directions is used, and the pair stays.

Cost: time O(n^2 d) for the list, and O(k d) per pair and cycle. Memory O(nd) and the list, which
`pairs` limits.

Where the thesis is silent or wrong: it lists all pairs within half the range of the distance
matrix. The smallest value of the matrix is the 0 of its diagonal, so the threshold is half the
largest distance. (The times printed for uniform data agree with the lists that this gives, not with
those without the diagonal.) On Census, these are nearly all pairs. In microagg, each record
contributes its nearest neighbours, as many as `pairs` allows (8 bytes each, about 36 during
sorting): all of them up to 3,000 records, and 500 each for 20,000 records.

Order of the list: the thesis does not specify it. `order="matrix"` reads each pair once, in the
order of the matrix below its diagonal, row by row. The figures suggest that this is what the thesis
did. It reproduces all 32 gains over MDAV in tables 4.5 to 4.7 within two points (with one draw in
24 cells and two in 8); the default reproduces 11. The loss on uniform data is reproduced within 1.3
% (`benchmarks/quality/omma.py`). `order="rank"`, the default, was developed for microagg and loses
less. It reads the list in rounds: each record with its nearest neighbour, then each with its second
nearest, so that a pair can occur twice. `order="distance"` reads each pair once, closest first.

The next table shows the median loss of ten seeds (best, worst), with no more cycles than printed in
table 4.3.

| data | k | printed | `order="rank"` | `order="matrix"` |
| --- | ---: | ---: | --- | --- |
| Tarragona | 2 | 9.2435 | 9.146 (9.039, 9.596) | 9.198 (9.039, 10.538) |
| Tarragona | 3 | 15.129 | 15.001 (14.762, 15.223) | 15.167 (14.880, 15.462) |
| Tarragona | 6 | 24.261 | 24.048 (23.867, 24.559) | 24.011 (23.748, 24.179) |
| Census | 3 | 5.229 | 5.258 (5.158, 5.347) | 5.373 (5.205, 5.438) |
| Census | 4 | 6.762 | 6.878 (6.794, 6.971) | 6.913 (6.847, 7.089) |
| Census | 5 | 8.090 | 8.152 (8.121, 8.695) | 8.242 (8.081, 8.474) |
| Census | 6 | 9.143 | 9.137 (9.006, 9.314) | 9.149 (9.017, 9.937) |

The default is at or below the printed loss, except on Census with k=3, 4 and 5, where it is 0.6,
1.7 and 0.8 % above. The thesis says neither how many runs it made nor which one it prints. Except
for Census with k=4, the best run in one of the two orders is at or below the printed loss.

Other details that the thesis leaves open were varied, and none of the variants is closer to the printed
figures:

- the groups of states as in its algorithm 6 (``div M``, which counts a boundary state to the next
  group);
- a host that moves outwards, as in the automaton that the thesis starts from;
- pairs removed from the list in all cases or in none;
- exchanges only with records at the boundary, depths from 2 to 10, and records in a different order;
- both triangles of the matrix, with and without its diagonal.

With many columns, distances hardly differ, and half the largest distance is below all others. The
list would then be empty, and the groups would stay random. If the threshold leaves fewer than 3k
pairs per record, each record therefore contributes its 3k nearest neighbours as well, which the
thesis does not mention. All data of the thesis are far above that limit.

Records beyond a multiple of k are left out at random and join the group with the nearest centroid
at the end, closest first. If `initial` names a method that forms groups of k to 2k-1 records, none
is left out, and exchanges preserve the sizes. The loss counts as unchanged if a cycle reduces it
by less than one part in 10^12.
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
"""If records have fewer similar ones on average, in multiples of k, they contribute their nearest."""


@method(
    "omma",
    summary="an automaton that exchanges records between random groups, driven by similar pairs",
    reference="Fayyoumi 2008, section 4.3",
    time="O(n^2 d), and O(k d) per pair and cycle",
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
    """Group the records as described in the module docstring."""
    if pairs < prepared.n:
        raise ParameterError(
            f"must be at least n={prepared.n}, a pair for each record. Got {pairs}.",
            parameter="pairs",
            caller="omma",
            hint="Leave it out, or use a multiple of the number of records.",
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
    """List the similar pairs, as far as time allows, then let them exchange records."""
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
