"""Probabilistic record linkage, with weights estimated from the pairs of records.

Idea (Fellegi and Sunter 1969): each key of a pair of records agrees or not. EM estimates how often a key
agrees among true pairs (m) and among other pairs (u); agreement has the weight log(m/u), and disagreement
log((1-m)/(1-u)). Each released record is linked to the original records with the largest weight.
Choices: numbers agree if they lie in the same of ten classes of equal size of the original. Original
records with the same weight share the link evenly. If there are many records, the value is estimated
from evenly spaced released records.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from microagg.lazy import lazy
from microagg.measure.classes import classes_of_codes
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure
from microagg.threads import in_stretches
from microagg.typing import Floats

kernels = lazy("microagg.kernels.measure.patterns")

Codes = NDArray[np.int32]

MOST_KEYS = 16
"""The bits of a pattern."""

MOST_PAIRS = 50_000_000

MOST_COUNTS = 4_000_000
"""The maximum number of counts of patterns in memory."""

_CLASSES = 10
_ROUNDS = 200


@measure(
    "linkage-probabilistic",
    "Linked by probabilistic matching",
    kind="risk",
    summary="the share of released records whose best match is their own original, with a weight for "
    "each column that is learnt from the data",
    formula="100/n Σ_r P(own original has the largest weight Σ_j log m_j/u_j or "
    "log (1-m_j)/(1-u_j)); ties are shared evenly",
    source="Fellegi and Sunter 1969; Fayyoumi 2008, section 2.4.1",
)
def linkage_probabilistic(pair: Pair) -> float:
    """Return the share of records linked by weight, in percent."""
    before, after = coded_keys(pair)
    if len(before) > MOST_KEYS:
        raise NotApplicable(f"there are more than {MOST_KEYS} quasi-identifiers")
    if not before.size:
        raise NotApplicable("there are no quasi-identifiers")
    first, point_of = np.unique(classes_of_codes(after), return_index=True, return_inverse=True)[1:]
    points = after[:, first]
    chosen = _evenly(points.shape[1], max(1, MOST_PAIRS // pair.n))
    counts = PatternCounts(before, points[:, chosen])
    weights = _learnt(counts.total(np.bincount(point_of)[chosen]), *before.shape)
    best, ties = counts.best(weights)
    place = np.full(points.shape[1], -1)
    place[chosen] = np.arange(chosen.size)
    rows = np.flatnonzero(place[point_of] >= 0)
    own = weights[_patterns(before[:, rows], after[:, rows])]
    at = place[point_of[rows]]
    if rows.size < pair.n:
        pair.notes["linkage-probabilistic"] = (
            f"estimated from {rows.size:,} of {pair.n:,} released records"
        )
    return float(100 * np.sum((own == best[at]) / ties[at]) / rows.size)


def coded_keys(pair: Pair) -> tuple[Codes, Codes]:
    """Return both files as codes, int32[keys, n]; missing values have a separate code."""
    before: list[NDArray[np.int64]] = []
    after: list[NDArray[np.int64]] = []
    for original, released in zip(pair.original, pair.released, strict=True):
        limits = _limits(original[~np.isnan(original)])
        for values, codes in ((original, before), (released, after)):
            inside = np.searchsorted(limits, values, side="right")
            codes.append(np.where(np.isnan(values), -1, inside))
    before += [column.original for column in pair.categories.values()]
    after += [column.released for column in pair.categories.values()]
    return np.array(before, dtype=np.int32), np.array(after, dtype=np.int32)


def _limits(values: Floats) -> Floats:
    """Return the bounds between classes of equal size."""
    levels = np.arange(1, _CLASSES) / _CLASSES
    return np.unique(np.quantile(values, levels)) if values.size else np.empty(0)


def _evenly(m: int, most: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, m - 1, min(m, most)).round().astype(np.int64))


def _patterns(before: Codes, after: Codes) -> NDArray[np.uint16]:
    """Return which keys agree, as bits, for arrays that broadcast along the last axes."""
    patterns = np.zeros(np.broadcast_shapes(before.shape[1:], after.shape[1:]), dtype=np.uint16)
    for j in range(len(before)):
        patterns |= (before[j] == after[j]).astype(np.uint16) << np.uint16(j)
    return patterns


class PatternCounts:
    """The number of occurrences of each pattern between the records and each of some points.

    The counts are in memory for a few points at a time, or for all points if they are few.
    """

    def __init__(self, before: Codes, points: Codes) -> None:
        self.before, self.points = before, points
        each = max(1, MOST_COUNTS // 2 ** len(before))
        self._parts = [slice(at, at + each) for at in range(0, points.shape[1], each)]
        self._only = self._counts(self._parts[0]) if len(self._parts) == 1 else None

    def _counts(self, part: slice) -> Codes:
        points = np.ascontiguousarray(self.points[:, part])
        counts = np.empty((points.shape[1], 2 ** len(points)), dtype=np.int32)
        ticker = np.zeros(2, dtype=np.int64)

        def count(some: slice) -> None:
            own = np.ascontiguousarray(points[:, some])
            kernels.count_patterns(self.before, own, counts[some], ticker)

        in_stretches(count, len(counts))
        return counts

    def _each(self) -> Iterator[Codes]:
        yield from (
            self._counts(part) if self._only is None else self._only for part in self._parts
        )

    def total(self, sizes: NDArray[np.int64]) -> Floats:
        """Return the number of occurrences of each pattern over all points, with their multiplicities."""
        sums = (
            sizes[part] @ counts.astype(np.int64)
            for part, counts in zip(self._parts, self._each(), strict=True)
        )
        return np.asarray(sum(sums), dtype=np.float64)

    def best(self, weights: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Return the largest weight of each point, and the number of records with that weight."""
        best, ties = [], []
        for counts in self._each():
            own = np.where(counts > 0, weights, -np.inf)
            best.append(own.max(axis=1))
            ties.append(np.where(own == best[-1][:, None], counts, 0).sum(axis=1))
        return np.concatenate(best), np.concatenate(ties)


def _learnt(counts: Floats, keys: int, n: int) -> Floats:
    """Return the weight of each pattern, by EM over the counts of patterns."""
    agree = (np.arange(2**keys)[:, None] >> np.arange(keys)) & 1
    m, u = np.full(keys, 0.9), np.clip(counts @ agree / counts.sum(), _LEAST, 1 - _LEAST)
    share = 1 / n  # one pair in n is a true one
    for _ in range(_ROUNDS):
        likely = share * np.prod(np.where(agree, m, 1 - m), axis=1)
        other = (1 - share) * np.prod(np.where(agree, u, 1 - u), axis=1)
        true = counts * likely / (likely + other)
        old, share = share, float(true.sum() / counts.sum())
        m = np.clip(true @ agree / true.sum(), _LEAST, 1 - _LEAST)
        u = np.clip((counts - true) @ agree / (counts - true).sum(), _LEAST, 1 - _LEAST)
        if abs(old - share) <= 1e-9 * old:
            break
    weights: Floats = np.where(agree, np.log(m / u), np.log((1 - m) / (1 - u))).sum(axis=1)
    return np.round(weights, 9)  # so that sums in another order tie


_LEAST = 1e-6
