"""How a method finds near and far records: by scans over all of them, on a tree, or on a GPU.

All give the same labels, record for record. "auto" takes the tree where it is faster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from microagg.engine import Engine
from microagg.lazy import lazy

gpu = lazy("microagg.cuda.grouping")
space = lazy("microagg.kernels.space.records")

Index = Literal["auto", "brute", "tree"]
"""Scans over all records left ("brute"), a tree that forgets those grouped ("tree"), or the faster
of the two for so many records and columns ("auto"). The labels are the same."""

FEW = 20_000
"""Fewer records are scanned: that takes a fraction of a second, and the tree has to be compiled."""

PER_COLUMN = 1_000
"""Each column asks for so many records more: in many columns a tree passes over less."""


def kind_of(index: str, n: int, d: int) -> str:
    """Return "brute" or "tree" for n records of d columns.

    Examples
    --------
    >>> kind_of("auto", 1_000, 2), kind_of("auto", 100_000, 10), kind_of("brute", 100_000, 10)
    ('brute', 'tree', 'brute')
    """
    if index != "auto":
        return index
    return "tree" if n >= FEW + PER_COLUMN * d else "brute"


def on_records(
    kernel: Callable[..., Any], index: str, engine: Engine = "cpu"
) -> Callable[..., Any]:
    """Return `kernel` for calls without its first argument, the keeper of all records.

    With the engine "cuda" this is the kernel's version for a GPU, which scans.
    """
    if engine == "cuda":
        on_gpu: Callable[..., Any] = gpu.IMPLEMENTATIONS[kernel.__name__]
        return on_gpu
    keepers = space.KEEPERS

    def run(columns: Any, *arguments: Any) -> Any:
        keeper = keepers[kind_of(index, columns.shape[1], columns.shape[0])]
        return kernel(keeper(columns), columns, *arguments)

    return run
