"""The kernels of `kernels/fixed` in plain NumPy: short, obviously right, compared label for label.

Sums run in the same order as in the kernels, so that exact ties are resolved alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.twins.space import Floats, Labels, Rows, distances, farthest, nearest


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


def density_seeded(columns: Floats, k: int) -> Labels:
    """Form the neighbourhood of least error again and again while k records are left."""
    labels = np.full(columns.shape[1], -1, dtype=np.int32)
    known: dict[int, tuple[float, Rows]] = {}
    n_groups = labels.size // k
    for label in range(n_groups):
        left = np.flatnonzero(labels < 0)
        for row in left.tolist():
            if row not in known:
                members = grow_nearest_to_seed(columns, left, row, k)
                known[row] = (_spread(columns, members), members)
        _, _, densest = min((known[row][0], row, known[row][1].tolist()) for row in left.tolist())
        labels[densest] = label
        known = {row: found for row, found in known.items() if (labels[found[1]] < 0).all()}
    place_leftovers(columns, np.flatnonzero(labels < 0), n_groups, "nearest", labels)
    return labels


def _spread(columns: Floats, members: Rows) -> float:
    """Sum of squared distances of some records to their mean, added one by one."""
    total = np.zeros(columns.shape[0])
    for row in members:
        total += columns[:, row]
    return float(np.add.accumulate(distances(columns, members, total / members.size))[-1])


def iamat(columns: Floats, k: int) -> Labels:
    """Groups of k around the record left that is farthest from the mean of all; rest to the last."""
    order = farthest_from_mean(columns)
    labels = np.full(order.size, -1, dtype=np.int32)
    for label in range(order.size // k):
        seed = int(order[labels[order] < 0][0])
        labels[grow_nearest_to_centroid(columns, np.flatnonzero(labels < 0), seed, k)] = label
    labels[labels < 0] = order.size // k - 1
    return labels


def farthest_from_mean(columns: Floats) -> Rows:
    """Rows by falling distance to the mean of all records; ties to the lowest row."""
    total = np.array([np.add.accumulate(column)[-1] for column in columns])
    everyone = np.arange(columns.shape[1])
    gaps = distances(columns, everyone, total / everyone.size)
    return np.argsort(-gaps, kind="stable")


def v_mdav(columns: Floats, k: int, gamma: float) -> Labels:
    """Groups of k around the record left that is farthest from the mean of all, each extended."""
    order = farthest_from_mean(columns)
    labels = np.full(order.size, -1, dtype=np.int32)
    label = 0
    while (left := np.flatnonzero(labels < 0)).size >= k:
        seed = int(order[labels[order] < 0][0])
        labels[grow_nearest_to_seed(columns, left, seed, k)] = label
        _extend(columns, label, k, gamma, labels)
        label += 1
    for row in left:
        labels[row] = labels[nearest(columns, np.flatnonzero(labels >= 0), columns[:, row], 1)[0]]
    return labels


def _extend(columns: Floats, label: int, k: int, gamma: float, labels: Labels) -> None:
    """Add up to k-1 records that are nearer to the group than gamma times to any other left."""
    for _ in range(k - 1):
        left = np.flatnonzero(labels < 0)
        if left.size < 2:
            return
        members = np.flatnonzero(labels == label)
        gaps = np.min([distances(columns, left, columns[:, row]) for row in members], axis=0)
        row = left[np.argmin(gaps)]
        to_others = distances(columns, left[left != row], columns[:, row]).min()
        if not gaps.min() < gamma * to_others:
            return
        labels[row] = label


def neighbour_distances(columns: Floats, rows: Rows, m: int) -> Floats:
    """Squared distances of some records to their m nearest others, nearest first."""
    everyone = np.arange(columns.shape[1])
    all_of_them = [np.sort(distances(columns, everyone, columns[:, row])) for row in rows]
    return np.array(all_of_them)[:, 1 : m + 1]
