"""Cuts: at most one group of a partition holds two of any three records.

A mixture of groups may hold more of such groups: half of {1, 2, ..}, half of {1, 3, ..} and half of
{2, 3, ..} make one and a half. Each triple of records for which it does is a cut that makes the
master problem dearer and keeps every partition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.typing import Floats, Rows

Triples = NDArray[np.int64]
Triple = tuple[int, int, int]

VIOLATION = 0.02
"""By how much the groups of a cut must pass 1 for it to be worth a row."""

MOST_OF_A_RECORD = 5
"""New cuts that one record may be in: those of the next round will be other ones."""

CUTS_AT_ONCE, RECORDS_A_CUT = 150, 7
"""Cuts that may be added at once: so many, or one for so many records."""

WHOLE_SHARE = 1e-6
"""Shares so near to 0 or 1 are whole."""


def entries_of(groups: Sequence[Rows], triples: Triples, n: int) -> Any:
    """Return a sparse row of ones for each group: its records, then the triples it holds two of.

    Examples
    --------
    >>> entries_of([np.array([0, 1]), np.array([1, 2, 3])], np.array([[0, 1, 3]]), 4).toarray()
    array([[1., 1., 0., 0., 1.],
           [0., 1., 1., 1., 1.]])
    """
    from scipy.sparse import csr_array, hstack

    def rows_of(lists: Sequence[Rows]) -> Any:
        ends = np.cumsum([0, *map(len, lists)])
        columns = np.concatenate([np.empty(0, dtype=np.int64), *lists])
        return csr_array((np.ones(columns.size), columns, ends), shape=(len(lists), n))

    records = rows_of(groups)
    in_triples = (records @ rows_of(list(triples)).T >= 2).astype(np.float64)
    return hstack([records, in_triples], format="csr")


def most_violated(groups: Sequence[Rows], shares: Floats, earlier: Triples, n: int) -> Triples:
    """Return the triples of n records that a mixture of groups violates most."""
    fractional = np.flatnonzero((shares > WHOLE_SHARE) & (shares < 1 - WHOLE_SHARE))
    mixed = [groups[number] for number in fractional.tolist()]
    return violated(mixed, shares[fractional], earlier, max(CUTS_AT_ONCE, n // RECORDS_A_CUT))


def violated(groups: list[Rows], shares: Iterable[float], earlier: Triples, most: int) -> Triples:
    """Return up to `most` triples that groups in these shares violate, the worst first.

    Examples
    --------
    >>> halves = [np.array([0, 1]), np.array([0, 2]), np.array([1, 2])]
    >>> violated(halves, [0.5, 0.5, 0.5], np.empty((0, 3), int), 10).tolist()
    [[0, 1, 2]]
    """
    weights = _weights(groups, shares)
    worst = sorted(
        (-weight, triple) for triple, weight in weights.items() if weight > 1 + VIOLATION
    )
    skip = {tuple(triple) for triple in earlier.tolist()}
    used: dict[int, int] = defaultdict(int)
    chosen: list[Triple] = []
    for _, triple in worst:
        if triple in skip or max(used[row] for row in triple) >= MOST_OF_A_RECORD:
            continue
        chosen.append(triple)
        for row in triple:
            used[row] += 1
        if len(chosen) == most:
            break
    return np.array(chosen, dtype=np.int64).reshape(-1, 3)


def _weights(groups: list[Rows], shares: Iterable[float]) -> dict[Triple, float]:
    """Return for each triple of records that are joined how much of groups holds two of it."""
    pairs: dict[tuple[int, int], float] = defaultdict(float)
    whole: dict[Triple, float] = defaultdict(float)
    joined: dict[int, set[int]] = defaultdict(set)
    for rows, share in zip(groups, shares, strict=True):
        members = rows.tolist()  # in order, so that pairs and triples come in order
        for i, j in combinations(members, 2):
            pairs[i, j] += share
            joined[i].add(j)
        for triple in combinations(members, 3):
            whole[triple] += share
    weights: dict[Triple, float] = {}
    for i, others in joined.items():
        for j, h in combinations(sorted(others), 2):
            # A triple that no third pair joins holds at most the share of one record: 1.
            if (j, h) in pairs:
                total = pairs[i, j] + pairs[i, h] + pairs[j, h]
                weights[i, j, h] = total - 2 * whole.get((i, j, h), 0.0)
    return weights
