"""Sharing work over records among threads; the result does not depend on their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, TypeVar

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
    """Return the number of threads: the value of the variable, or the number of processors.

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
    """Distribute the records 0 .. n-1 over parts in turn, and process each part.

    Examples
    --------
    >>> spread(lambda rows: rows.tolist(), 20)
    [[0, 2, 4, 6, 8, 10, 12, 14, 16, 18], [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]]
    """
    parts = min(PARTS, -(-n // FEWEST))
    return in_threads(work, [np.arange(part, n, parts, dtype=np.int64) for part in range(parts)])


def in_stretches(work: Callable[[slice], Result], n: int) -> list[Result]:
    """Divide the records 0 .. n-1 into consecutive ranges, and process each range.

    Examples
    --------
    >>> in_stretches(lambda part: (part.start, part.stop), 40)
    [(0, 13), (13, 26), (26, 40)]
    """
    parts = min(PARTS, -(-n // FEWEST))
    ends = [n * part // parts for part in range(1, parts + 1)]
    return in_threads(
        work, [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    )


def in_threads(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """Process each part, in several threads if there are several parts.

    Examples
    --------
    >>> in_threads(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    count = workers()
    if min(count, len(parts)) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(work, parts))


class Locks:
    """Locks by name, each made when it is first asked for. Copies and pickles have locks of their own.

    Examples
    --------
    >>> locks = Locks()
    >>> with locks.of("a"), locks.of("b"), locks.of("a"):
    ...     pass
    """

    def __init__(self) -> None:
        self._locks: dict[str, AbstractContextManager[Any]] = {}
        self._own = threading.Lock()

    def of(self, name: str) -> AbstractContextManager[Any]:
        """Return the lock of a name, which its thread may take again."""
        with self._own:
            return self._locks.setdefault(name, threading.RLock())

    def __reduce__(self) -> Any:
        return Locks, ()
