"""V-MDAV: variable-size maximum distance to average vector.

Reference: Solanas and Martinez-Balleste 2006 (COMPSTAT); survey by Domingo-Ferrer, Solanas,
Martinez-Balleste 2006, section V.

Idea: group the record farthest from the centroid of all data with its k-1 nearest neighbours. Then
add up to k-1 more: the record nearest to any member is added as long as its distance to the group
is less than gamma times its distance to the nearest other remaining record.

Cost: time O(n^2 d), memory O(nd).

Where the paper is silent or wrong: the distances in d_in < gamma d_out are squared. With squared
distances, gamma=0.2 gives the SSE that the survey prints for Census, and for EIA with k=3, 4, 5.
gamma=1.1 gives the SSE for EIA with k=10, and the loss printed in 2012 for EIA with k=5. The
authors evidently chose gamma for each k as well. 0.2 and 1.1 times plain distances do not reproduce
these figures. If fewer than k records are left over, they join, in row order, the group of the
nearest record, including records that have just joined. Of eight rules that were tried, this one
reproduces the most figures; starting with the record farthest from the centroid reproduces the
same. Six of the eight figures of table I are then reproduced; Census with k=4 gives 1055.50
(printed 1055.51) and EIA with k=4 gives 337.88 (printed 337.87). The last remaining record does not
extend a group, because there is no other record to compare with. A group can have 3k-2 records:
2k-1, and k-1 remaining ones.

The default gamma="auto" uses 1.1 for data that are clustered at the scale of groups, and 0.2 for
other data, without trying any grouping. It considers at most 1,000 evenly spaced records and their
distances d_1 <= ... <= d_m to the m=2k nearest records. If records are scattered, the spacings s_j
= j ln(d_(j+1) / d_j) are independent and exponential with the same mean, in any dimension. sum s^2
/ (sum s)^2 (Greenwood's statistic) then averages 2 / m; a gap around a cluster of up to 2k records
makes it larger. Data are considered clustered if the mean over the records exceeds 1.25 times 2 /
m. The ratio was 0.96 to 1.03 for normal, uniform, log-normal and Cauchy data, and 1.0 for Tarragona
and Census. It was 1.02, 1.07, 1.11 and 1.78 for EIA with k=3, 4, 5 and 10, and 1.3 to 2.7 for tight
clusters of three to five records. Records with ties among their distances are ignored; if they are
more than half, the data are considered scattered. The dependence of m on k was chosen with the
figures of EIA in view. With m=20 for every k, EIA would always be considered clustered, which costs
29 % more SSE at k=4 and 14 % at k=5. Neither value of gamma is always best: on clustered data, each
wins for some k.

Mixed records: with categories, missing values or weights, a group is extended from the 8k records
nearest to its seed. On the whole of Adult, v-mdav loses less than mdav; on parts of it, more.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from microagg.constraints import AtLeast
from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Facts, Grouping
from microagg.partition.registry import method
from microagg.partition.rules.index import Index, on_records
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Floats, Rows

kernels = lazy("microagg.kernels.fixed.v_mdav")
mixed = lazy("microagg.kernels.mixed.v_mdav")
mixed_records = lazy("microagg.kernels.mixed.records")


SCATTERED, CLUSTERED = 0.2, 1.1
"""The values of gamma that the authors recommend for scattered and for clustered data."""

SAMPLE = 1000
"""The maximum number of records that are examined to distinguish the two."""

LIMIT = 1.25
"""Data are considered clustered above this multiple of the statistic of scattered data."""


def tendency(distances: Floats) -> float:
    """Return how clustered records are, from squared distances to their nearest; 1 means scattered.

    `distances` is float64[records, m], nearest first; the file's opening has the formula.

    Examples
    --------
    >>> tendency(np.array([[1.0, 2.0, 3.0, 4.0]])) < tendency(np.array([[1.0, 1.1, 1.2, 9.0]]))
    True
    """
    m = distances.shape[1]
    clear = (distances[:, :1] > 0).all(axis=1) & (np.diff(distances) > 0).all(axis=1)
    if m < 3 or 2 * np.count_nonzero(clear) < len(distances):
        return 1.0
    spacings = np.diff(np.log(distances[clear])) * np.arange(1, m)
    return float(np.mean((spacings**2).sum(axis=1) / spacings.sum(axis=1) ** 2) * m / 2)


def gamma_of(distances: Floats) -> float:
    """Return the gamma that "auto" chooses, from the distances of `tendency`."""
    return CLUSTERED if tendency(distances) > LIMIT else SCATTERED


def sample(n: int, k: int) -> tuple[Rows, int]:
    """Return the records that "auto" examines, and the number of neighbours of each."""
    size = min(n, SAMPLE)
    return np.arange(size) * n // size, min(2 * k, n - 1)


def v_mdav_mixed(
    records: Records,
    k: int,
    context: Context,
    *,
    gamma: Annotated[float, AtLeast(0)] | Literal["auto"],
) -> Grouping:
    """Group mixed records; candidates for an extension are the 8k nearest to the seed."""
    mix = mixed_records.Mixture(**records.arrays())
    if isinstance(gamma, str):
        rows, m = sample(records.n, k)
        look = mixed.mixed_neighbours
        gamma = gamma_of(context.run("Examining neighbours", rows.size, look, mix, rows, m))
    labels = context.run("Grouping", records.n, mixed.mixed_v_mdav, mix, k, float(gamma))
    return Grouping(labels, Facts(gamma=float(gamma)))


@method(
    "v-mdav",
    summary="seed farthest from the overall centroid, k-1 nearest neighbours, more in dense regions",
    reference="Solanas and Martinez-Balleste 2006",
    time="O(n^2 d)",
    max_size="3k-2",
    gpu=True,
    mixed=v_mdav_mixed,
)
def v_mdav(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    gamma: Annotated[float, AtLeast(0)] | Literal["auto"] = "auto",
    index: Index = "auto",
) -> Grouping:
    """Group the records as described in the module docstring."""
    columns = prepared.columns
    if isinstance(gamma, str):
        rows, m = sample(prepared.n, k)
        look = on_records(kernels.neighbour_distances, index)
        gamma = gamma_of(context.run("Examining neighbours", rows.size, look, columns, rows, m))
    kernel = on_records(kernels.v_mdav, index, context.engine, threads=context.threads)
    labels = context.run("Grouping", prepared.n, kernel, columns, k, float(gamma))
    return Grouping(labels, Facts(gamma=float(gamma)))
