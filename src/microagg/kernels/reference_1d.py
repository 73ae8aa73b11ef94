"""The kernels on sorted values again in plain Python and NumPy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bits = NDArray[np.uint8]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]

Entry = Callable[[int, int], float]


def labels_of(cuts: list[int], n: int) -> Labels:
    """Labels of n sorted values cut before each of the positions."""
    starts = np.zeros(n, dtype=np.int32)
    starts[[cut for cut in cuts if 0 < cut < n]] = 1
    return np.cumsum(starts, dtype=np.int32)


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


def cut_widest_gaps(values: Floats, k: int) -> Labels:
    """Cut at the widest gap that leaves k on both sides, then each part again."""
    return labels_of(_widest(values, 0, k), values.size)


def _widest(values: Floats, offset: int, k: int) -> list[int]:
    n = values.size
    if n < 2 * k:
        return []
    cut = k + int(np.argmax(np.diff(values)[k - 1 : n - k]))
    return [
        offset + cut,
        *_widest(values[:cut], offset, k),
        *_widest(values[cut:], offset + cut, k),
    ]


def cut_widest_sum(values: Floats, k: int) -> Labels:
    """Cut into groups of k to 2k-1 so that the gaps cut are widest together."""
    n = values.size
    total, start = np.zeros(n + 1), [0] * (n + 1)
    for end in range(2 * k, n + 1):
        total[end - k] += values[end - k] - values[end - k - 1]
        low = max(k, end - 2 * k + 1)
        start[end] = low + int(np.argmax(total[low : end - k + 1]))
        total[end] = total[start[end]]
    cuts, end = [], n
    while end > 0:
        end = start[end]
        cuts.append(end)
    return labels_of(cuts, n)


SWEEPS = 10_000


def settle(values: Floats, k: int, cuts: Rows) -> float:
    """Move each cut to where the two groups beside it lose least; returns the SSE."""
    moved, sweeps = True, 0
    while moved and sweeps < SWEEPS:
        moved, sweeps = False, sweeps + 1
        for i in range(1, cuts.size - 1):
            begin, now, end = (int(cut) for cut in cuts[i - 1 : i + 2])
            cuts[i] = _best_cut(values[begin:end] - values[begin], k, now - begin) + begin
            moved |= int(cuts[i]) != now
    total = 0.0
    for begin, end in pairwise(cuts):
        total += squares(values[begin:end])
    return total


def _best_cut(values: Floats, k: int, now: int) -> int:
    n = values.size
    sums = np.cumsum(values)
    sizes = np.arange(1, n)
    apart = (sums[-1] - sums[:-1]) / (n - sizes) - sums[:-1] / sizes
    gains = sizes * (n - sizes) / n * (apart * apart)
    best, found = gains[now - 1], now
    for cut in range(max(k, n - 2 * k + 1), min(n - k, 2 * k - 1) + 1):
        if gains[cut - 1] > best * (1 + 1e-12):
            best, found = gains[cut - 1], cut
    return found


def squares(values: Floats) -> float:
    """Sum of squared differences from the mean, added in order."""
    mean = values[0] + np.cumsum(values - values[0])[-1] / values.size
    return float(np.cumsum((values - mean) ** 2)[-1])


def mend(bits: Bits, k: int) -> None:
    """Make every group hold k to 2k-1: drop a 1 that comes too early, add one that is due."""
    n, begin = bits.size, 0
    wanted = np.flatnonzero(bits)
    bits[:] = 0
    bits[0] = 1
    while n - begin >= 2 * k:
        latest = min(begin + 2 * k - 1, n - k)
        place = np.searchsorted(wanted, begin + k)
        early = place < wanted.size and wanted[place] <= latest
        begin = int(wanted[place]) if early else latest
        bits[begin] = 1


def loss(values: Floats, bits: Bits) -> float:
    """Sum of squares within the groups of a mended string, added in order."""
    bounds = [*np.flatnonzero(bits).tolist(), values.size]
    total = 0.0
    for begin, end in pairwise(bounds):
        total += squares(values[begin:end])
    return total


def next_generation(
    values: Floats, k: int, population: Bits, losses: Floats, chances: Floats, crossover: float
) -> tuple[Bits, Floats]:
    """Breed as many children as there are; the best parent is the first child."""
    m, n = population.shape
    children, found = np.empty_like(population), np.empty_like(losses)
    best = int(np.argmin(losses))
    children[0], found[0] = population[best], losses[best]
    for child in range(1, m):
        a, b, c, d = (int(chance * m) for chance in chances[child, :4])
        mother = min((losses[a], a), (losses[b], b))[1]
        father = min((losses[c], c), (losses[d], d))[1]
        point = int(chances[child, 5] * n) if chances[child, 4] < crossover else n
        children[child] = np.concatenate([population[mother, :point], population[father, point:]])
        for flip in chances[child, 6:]:
            children[child, int(flip * n)] ^= 1
        mend(children[child], k)
        found[child] = loss(values, children[child])
    return children, found
