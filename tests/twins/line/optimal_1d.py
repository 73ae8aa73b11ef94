"""The exact partition of sorted values in plain Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.twins.line.cuts_1d import Floats, Labels, labels_of

Entry = Callable[[int, int], float]


def optimal_1d(values: Floats, k: int) -> Labels:
    """Groups of k to 2k-1 sorted values with the least sum of squares."""
    n = values.size
    start = [0] * (n + 1)
    best = [0.0, *_sums_of_squares(values[: 2 * k - 1])[1]]
    for b in range(2 * k - 1, n, k):
        low, rows = max(k, b - 2 * k + 2), min(k, n - b)
        least = min(best[low:])
        best[low:] = [x - least for x in best[low:]]
        gap, inside = _sums_of_squares(np.concatenate([values[b : b + 1], values[low:b][::-1]]), 1)
        gap, inside = gap[::-1], inside[::-1]
        head = [x + y for x, y in zip(best[low:], inside, strict=True)]
        mean, tail = _sums_of_squares(values[b : b + rows])
        entry = _entry(head, gap, mean, k)
        minima = _row_minima(list(range(rows)), list(range(len(head))), entry)
        for r in range(rows):
            start[b + 1 + r] = low + minima[r]
            best.append(entry(r, minima[r]) + tail[r])
    cuts, end = [], n
    while end > 0:
        end = start[end]
        cuts.append(end)
    return labels_of(cuts, n)


def _sums_of_squares(values: Floats, skip: int = 0) -> tuple[list[float], list[float]]:
    """Of the first 1, 2, ... values after `skip`: how far their mean is from values[0], and SSE."""
    far = [abs(float(x) - float(values[0])) for x in values]
    means, squares = [0.0], [0.0]
    total = 0.0
    for m in range(1, len(far)):
        size = m + 1 - skip
        if size > 1:
            apart = far[m] - means[-1]
            squares.append(squares[-1] + apart * apart * ((size - 1) / size))
        else:
            squares.append(0.0)
        total += far[m]
        means.append(total / size)
    return means, squares


def _entry(head: list[float], gap: list[float], mean: list[float], k: int) -> Entry:
    def entry(r: int, c: int) -> float:
        before, after = len(head) - 1 - c, r + 1
        if before + after < k:
            return float(np.finfo(np.float64).max)
        if before + after >= 2 * k:
            return 1e300 * (2.0 - c / (2.0 * k))
        apart = gap[c] + mean[r]
        return head[c] + before * after / (before + after) * (apart * apart)

    return entry


def _row_minima(rows: list[int], columns: list[int], entry: Entry) -> dict[int, int]:
    """Leftmost minimum of each row of a totally monotone matrix (SMAWK)."""
    if not rows:
        return {}
    kept: list[int] = []
    for c in columns:
        while kept and entry(rows[len(kept) - 1], kept[-1]) > entry(rows[len(kept) - 1], c):
            kept.pop()
        if len(kept) < len(rows):
            kept.append(c)
    minima = _row_minima(rows[1::2], kept, entry)
    at = 0
    for q in range(0, len(rows), 2):
        last = kept.index(minima[rows[q + 1]]) if q + 1 < len(rows) else len(kept) - 1
        minima[rows[q]] = min(kept[at : last + 1], key=lambda c: entry(rows[q], c))
        at = last
    return minima
