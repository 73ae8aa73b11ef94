"""How work over records is shared among threads; what comes out does not depend on how many."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from microagg.errors import ParameterError, shown

Part = TypeVar("Part")
Result = TypeVar("Result")

VARIABLE = "MICROAGG_THREADS"
"""The environment variable that sets in how many threads the kernels run that use several."""

PARTS, FEWEST = 64, 16
"""Into how many parts records are dealt: many, since a few records need most of the work; and how
many records a part has at least."""


def workers() -> int:
    """Return how many threads may run at once: as many as the variable says, or as there are processors.

    The variable is `MICROAGG_THREADS`. Processors that this process may not use do not count.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if text:
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            raise ParameterError(
                f"The environment variable {VARIABLE} must be a whole number of at least 1. "
                f"Got {shown(text)}.",
                hint="Set it to the number of threads to use, or unset it to use all processors.",
            )
        return int(text)
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
    return _each(work, [np.arange(part, n, parts, dtype=np.int64) for part in range(parts)])


def in_stretches(work: Callable[[slice], Result], n: int) -> list[Result]:
    """Cut the records 0 .. n-1 into stretches, and do the work of each stretch.

    Examples
    --------
    >>> in_stretches(lambda part: (part.start, part.stop), 40)
    [(0, 13), (13, 26), (26, 40)]
    """
    parts = min(PARTS, -(-n // FEWEST))
    ends = [n * part // parts for part in range(1, parts + 1)]
    return _each(work, [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)])


def _each(work: Callable[[Part], Result], parts: list[Part]) -> list[Result]:
    """Do the work of each part, in several threads where there are several parts."""
    count = workers()
    if min(count, len(parts)) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(work, parts))
