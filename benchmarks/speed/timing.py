"""Best time of several contenders that take turns, so that a busy moment hits them all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def seconds(call: Callable[[], object]) -> float:
    """Return how long one call took."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def processor_seconds(call: Callable[[], object]) -> float:
    """Return the processor time of one call, which other programs lengthen less."""
    start = time.process_time()
    call()
    return time.process_time() - start


def best_of(contenders: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Let each contender return its own seconds, in turns; keep the best of each."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(repeats):
        for name, contender in contenders.items():
            best[name] = min(best[name], contender())
    return best
