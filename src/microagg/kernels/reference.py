"""The kernels again in plain NumPy: short, obviously right, and compared label for label.

Every sum runs in the same order as in the kernel, so that even exact ties fall alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]


def distances(columns: Floats, rows: Rows, point: Floats) -> Floats:
    """Squared distances of `rows` to `point`, summed over the attributes in order."""
    out = np.zeros(rows.size)
    for j in range(columns.shape[0]):
        out += (columns[j, rows] - point[j]) ** 2
    return out


def farthest(columns: Floats, left: Rows, point: Floats) -> int:
    """Row of `left` farthest from `point`; `left` is sorted, so ties go to the lowest row."""
    return int(left[np.argmax(distances(columns, left, point))])


def nearest(columns: Floats, left: Rows, point: Floats, m: int) -> Rows:
    """Rows of the m records of `left` nearest to `point`, nearest first."""
    near = distances(columns, left, point)
    if m < left.size:  # keep ties of the m-th, then sort those few
        left = left[near <= np.partition(near, m - 1)[m - 1]] if m else left[:0]
        near = distances(columns, left, point)
    return left[np.argsort(near, kind="stable")[:m]]


def grow_nearest_to_seed(columns: Floats, left: Rows, seed: int, k: int) -> Rows:
    """NN: the seed and the k-1 records nearest to it."""
    others = left[left != seed]
    return np.append(seed, nearest(columns, others, columns[:, seed], k - 1))


def grow_nearest_to_centroid(columns: Floats, left: Rows, seed: int, k: int) -> Rows:
    """NC: the seed, then one by one the record nearest to the group's running mean."""
    members = [seed]
    others = left[left != seed]
    total = columns[:, seed].copy()
    while len(members) < k:
        member = int(nearest(columns, others, total / len(members), 1)[0])
        members.append(member)
        others = others[others != member]
        total += columns[:, member]
    return np.array(members)


GROWTH: dict[str, Callable[[Floats, Rows, int, int], Rows]] = {
    "nn": grow_nearest_to_seed,
    "nc": grow_nearest_to_centroid,
}


def centroid_seeded(
    columns: Floats, k: int, *, opposite: bool, growth: str, leftovers: str
) -> Labels:
    """Groups seeded by the record farthest from the centroid of what is left."""
    labels = np.full(columns.shape[1], -1, dtype=np.int32)
    left = np.arange(labels.size)
    total = np.array([np.add.accumulate(column)[-1] for column in columns])
    enough = 2 * k if leftovers == "group" else k
    label = 0

    def form(seed: int) -> None:
        nonlocal left, total, label
        members = GROWTH[growth](columns, left, seed, k)
        labels[members] = label
        left = left[labels[left] < 0]
        for member in members:
            total = total - columns[:, member]
        label += 1

    while left.size >= enough:
        seed = farthest(columns, left, total / left.size)
        form(seed)
        if opposite and left.size >= enough:
            form(farthest(columns, left, columns[:, seed]))
    place_leftovers(columns, left, label, leftovers, labels)
    return labels


def place_leftovers(columns: Floats, left: Rows, label: int, rule: str, labels: Labels) -> None:
    """Put the records left in one more group, or one by one in the group of nearest mean."""
    if rule == "group" or label == 0:
        labels[left] = label
        return
    totals = np.array([_total(columns, np.flatnonzero(labels == g)) for g in range(label)]).T
    sizes = np.bincount(labels[labels >= 0])
    while left.size:
        gaps = np.array(
            [distances(totals / sizes, np.arange(label), columns[:, row]) for row in left]
        )
        record, group = np.unravel_index(np.argmin(gaps), gaps.shape)
        labels[left[record]] = group
        totals[:, group] += columns[:, left[record]]
        sizes[group] += 1
        left = np.delete(left, record)


def _total(columns: Floats, rows: Rows) -> Floats:
    total = np.zeros(columns.shape[0])
    for row in rows:
        total += columns[:, row]
    return total


def reference_seeded(
    columns: Floats,
    k: int,
    *,
    references: tuple[Floats, Floats],
    growth: str,
    sorted_leftovers: bool,
) -> Labels:
    """Groups around the records left that are farthest from two fixed points, in turn."""
    everyone = np.arange(columns.shape[1])
    orders = [np.argsort(-distances(columns, everyone, r), kind="stable") for r in references]
    labels = np.full(everyone.size, -1, dtype=np.int32)
    n_groups = everyone.size // k
    for label in range(n_groups):
        order = orders[label % 2]
        seed = int(order[labels[order] < 0][0])
        labels[GROWTH[growth](columns, np.flatnonzero(labels < 0), seed, k)] = label
    if not sorted_leftovers:
        place_leftovers(columns, np.flatnonzero(labels < 0), n_groups, "nearest", labels)
        return labels
    totals = np.array([_total(columns, np.flatnonzero(labels == g)) for g in range(n_groups)]).T
    sizes = np.bincount(labels[labels >= 0])
    for row in orders[1][labels[orders[1]] < 0]:
        group = nearest(totals / sizes, np.arange(n_groups), columns[:, row], 1)[0]
        labels[row] = group
        totals[:, group] += columns[:, row]
        sizes[group] += 1
    return labels


def diameter_seeded(columns: Floats, k: int, *, growth: str, leftovers: str) -> Labels:
    """Groups around both ends of the longest distance among the records left."""
    labels = np.full(columns.shape[1], -1, dtype=np.int32)
    label = 0
    enough = 2 * k if leftovers == "group" else k
    while (left := np.flatnonzero(labels < 0)).size >= enough:
        gaps = np.array([distances(columns, left, columns[:, row]) for row in left])
        first, second = left[list(np.unravel_index(np.argmax(gaps), gaps.shape))]
        labels[GROWTH[growth](columns, left, int(first), k)] = label
        label += 1
        left = np.flatnonzero(labels < 0)
        if left.size >= enough:
            seed = second if labels[second] < 0 else left[0]
            labels[GROWTH[growth](columns, left, int(seed), k)] = label
            label += 1
    place_leftovers(columns, left, label, leftovers, labels)
    return labels


def gsms(columns: Floats, k: int, *, leftovers: str) -> Labels:
    """Of all records' candidate groups, take the one that leaves the least error."""
    labels = np.full(columns.shape[1], -1, dtype=np.int32)
    left, label = np.arange(labels.size), 0
    total = np.array([np.add.accumulate(column)[-1] for column in columns])
    enough = 2 * k if leftovers == "group" else k
    while left.size >= enough:
        groups = [grow_nearest_to_seed(columns, left, int(row), k) for row in left]
        sums = np.array([_total(columns, group) for group in groups])
        own, rest = np.zeros(left.size), np.zeros(left.size)
        for j in range(columns.shape[0]):
            own += sums[:, j] ** 2
            rest += (total[j] - sums[:, j]) ** 2
        value = own / k + (rest / (left.size - k) if left.size > k else 0.0)
        best = groups[int(np.argmax(value))]
        labels[best] = label
        for row in best:
            total = total - columns[:, row]
        left, label = left[labels[left] < 0], label + 1
    place_leftovers(columns, left, label, leftovers, labels)
    return labels
