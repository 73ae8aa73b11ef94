"""IAMAT again in plain NumPy."""

from __future__ import annotations

import numpy as np

from microagg.kernels.reference import Floats, Labels, Rows, distances, grow_nearest_to_centroid


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
