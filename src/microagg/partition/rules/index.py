"""How a method finds near and far records: by scans over all of them, on a tree, or on a GPU.

All give the same labels, record for record. "auto" takes the tree where it is faster.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from microagg.engine import Engine
from microagg.lazy import lazy

ahead = lazy("microagg.kernels.space.ahead")
gpu = lazy("microagg.cuda.grouping")
tree = lazy("microagg.kernels.space.index")
space = lazy("microagg.kernels.space.records")

Index = Literal["auto", "brute", "tree"]
"""Scans over all records left ("brute"), a tree that forgets those grouped ("tree"), or the faster
of the two for so many records and columns ("auto"). The labels are the same."""

FEW = 20_000
"""Fewer records are scanned: that takes a fraction of a second, and the tree has to be compiled."""

LARGEST = 100
"""The largest k for which the tree searches ahead of time."""

SHORTEST, LONGEST = 0.0002, 0.005
"""Seconds that a thread sleeps where there was nothing to do for a while: longer each time."""


def kind_of(index: str, n: int) -> str:
    """Return "brute" or "tree" for n records.

    Examples
    --------
    >>> kind_of("auto", 1_000), kind_of("auto", 100_000), kind_of("brute", 100_000)
    ('brute', 'tree', 'brute')
    """
    if index != "auto":
        return index
    return "tree" if n >= FEW else "brute"


def on_records(
    kernel: Callable[..., Any], index: str, engine: Engine = "cpu", *, threads: int = 0
) -> Callable[..., Any]:
    """Return `kernel` for calls without its first argument, the keeper of all records.

    With `threads`, the kernel takes k after the columns, and so many threads search the tree ahead of time.
    With the engine "cuda" this is the kernel's version for a GPU, which scans.
    """
    if engine == "cuda":
        on_gpu: Callable[..., Any] = gpu.IMPLEMENTATIONS[kernel.__name__]
        return on_gpu
    keepers = space.KEEPERS

    def run(columns: Any, *arguments: Any) -> Any:
        kind = kind_of(index, columns.shape[1])
        if kind == "brute" or not threads or arguments[0] > LARGEST:
            return kernel(keepers[kind](columns), columns, *arguments)
        with _searched_ahead(columns, arguments[0], threads) as keeper:
            return kernel(keeper, columns, *arguments)

    return run


@contextmanager
def _searched_ahead(columns: Any, k: int, threads: int) -> Iterator[Any]:
    """Yield a keeper of all records whose searches other threads help with, where they find the time."""
    keeper = tree.index_that_looks_ahead(columns, k, threads)
    over = threading.Event()
    helpers = [
        threading.Thread(target=_help, args=(keeper, k, over), daemon=True)
        for _ in range(threads - 1)
    ]
    for helper in helpers:
        helper.start()
    try:
        yield keeper
    finally:
        over.set()
        for helper in helpers:
            helper.join()


def _help(keeper: Any, k: int, over: threading.Event) -> None:
    """Help with searches until all is over."""
    pause = SHORTEST
    while not over.is_set():
        if ahead.assist(keeper.ahead, keeper.tree, keeper.copies.points, k):
            pause = SHORTEST
        else:
            time.sleep(pause)
            pause = min(2 * pause, LONGEST)
