"""Parts that do not depend on each other, done by threads: what comes out is the same for any number.

The compiled loops run without the interpreter's lock, so threads do help.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from microagg.context import Context

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(
    work: Callable[[Item, Context], Result], items: Iterable[Item], context: Context, threads: int
) -> Generator[Result, None, None]:
    """Yield what `work` makes of each item, in order, while up to `threads` of them are at work.

    Once one has failed, or the user has interrupted them, all others end early.

    Examples
    --------
    >>> list(side_by_side(lambda item, context: item**2, range(5), Context.of(), threads=2))
    [0, 1, 4, 9, 16]
    """
    apart = context.apart()
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item, apart))
                if len(waiting) > 2 * threads:  # results do not pile up behind a slow part
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            apart.budget.cancel()
            pool.shutdown(wait=False, cancel_futures=True)
