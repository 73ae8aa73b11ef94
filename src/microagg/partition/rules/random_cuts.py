"""Random partitions of ranked values, where searches start."""

from __future__ import annotations

import numpy as np

from microagg.typing import Rows


def random_cuts(n: int, k: int, rng: np.random.Generator) -> Rows:
    """Return where groups of k to 2k-1 of n values begin, and n.

    The number of groups is drawn first, evenly from what is possible; then each value beyond k a
    group is given to one of the groups that have room.

    Examples
    --------
    >>> random_cuts(6, 3, np.random.default_rng(0))
    array([0, 3, 6])
    """
    groups = int(rng.integers(-(-n // (2 * k - 1)), n // k + 1))
    room = np.arange(groups * (k - 1)) // (k - 1)
    extra = rng.choice(room, size=n - groups * k, replace=False)
    sizes = k + np.bincount(extra, minlength=groups)
    return np.concatenate([[0], np.cumsum(sizes)])
