"""How work over records is shared among threads; what comes out does not depend on how many."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

PARTS = 64
"""Into how many parts records are dealt: many, since a few records need most of the work."""


def workers() -> int:
    """Return how many threads may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def parts_of(n: int) -> list[NDArray[np.int64]]:
    """Deal the numbers 0 .. n-1 into parts, in turn."""
    return [np.arange(part, n, PARTS, dtype=np.int64) for part in range(min(PARTS, n))]
