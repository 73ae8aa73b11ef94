"""V-MDAV again in plain NumPy."""

from __future__ import annotations

import numpy as np

from microagg.kernels.reference import (
    Floats,
    Labels,
    Rows,
    distances,
    grow_nearest_to_seed,
    nearest,
)
from microagg.kernels.reference_iamat import farthest_from_mean


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
