"""Sums over chunks of one size, of records that tasks read anywhere: the same bits as in memory.

Sums of rounded numbers depend on where they are cut. So a task sums the chunks that lie wholly in what
it reads, and keeps the records at both ends, which the chunks of its neighbours need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.prepare import moments
from microagg.typing import Floats

Summing = Callable[[Floats], Floats]
"""Returns the sums, float64[s], of a chunk float64[a, m]."""


class Chunks:
    """The sums of the chunks of one column.

    Parameters
    ----------
    start : int
        How many values of the column come before the first one that is added.
    summing : callable
        Sums one chunk.
    """

    def __init__(self, start: int, summing: Summing) -> None:
        self._next, self._summing = start, summing
        self._lead: list[Floats] = []
        self._waiting: list[Floats] = []
        self._sums: list[Floats] = []
        self._whole = start % moments.CHUNK == 0  # whether a chunk has begun here

    def add(self, values: Floats) -> None:
        """Take note of more values, float64[a, m], in order."""
        while values.shape[1]:
            room = moments.CHUNK - self._next % moments.CHUNK
            part, values = values[:, :room], values[:, room:]
            self._next += part.shape[1]
            (self._waiting if self._whole else self._lead).append(part.copy())
            if self._next % moments.CHUNK == 0:
                if self._whole:
                    self._sums.append(self._summing(np.concatenate(self._waiting, axis=1)))
                    self._waiting = []
                self._whole = True

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return it as arrays, for the work folder."""
        empty = np.empty((0, 0))
        return {
            f"{name}.lead": np.concatenate(self._lead, axis=1) if self._lead else empty,
            f"{name}.tail": np.concatenate(self._waiting, axis=1) if self._waiting else empty,
            f"{name}.sums": np.array(self._sums),
        }


def joined_chunks(
    parts: Iterable[Mapping[str, NDArray[Any]]], name: str, summing: Summing
) -> list[Floats]:
    """Return the sums of all chunks from what tasks have kept, in order."""
    total: list[Floats] = []
    waiting: list[Floats] = []
    for part in parts:
        lead, tail, sums = (part[f"{name}.{what}"] for what in ("lead", "tail", "sums"))
        if lead.size:
            waiting.append(lead)
        if waiting and (sum(w.shape[1] for w in waiting) == moments.CHUNK):
            total.append(summing(np.concatenate(waiting, axis=1)))
            waiting = []
        total.extend(sums)
        if tail.size:
            waiting.append(tail)
    if waiting:
        total.append(summing(np.concatenate(waiting, axis=1)))
    return total


def sums_of_chunk(values: Floats) -> Floats:
    """Return weight, mean and squares of a chunk: values, and weights if there are any."""
    return np.array(moments.sums_of(values[0], values[1] if len(values) > 1 else None))


def codes_of_chunk(count: int) -> Summing:
    """Return the function that sums the weight of each code of a chunk."""

    def summing(values: Floats) -> Floats:
        return np.bincount(values[0].astype(np.int64), values[1], count).astype(np.float64)

    return summing


def total_of_chunk(values: Floats) -> Floats:
    """Return the sum of a chunk."""
    return np.array([values[0].sum()])
