"""k-Ward on sorted values again in plain NumPy: every pair of groups is looked at."""

from __future__ import annotations

import heapq
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from tests.twins.line.cuts_1d import squares

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]


def k_ward_1d(values: Floats, bounds: list[int], k: int) -> Labels:
    """Label sorted values by k-Ward on each of the pieces; groups are numbered by first row."""
    groups: list[Rows] = []
    for begin, end in pairwise(bounds):
        groups += _k_ward(values, np.arange(begin, end), k)
    labels = np.empty(values.size, dtype=np.int32)
    for label, rows in enumerate(sorted(groups, key=lambda rows: int(rows[0]))):
        labels[rows] = label
    return labels


def _k_ward(values: Floats, rows: Rows, k: int) -> list[Rows]:
    """Group some rows; groups of 2k and more are grouped again."""
    if rows.size < 2 * k:
        return [rows]
    merged = _Merging(values[rows], k).run()
    return [inner for group in merged for inner in _k_ward(values, rows[group], k)]


class _Merging:
    """Groups of sorted values, each at its lowest position, until every one holds k."""

    def __init__(self, values: Floats, k: int) -> None:
        n = values.size
        self.k = k
        self.size, self.mean = np.zeros(n, dtype=np.int64), values.copy()
        self.members = {i: [i] for i in range(k, n - k)}
        self.size[k : n - k] = 1
        for begin in (0, n - k):
            self.size[begin] = k
            differences = values[begin : begin + k] - values[begin]
            self.mean[begin] += np.cumsum(differences)[-1] / k
            self.members[begin] = list(range(begin, begin + k))
        self.partner = np.full(n, -1)
        self.cost = np.full(n, np.inf)

    def run(self) -> list[Rows]:
        """Return the rows of each group."""
        for _, equal in groupby(sorted(self.members), key=lambda a: float(self.mean[a])):
            self._merge_equal(list(equal))
        for a in self.members:
            self._look_at_all(a)
        while (small := self._small()).size:
            ties = small[self.cost[small] == self.cost[small].min()]
            a = min(ties, key=lambda a: self._order(int(a), int(self.partner[a])))
            self._merge_and_look(int(a), int(self.partner[a]))
        return [np.array(sorted(rows)) for rows in self.members.values()]

    def _small(self) -> Rows:
        return np.flatnonzero((self.size > 0) & (self.size < self.k))

    def _order(self, a: int, b: int) -> tuple[int, int, int]:
        """Which of the pairs that add the same comes first."""
        return int(self.size[a] + self.size[b]), min(a, b), max(a, b)

    def _merge_equal(self, groups: list[int]) -> None:
        """Merge groups of one mean, the two smallest first, while one of them is small."""
        heap = [(int(self.size[a]), a) for a in groups]
        heapq.heapify(heap)
        while len(heap) > 1 and heap[0][0] < self.k:
            merged = self._merge(heapq.heappop(heap)[1], heapq.heappop(heap)[1])
            heapq.heappush(heap, (int(self.size[merged]), merged))

    def _merge(self, a: int, b: int) -> int:
        low, high = (a, b) if self.mean[a] <= self.mean[b] else (b, a)
        total = self.size[a] + self.size[b]
        moved = (self.mean[high] - self.mean[low]) * (self.size[high] / total)
        kept, gone = min(a, b), max(a, b)
        self.mean[kept] = min(self.mean[low] + moved, self.mean[high])
        self.members[kept] += self.members.pop(gone)
        self.size[kept], self.size[gone] = total, 0
        return kept

    def _added(self, a: int, others: Rows) -> Floats:
        sizes = self.size[others]
        factor = self.size[a] * sizes / (self.size[a] + sizes)
        costs: Floats = factor * (self.mean[a] - self.mean[others]) ** 2
        return costs

    def _look_at_all(self, a: int) -> None:
        if self.size[a] < self.k:
            others = np.flatnonzero(self.size)
            others = others[others != a]
            costs = self._added(a, others)
            ties = others[costs == costs.min()]
            self.cost[a] = costs.min()
            self.partner[a] = min(ties, key=lambda b: self._order(a, int(b)))

    def _merge_and_look(self, a: int, b: int) -> None:
        merged = self._merge(a, b)
        small = self._small()
        small = small[small != merged]
        nearer = self._added(merged, small) <= self.cost[small]
        again = nearer | np.isin(self.partner[small], (a, b))
        for c in (*small[again], merged):
            self._look_at_all(int(c))


def pieces(values: Floats, k: int, parts: int, theta: float | str) -> list[int]:
    """Bounds of the pieces that kWR divides sorted values into."""
    return [0, *_ends(values, 0, k, parts, theta, -1.0 if isinstance(theta, str) else theta)]


def _ends(
    values: Floats, offset: int, k: int, parts: int, theta: float | str, limit: float
) -> list[int]:
    n = values.size
    if n < 2 * k * parts or (whole := squares(values)) == 0:
        return [offset + n]
    cuts = [part * n // parts for part in range(parts + 1)]
    share = sum(squares(values[a:b]) for a, b in pairwise(cuts)) / whole
    if share < limit:
        return [offset + n]
    below = share if isinstance(theta, str) else theta
    return [
        end
        for a, b in pairwise(cuts)
        for end in _ends(values[a:b], offset + a, k, parts, theta, below)
    ]
