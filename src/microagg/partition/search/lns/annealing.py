"""Search from any partition, with or without a pool of the groups seen on the way.

`lns` and `best` are built on this file; column generation takes its columns from the pool:

    pool = GroupPool(capacity=200_000, k=3)
    labels = search(prepared.columns, labels, 3, steps=100_000, seed=1, pool=pool)
    pool.count                      # how many different groups there are so far
    pool.members[: pool.count]      # int32[count, 2k-1]: their rows in order, then -1
    pool.sizes[: pool.count]        # int32[count]

The groups of the partition given, and those of every rebuild that was accepted or nearly was, go
into the pool, each once. The pool goes on filling from call to call; when it is full, the search
goes on and no more are kept. Call `search` again with other seeds, from the labels it returned or
from any others (of an integer program, say).

The same arguments give the same labels and the same pool, unless the ticker stops it. The kernel
runs without the interpreter's lock; calls in several threads need a pool each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.lazy import lazy
from microagg.partition.sum_of_squares import error_of
from microagg.typing import Floats, Labels

pools = lazy("microagg.kernels.lns.pool")
searches = lazy("microagg.kernels.lns.search")
split = lazy("microagg.kernels.refine.split")


HOT, COLD = 1.0, 0.03
"""Heat at the start and at the end, in mean errors a record of the groups broken up.

By this local measure sparse and dense parts of the data are annealed at the same time; with one
temperature for all, Tarragona came out worse in trials (one run each: 14.59 against 14.48 with k=3,
20.35 against 20.16 with k=5). Both values were picked from a few tried on Census and Tarragona."""

NEAR = 16
"""Near groups that each group knows; those broken up with it are some of these."""

MARGIN = 0.5
"""Rebuilds that add at most this much go to the pool, in mean errors a record."""


LONG = 150
"""A search of this many steps a group has time for the largest steps."""


def most_groups(steps_a_group: float) -> int:
    """Return how many groups a step breaks up, at most: 6, and 4 in a short run.

    With 6, a step takes longer and gains more. 15 s and two seeds on a busy machine gave 24.46 and 24.48
    with 6, 24.49 and 24.65 with 4 on Census with k=50; 43.273 twice with 6, 43.27 and 43.31 with 4 on
    Tarragona with k=25; 8.46 and 8.48 with 6, 8.50 and 8.56 with 4 on EIA with k=30.

    Examples
    --------
    >>> most_groups(1000), most_groups(10)
    (6, 4)
    """
    return 6 if steps_a_group >= LONG else 4


class GroupPool:
    """Different groups of k to 2k-1 records, `capacity` of them at most.

    Examples
    --------
    >>> pool = GroupPool(capacity=100, k=2)
    >>> columns = np.array([[1.0, 9.0, 1.5, 9.5]])
    >>> labels = search(columns, np.array([0, 0, 1, 1]), 2, steps=20, seed=0, pool=pool)
    >>> sorted(pool.members[: pool.count].tolist())
    [[0, 1, -1], [0, 2, -1], [1, 3, -1], [2, 3, -1]]
    """

    def __init__(self, capacity: int, k: int) -> None:
        self.arrays = pools.new_pool(capacity, k)
        self.members: NDArray[np.int32] = self.arrays.members
        self.sizes: NDArray[np.int32] = self.arrays.sizes

    @property
    def count(self) -> int:
        """How many groups there are."""
        return int(self.arrays.filled[0])

    def groups(self) -> list[NDArray[np.int64]]:
        """Return the groups, int64[m, s] for each size s."""
        members, sizes = self.members[: self.count], self.sizes[: self.count]
        return [members[sizes == s, :s].astype(np.int64) for s in np.unique(sizes)]


class Annealed(NamedTuple):
    """What a run of steps gave: labels at the end, the best on the way, and counts."""

    last: Labels
    best: Labels
    steps: int
    accepted: int


def search(
    columns: Floats,
    labels: NDArray[np.integer],
    k: int,
    *,
    steps: int,
    seed: int,
    pool: GroupPool | None = None,
    hot: float = HOT,
    ticker: Ticker | None = None,
) -> Labels:
    """Return labels of at most the loss of `labels`, by annealing over rebuilt groups.

    Parameters
    ----------
    columns : float64[d, n]
        The records, one array per attribute, as in `Prepared`.
    labels : int[n]
        Where to start; every group must have k to 2k-1 records. `admissible` makes it so.
    k : int
        The smallest size of a group.
    steps : int
        How many times a few groups are broken up.
    seed : int, from 0 to 2^64-1
        Where every random choice comes from.
    pool : GroupPool, optional
        Where the groups seen are kept.
    hot : float
        Heat at the start; 0 accepts no rebuild for the worse.
    ticker : int64[2], optional
        The search stops when ``ticker[1]`` is not 0; the best so far comes back.
    """
    points = np.array(columns.T, order="C")
    start = renumbered(labels)
    most = most_groups(math.inf)
    best = run_steps(
        points, start, k, steps, seed, (hot, COLD), most, margin=MARGIN, pool=pool, ticker=ticker
    ).best
    return renumbered(best) if error_of(columns, best) <= error_of(columns, start) else start


def run_steps(
    points: Floats,
    labels: Labels,
    k: int,
    steps: int,
    seed: int,
    heats: tuple[float, float],
    most: int,
    *,
    sweeps: int = 0,
    margin: float = 0.0,
    pool: GroupPool | None = None,
    ticker: Ticker | None = None,
) -> Annealed:
    """Call the kernel on ``points``, float64[n, d]; the labels come back with gaps in them."""
    arrays = (pool or GroupPool(0, k)).arrays
    stop = np.zeros(2, dtype=np.int64) if ticker is None else ticker
    heat = np.array(heats, dtype=np.float64)
    start = np.ascontiguousarray(labels, dtype=np.int32)
    limits = steps, np.uint64(seed), heat, most, NEAR, sweeps, margin
    return Annealed(*searches.anneal(points, start, k, *limits, arrays, stop))


def admissible(columns: Floats, labels: Labels, k: int) -> Labels:
    """Cut groups of 2k or more records into groups of k to 2k-1, which never adds loss."""
    labels = renumbered(labels)
    sizes = np.bincount(labels)
    following = len(sizes)
    for group in np.flatnonzero(sizes >= 2 * k):
        rows = np.flatnonzero(labels == group)
        parts = split.cut(np.ascontiguousarray(columns[:, rows]), k, split.RULES["tfrp"])
        labels[rows[parts > 0]] = following + parts[parts > 0] - 1
        following += int(parts.max())
    return labels


def renumbered(labels: NDArray[np.integer]) -> Labels:
    """Number the groups from 0 in the order of their first records.

    Examples
    --------
    >>> renumbered(np.array([7, 2, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), dtype=np.int32)
    ranks[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return ranks[inverse]
