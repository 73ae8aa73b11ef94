"""How work over records is shared among threads; what comes out does not depend on how many."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")

PARTS, FEWEST = 64, 16
"""Into how many parts records are dealt: many, since a few records need most of the work; and how
many records a part has at least."""


def workers() -> int:
    """Return how many threads may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spread(work: Callable[[NDArray[np.int64]], Result], n: int) -> list[Result]:
    """Deal the records 0 .. n-1 into parts, in turn, and do the work of each part.

    Examples
    --------
    >>> spread(lambda rows: rows.tolist(), 20)
    [[0, 2, 4, 6, 8, 10, 12, 14, 16, 18], [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]]
    """
    parts = min(PARTS, -(-n // FEWEST))
    rows = [np.arange(part, n, parts, dtype=np.int64) for part in range(parts)]
    if parts == 1:
        return [work(rows[0])]
    with ThreadPoolExecutor(workers()) as threads:
        return list(threads.map(work, rows))
