"""Grouping on a GPU: what `grouping.cu` needs, and what is done with its labels."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.engine import array_module
from microagg.errors import DataError
from microagg.lazy import lazy
from microagg.typing import Labels

fixed_size = lazy("microagg.kernels.fixed.fixed_size")
v_mdav_kernel = lazy("microagg.kernels.fixed.v_mdav")

SOURCE = Path(__file__).with_name("grouping.cu")

THREADS, BATCH, BLOCKS, ANSWER, NEXT = 512, 16, 146, 8, 5
"""As in the source; NEXT is the number of answers of a block for the next seed."""

MANY, WIDE = 200_000, 24
"""The kernel looks ahead from so many records on and up to so many columns; otherwise, it is slower."""

FEW = 1_500
"""Records of a block at least, where there are so many: fewer blocks agree sooner."""

STATIC = 48 * 1024
"""Bytes of shared memory that the kernels use at most besides what grows with the records."""

SINGLE = 2.0**-24
"""Half the distance of 1 to the next number of single precision."""

ROUNDS = 4_000
"""Rounds of one launch: between launches progress is shown and a stop is heard."""

GOLDEN = 0.6180339887
"""Records are dealt out to the blocks in steps of this share of all, so that neighbours are far apart."""

Ticker = NDArray[np.int64]


@cache
def _function(name: str, d: int) -> Any:
    module = array_module("cuda").RawModule(
        code=SOURCE.read_text(encoding="utf-8"),
        options=(f"-DD={d}", "--fmad=false", "--std=c++17"),
        enable_cooperative_groups=True,
    )
    return module.get_function(name)


def _too_many(n: int) -> Exception:
    return DataError(
        f"The GPU kernels support fewer than {n} records.", hint="Choose engine='cpu'."
    )


def _coprime(n: int) -> int:
    """Return a step near the golden section of n that visits each of n places once."""
    step = max(1, round(GOLDEN * n))
    while math.gcd(step, n) != 1:
        step += 1
    return step


class _Launcher:
    """The records of a task on the GPU, and how its kernel is launched again and again."""

    def __init__(self, columns: NDArray[np.float64]) -> None:
        d, n = columns.shape
        self._cupy = cupy = array_module("cuda")
        device = cupy.cuda.Device()
        self.blocks = max(1, min(device.attributes["MultiProcessorCount"], BLOCKS, n // FEW))
        self.capacity = -(-n // self.blocks)
        self.d, self.n = d, n
        self._points = cupy.ascontiguousarray(cupy.asarray(columns).T)
        self._centre = self._points.mean(axis=0)
        scale = 1 / (
            float(cupy.sqrt(((self._points - self._centre) ** 2).sum(axis=1).max())) or 1.0
        )
        self._deal(scale)
        blocks = self.blocks
        self._arrived = cupy.zeros(1, dtype=cupy.uint32)
        self.labels = cupy.full(n, -1, dtype=cupy.int32)
        self.total = cupy.asarray(np.array([np.cumsum(column)[-1] for column in columns]))
        self.state = cupy.asarray(np.array([n, 0, 0, 0, 1], dtype=np.int32))
        lists = 16 * BLOCKS * BATCH
        room = device.attributes["MaxSharedMemoryPerBlockOptin"] - STATIC - lists
        self._arrays = room // (4 * self.capacity)
        if self._arrays < 1:
            raise _too_many(n)
        self._lists = lists
        self._fixed = (
            self._points, self._screen, self._rows, self._places, self._lengths, self._centre,
            np.float64(scale), np.float32(2.5 * SINGLE), np.float32((d + 6) * SINGLE),
            np.int32(self.capacity),
        )  # fmt: skip
        answers = (2, blocks, BATCH + 1 + NEXT, ANSWER)
        self._exchange = (cupy.zeros(answers, dtype=cupy.uint32), self._arrived)

    def _deal(self, scale: float) -> None:
        """Deal the records out to the blocks."""
        n, blocks, capacity, cupy = self.n, self.blocks, self.capacity, self._cupy
        at = cupy.arange(n, dtype=cupy.int64)
        order = (at * _coprime(n) % n).astype(cupy.int32)
        block, place = at % blocks, at // blocks
        self._lengths = cupy.bincount(block, minlength=blocks).astype(cupy.int32)
        self._rows = cupy.zeros((blocks, capacity), dtype=cupy.int32)
        self._rows[block, place] = order
        self._places = cupy.empty(n, dtype=cupy.int32)
        self._places[order] = (block * capacity + place).astype(cupy.int32)
        self._screen = cupy.zeros((blocks, self.d, capacity), dtype=cupy.float32)
        for j in range(self.d):
            column = ((self._points[:, j] - self._centre[j]) * scale).astype(cupy.float32)
            self._screen[block, j, place] = column[order]

    def _looks_ahead(self, name: str, k: int, growth: int = 0, **_: Any) -> bool:
        """Return whether the kernel asks for the next seed's group along with each group."""
        fits = k - 1 + NEXT <= BATCH and self._arrays >= 2
        pays = self.n >= MANY and self.d <= WIDE
        return name == "centroid_seeded" and growth == 0 and fits and pays

    def run(self, name: str, ticker: Ticker, **task: Any) -> Labels:
        """Launch a kernel until it is finished or `ticker` says stop; return the labels so far."""
        function, cupy = _function(name, self.d), self._cupy
        looks_ahead = self._looks_ahead(name, **task)
        caches_rows = self._arrays >= 2 + looks_ahead
        memory = self._lists + 4 * self.capacity * (1 + looks_ahead + caches_rows)
        function.max_dynamic_shared_size_bytes = memory
        none = cupy.zeros(1, dtype=cupy.int32)
        arguments = (
            *self._fixed, np.int32(caches_rows), *self._exchange,
            np.int32(task["k"]), np.int32(task.get("opposite", 0)),
            np.int32(task.get("growth", 0)), np.int32(task["enough"]),
            np.float64(task.get("gamma", 0.0)), task.get("order", none),
            np.int32(ROUNDS), np.int32(looks_ahead), self.labels, self.total, self.state,
            task.get("members", np.uintp(0)), task.get("near", np.uintp(0)), task.get("gaps", np.uintp(0)),
        )  # fmt: skip
        while not ticker[1]:
            self._arrived[:] = 0
            function((self.blocks,), (THREADS,), arguments, shared_mem=memory)
            left, self.groups, _, finished, _ = map(int, self.state.get())
            ticker[0] = self.n - left
            if finished:
                break
        labels: Labels = self.labels.get()
        return labels


def centroid_seeded(
    columns: NDArray[np.float64],
    k: int,
    opposite: bool,
    growth: int,
    leftovers: int,
    ticker: Ticker,
) -> Labels:
    """As the kernel of the same name, on the GPU."""
    launcher = _Launcher(columns)
    enough = 2 * k if leftovers == 0 else k
    labels = launcher.run(
        "centroid_seeded", ticker, k=k, opposite=opposite, growth=growth, enough=enough
    )
    if not ticker[1]:
        left = np.flatnonzero(labels < 0)
        if leftovers == 0 or launcher.groups == 0:
            labels[left] = launcher.groups
        else:
            fixed_size.join_nearest_group(columns, left, launcher.groups, labels)
    return labels


def v_mdav(columns: NDArray[np.float64], k: int, gamma: float, ticker: Ticker) -> Labels:
    """As the kernel of the same name, on the GPU."""
    launcher, cupy = _Launcher(columns), array_module("cuda")
    scratch = (launcher.blocks, 2 * k)
    labels = launcher.run(
        "v_mdav",
        ticker,
        k=k,
        enough=k,
        gamma=gamma,
        order=cupy.asarray(_farthest_first(columns, launcher.total.get() / launcher.n)),
        members=cupy.empty(scratch, dtype=cupy.int32),
        near=cupy.empty(scratch, dtype=cupy.int32),
        gaps=cupy.empty(scratch),
    )
    if not ticker[1]:
        v_mdav_kernel.join_nearest_record(columns, labels)
    return labels


def _farthest_first(columns: NDArray[np.float64], point: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the rows by falling distance to a point, the lowest of equals first."""
    distances = np.zeros(columns.shape[1])
    for column, at in zip(columns, point, strict=True):
        distances += (column - at) ** 2
    return np.argsort(-distances, kind="stable").astype(np.int32)


IMPLEMENTATIONS: dict[str, Callable[..., Labels]] = {
    "centroid_seeded": centroid_seeded,
    "v_mdav": v_mdav,
}
"""The GPU's version of each kernel that has one."""
