"""Parts that do not depend on each other, done by threads: what comes out is the same for any number.

The compiled loops run without the interpreter's lock, so threads do help.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from microagg.progress import Part, Progress

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Stoppable(Part):
    """A part that ends early once another has failed or the user has interrupted them all."""

    def __init__(self, stop: threading.Event) -> None:
        super().__init__()
        self._stop = stop

    def reach(self, done: int) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt


def side_by_side(
    work: Callable[[Item, Progress], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """Yield what `work` makes of each item, in order, while up to `threads` of them are at work.

    Examples
    --------
    >>> list(side_by_side(lambda item, progress: item**2, range(5), threads=2))
    [0, 1, 4, 9, 16]
    """
    stop = threading.Event()
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item, _Stoppable(stop)))
                if len(waiting) > 2 * threads:  # results do not pile up behind a slow part
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
