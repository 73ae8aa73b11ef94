"""Paths and their best cut again in plain NumPy."""

from __future__ import annotations

import numpy as np

from tests.twins.space import Floats, Labels, Rows, distances, farthest, nearest


def cut_path(columns: Floats, order: Rows, k: int) -> Labels:
    """Labels of the best cut of a path into groups of k to 2k-1 neighbours."""
    n = order.size
    errors = _errors(columns[:, order], min(2 * k - 1, n))
    best, starts = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    best[0] = 0.0
    for end in range(k, n + 1):
        sizes = np.arange(k, min(2 * k - 1, end) + 1)
        losses = best[end - sizes] + errors[sizes, end]
        at = int(np.argmin(losses))  # the first: the smallest group
        best[end], starts[end] = losses[at], end - sizes[at]
    labels = np.empty(n, dtype=np.int32)
    groups, end = [], n
    while end > 0:
        groups.append(order[starts[end] : end])
        end = int(starts[end])
    for label, rows in enumerate(reversed(groups)):
        labels[rows] = label
    return labels


def _errors(path: Floats, largest: int) -> Floats:
    """Error of the group of `size` records that ends before `end`, for every size and end."""
    d, n = path.shape
    means, error = np.zeros((d, n + 1)), np.zeros(n + 1)
    errors = np.zeros((largest + 1, n + 1))
    for size in range(1, largest + 1):
        for j in range(d):
            new = path[j, : n + 1 - size]
            t = new - means[j, size:]
            means[j, size:] += t * (1.0 / size)
            error[size:] += t * (new - means[j, size:])
        errors[size] = error
    return errors


def walk(points: Floats, start: int) -> Rows:
    """Nearest point next through float64[d, n]; ties to the lowest number."""
    order, left = [start], np.arange(points.shape[1])
    while (left := left[left != order[-1]]).size:
        order.append(int(nearest(points, left, points[:, order[-1]], 1)[0]))
    return np.array(order, dtype=np.int64)


def farthest_pair(points: Floats) -> tuple[int, int, float]:
    """The two points farthest apart, the lower first, and their squared distance."""
    everyone = np.arange(points.shape[1])
    gaps = np.array([distances(points, everyone, point) for point in points.T])
    first, second = np.unravel_index(np.argmax(gaps), gaps.shape)
    return int(first), int(second), float(gaps[first, second])


def through_groups(columns: Floats, labels: Labels) -> Rows:
    """Path through the groups, nearest mean next, and through their records, nearest next."""
    groups = [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
    means = np.array(
        [np.add.accumulate(columns[:, rows], axis=1)[:, -1] / rows.size for rows in groups]
    ).T
    low, high, gap = farthest_pair(means)
    order: list[int] = []
    for label in walk(means, high if gap > 0 else low):
        rows = groups[label]
        if not order:
            mean = np.add.accumulate(columns, axis=1)[:, -1] / labels.size
            start = farthest(columns, rows, mean)
        else:
            start = int(nearest(columns, rows, columns[:, order[-1]], 1)[0])
        order += rows[walk(columns[:, rows], int(np.searchsorted(rows, start)))].tolist()
    return np.array(order, dtype=np.int64)


def curve_order(cells: Rows, bits: int) -> Rows:
    """Rows in the order of the Hilbert curve through `cells`, int[d, n]; ties to the lowest row."""
    places = [cell.astype(np.int64) for cell in cells]
    for high in (1 << bit for bit in range(bits - 1, 0, -1)):
        for j in range(len(places)):
            both = np.where(places[j] & high, 0, (places[0] ^ places[j]) & (high - 1))
            flip = np.where(places[j] & high, high - 1, both)
            places[0] = places[0] ^ flip
            places[j] = places[j] ^ both if j else places[0]
    for j in range(1, len(places)):
        places[j] = places[j] ^ places[j - 1]
    turn = np.zeros_like(places[0])
    for bit in range(bits - 1, 0, -1):
        turn ^= np.where((places[-1] >> bit) & 1, (1 << bit) - 1, 0)
    digits = [((place ^ turn) >> bit) & 1 for bit in range(bits - 1, -1, -1) for place in places]
    return np.lexsort(digits[::-1])
