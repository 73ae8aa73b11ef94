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
neighbours = lazy("microagg.kernels.space.neighbours")
tree = lazy("microagg.kernels.space.index")
space = lazy("microagg.kernels.space.records")

Index = Literal["auto", "brute", "tree"]
"""Neighbour search by scans of all remaining records ("brute"), by a tree from which grouped records are
removed ("tree"), or by the faster of the two ("auto"). The labels are the same."""

FEW = 20_000
"""Fewer records are scanned, which takes a fraction of a second and needs no compiled tree."""

LARGEST = 100
"""The largest k for which the tree searches ahead of time."""

SHORTEST, LONGEST = 0.0002, 0.005
"""The shortest and the longest pause of an idle thread in seconds; pauses grow."""


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
        keeper = tree.index_that_looks_ahead(columns, arguments[0], threads)
        with _helped(keeper, arguments[0], threads):
            return kernel(keeper, columns, *arguments)

    return run


def on_neighbours(kernel: Callable[..., Any], index: str, threads: int) -> Callable[..., Any]:
    """As `on_records`, for a kernel that lists the neighbours of every record: in so many threads."""

    def run(columns: Any, k: int, *arguments: Any) -> Any:
        if kind_of(index, columns.shape[1]) == "brute":
            return kernel(space.KEEPERS["brute"](columns), columns, k, *arguments)
        keeper = neighbours.index_of_neighbours(columns, k, threads)
        with _helped(keeper, k, threads):
            return kernel(keeper, columns, k, *arguments)

    return run


@contextmanager
def _helped(keeper: Any, k: int, threads: int) -> Iterator[None]:
    """Let other threads help with the searches of a keeper, where they find the time."""
    over = threading.Event()
    helpers: list[threading.Thread] = []
    try:
        for _ in range(threads - 1):
            helper = threading.Thread(target=_help, args=(keeper, k, over), daemon=True)
            helper.start()
            helpers.append(helper)
        yield
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
