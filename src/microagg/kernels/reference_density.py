"""DBA-1 again in plain NumPy: every neighbourhood looked at anew for every group."""

from __future__ import annotations

import numpy as np

from microagg.kernels.reference import (
    Floats,
    Labels,
    Rows,
    distances,
    grow_nearest_to_seed,
    place_leftovers,
)


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
