"""Separation: the cuts that a mixture of groups violates most.

All triples are looked at. Cuts of more records are searched for: from records that groups join, one record
after the other is exchanged for another one as long as the cut becomes more violated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np

from microagg.context import Ticker
from microagg.lazy import lazy
from microagg.partition.bounds.cuts import KINDS, LARGE_KINDS, OTHER_KINDS, SMALL_KINDS, GroupCuts
from microagg.typing import Floats, Rows

if TYPE_CHECKING:
    from microagg.kernels.bounds.separation import FractionalGroups

kernels = lazy("microagg.kernels.bounds.separation")

VIOLATIONS = (0.02, 0.005, 0.002)
"""By how much the groups of a cut must pass 1 for it to be worth a row: less, the longer one looks.
"""

MOST_OF_A_RECORD = 5
"""New cuts that one record may be in: those of the next round will be other ones."""

CUTS_AT_ONCE, RECORDS_A_CUT = 150, 7
"""Cuts that may be added at once: so many, or one for so many records."""

WHOLE_SHARE = 1e-6
"""Shares so near to 0 or 1 are whole."""

ENOUGH = 5
"""Further kinds are searched for only where those before give less than this fraction of such cuts."""

STARTS, STARTS_OF_A_RECORD = 3_000, 40
"""Searches for cuts of each kind: at most so many in all and from each record, but one from each record."""

Triple = tuple[int, int, int]
Worst = tuple[float, int, list[int]]
"""Minus the violation, the kind and the records."""


def most_violated(
    groups: Sequence[Rows],
    shares: Floats,
    earlier: GroupCuts,
    n: int,
    ticker: Ticker,
    violation: float = VIOLATIONS[0],
) -> GroupCuts:
    """Return the cuts that a mixture of groups of n records violates most, by more than `violation`."""
    fractional = np.flatnonzero((shares > WHOLE_SHARE) & (shares < 1 - WHOLE_SHARE))
    mixed = [groups[number] for number in fractional.tolist()]
    most = max(CUTS_AT_ONCE, n // RECORDS_A_CUT)
    own, seed = shares[fractional], len(earlier)
    worst, cuts = violated_triples(mixed, own, violation), GroupCuts.of(0)
    others = (
        [OTHER_KINDS] if violation < VIOLATIONS[0] else []
    )  # they take long, and prove little more
    for kinds in (SMALL_KINDS, LARGE_KINDS, *others):
        worst += violated_sets(mixed, own, n, kinds, seed, ticker, violation)
        cuts = _chosen(sorted(worst), earlier, most)
        if len(cuts) >= most // ENOUGH:
            break
    return cuts


def _chosen(worst: list[Worst], earlier: GroupCuts, most: int) -> GroupCuts:
    """Return the worst, up to `most`, of which no record is in too many."""
    seen = set(earlier.keys())
    used: dict[int, int] = defaultdict(int)
    chosen = GroupCuts.of(0)
    for _, kind, rows in worst:
        cut = GroupCuts.of(kind, [rows])
        key = cut.keys()[0]
        if key in seen or max(used[row] for row in rows) >= MOST_OF_A_RECORD:
            continue
        seen.add(key)
        chosen = chosen.plus(cut)
        for row in rows:
            used[row] += 1
        if len(chosen) == most:
            break
    return chosen


def violated_triples(
    groups: list[Rows], shares: Iterable[float], violation: float = VIOLATIONS[0]
) -> list[Worst]:
    """Return the triples that groups in these shares violate by more than `violation`.

    Examples
    --------
    >>> halves = [np.array([0, 1]), np.array([0, 2]), np.array([1, 2])]
    >>> violated_triples(halves, [0.5, 0.5, 0.5])
    [(-0.5, 0, [0, 1, 2])]
    """
    return [
        (1 - weight, 0, list(triple))
        for triple, weight in _weights(groups, shares).items()
        if weight > 1 + violation
    ]


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


def violated_sets(
    groups: list[Rows],
    shares: Floats,
    n: int,
    kinds: range,
    seed: int,
    ticker: Ticker,
    violation: float = VIOLATIONS[0],
) -> list[Worst]:
    """Return cuts of more than three records that groups in these shares violate, each once.

    Examples
    --------
    >>> pairs = [np.array(rows) for rows in combinations(range(5), 2)]
    >>> violated_sets(pairs, np.full(10, 0.25), 5, SMALL_KINDS, 0, np.zeros(2, dtype=np.int64))
    [(-0.25, 6, [0, 1, 2, 3, 4])]
    """
    mixture = mixture_of(groups, shares, n)
    roots = np.flatnonzero(np.diff(mixture.near_first) > 1)
    if roots.size == 0:
        return []
    count = max(min(STARTS, STARTS_OF_A_RECORD * roots.size), roots.size)
    starts, worst = np.resize(roots, count), {}
    for number in kinds:
        kind = KINDS[number]
        weights = np.array(kind.weights)
        rows = np.empty((starts.size, weights.size), dtype=np.int64)
        totals = np.zeros(starts.size)
        stream = np.array([seed], dtype=np.uint64)
        kernels.search_sets(mixture, weights, kind.modulus, starts, stream, rows, totals, ticker)
        for at in np.flatnonzero(totals > kind.limit * (1 + violation)).tolist():
            order = np.lexsort((rows[at], -weights))  # records of equal weights in order
            key = (number, *rows[at][order].tolist())
            worst[key] = 1 - float(totals[at]) / kind.limit
    return [(by, number, rows) for (number, *rows), by in worst.items()]


def mixture_of(groups: list[Rows], shares: Floats, n: int) -> FractionalGroups:
    """Return groups of n records as the kernels take them, with the groups and neighbours of each."""
    of_record: list[list[int]] = [[] for _ in range(n)]
    near: list[set[int]] = [set() for _ in range(n)]
    for number, rows in enumerate(groups):
        members = rows.tolist()
        for row in members:
            of_record[row].append(number)
            near[row].update(members)
    others = [sorted(joined - {row}) for row, joined in enumerate(near)]
    mixture: FractionalGroups = kernels.FractionalGroups(
        shares, *_joined(of_record), *_joined(others)
    )
    return mixture


def _joined(lists: list[list[int]]) -> tuple[Rows, Rows]:
    """Return where each list begins, and all lists in a row."""
    first = np.cumsum([0, *map(len, lists)])
    return first, np.array(list(chain.from_iterable(lists)), dtype=np.int64)
