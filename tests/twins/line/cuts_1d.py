"""Cuts of sorted values in plain NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]


def labels_of(cuts: list[int], n: int) -> Labels:
    """Labels of n sorted values cut before each of the positions."""
    starts = np.zeros(n, dtype=np.int32)
    starts[[cut for cut in cuts if 0 < cut < n]] = 1
    return np.cumsum(starts, dtype=np.int32)


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
