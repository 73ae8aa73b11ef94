"""Several measures side by side, each in a thread of its own, with the progress of one of them shown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from microagg.reporter import OnlyCompiling, Reporter
from microagg.threads import workers

Part = TypeVar("Part")
Result = TypeVar("Result")

MANY = 20_000
"""Fewer records are measured so fast that threads would gain nothing."""

AT_ONCE = 4
"""The maximum number of measures at once, because each needs memory. Linkage uses more threads itself."""


class OneShown(OnlyCompiling):
    """Shows the progress of one thread at a time, and ends the work of all threads when asked to."""

    def __init__(self, whole: Reporter) -> None:
        super().__init__(whole)
        self._cancelled, self._lock = threading.Event(), threading.Lock()
        self._shown: int | None = None

    def begin(self, what: str, total: int) -> None:
        self._require_not_cancelled()
        with self._lock:
            if self._shown in (None, threading.get_ident()):
                self._shown = threading.get_ident()
                self._whole.begin(what, total)

    def reach(self, done: int) -> None:
        self._require_not_cancelled()
        with self._lock:
            if self._shown == threading.get_ident():
                self._whole.reach(done)

    def warn(self, what: str) -> None:
        with self._lock:
            self._whole.warn(what)

    def cancel(self) -> None:
        """End the work of all threads the next time that they report."""
        self._cancelled.set()

    def make_way(self) -> None:
        """Let another thread show its progress."""
        with self._lock:
            if self._shown == threading.get_ident():
                self._shown = None

    def _require_not_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise KeyboardInterrupt


def side_by_side(
    work: Callable[[Part], Result], parts: Sequence[Part], shown: OneShown
) -> list[Result]:
    """Do the work of each part in threads; if one fails or the user interrupts it, all end."""

    def alone(part: Part) -> Result:
        try:
            return work(part)
        finally:
            shown.make_way()

    with ThreadPoolExecutor(min(workers(), AT_ONCE)) as threads:
        futures = [threads.submit(alone, part) for part in parts]
        try:
            return [future.result() for future in futures]
        except BaseException:
            shown.cancel()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
