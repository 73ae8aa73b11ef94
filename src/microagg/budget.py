"""The time of a task: its deadline, the interrupts of the user, and the clock for both.

Three rules hold everywhere:

- Compiling kernels does not count. `CLOCK` stops meanwhile, whichever thread compiles.
- The first Ctrl-C in a search keeps the best groups so far, and all searches that follow in the same
  task (other strata, other segments) end at once. The second Ctrl-C ends the task.
- Parts of a task (strata, segments) share one time limit: each part gets a share of the remaining time, in
  proportion to its size among the remaining parts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from enum import StrEnum


class Stop(StrEnum):
    """How a search ended, from actions of the user to the search itself."""

    INTERRUPTED = "interrupted"
    TIME_LIMIT = "time limit"
    MAX_ITERATIONS = "max_iterations"
    ITERATIONS = "iterations"
    GAP = "gap"
    PROVED = "proved"
    NO_IMPROVEMENT = "nothing improves"
    LOSS_STAYS = "the loss no longer improves"
    CENTRES_STAY = "the centres no longer move"

    @property
    def early(self) -> bool:
        """Whether Ctrl-C or a time limit stopped the search."""
        return self in (Stop.INTERRUPTED, Stop.TIME_LIMIT)

    @staticmethod
    def first(stops: Iterable[Stop | None]) -> Stop | None:
        """Return the most important of several endings: the first in the order of this class.

        Examples
        --------
        >>> str(Stop.first([Stop.GAP, None, Stop.TIME_LIMIT]))
        'time limit'
        """
        seen = set(stops)
        return next((stop for stop in Stop if stop in seen), None)


class Clock:
    """The seconds that pass in this process, except while kernels are compiled.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.pause()
    >>> clock.now() == clock.now()
    True
    >>> clock.resume()
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pauses, self._since, self._paused = 0, 0.0, 0.0
        self.compiled, self.functions = 0, (0, 0)
        """The number of calls of `count`, and the compiled and total functions of the last kernel."""
        self._listeners: list[Callable[[int, int], None]] = []

    def now(self) -> float:
        """Return the seconds since an arbitrary time."""
        with self._lock:
            return (self._since if self._pauses else time.monotonic()) - self._paused

    def compile_seconds(self) -> float:
        """Return the seconds in which kernels were compiled or loaded, including the current kernel."""
        with self._lock:
            return self._paused + (time.monotonic() - self._since if self._pauses else 0.0)

    @property
    def paused(self) -> bool:
        """Whether kernels are being compiled."""
        return self._pauses > 0

    def count(self, kernel: str, done: int, total: int) -> None:
        """Record the number of functions of a kernel that have been compiled."""
        self.compiled, self.functions = self.compiled + 1, (done, total)
        for listener in tuple(self._listeners):
            listener(done, total)

    @contextmanager
    def notifying(self, listener: Callable[[int, int], None]) -> Iterator[None]:
        """Call ``listener(done, total)`` whenever a function has been compiled in any thread."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    @property
    def notifies(self) -> bool:
        """Whether there is a listener for compiled functions."""
        return bool(self._listeners)

    def pause(self) -> None:
        """Stop the clock until `resume` has been called as often as `pause`."""
        with self._lock:
            if self._pauses == 0:
                self._since = time.monotonic()
            self._pauses += 1

    def resume(self) -> None:
        """End one `pause`."""
        with self._lock:
            self._pauses -= 1
            if self._pauses == 0:
                self._paused += time.monotonic() - self._since


CLOCK = Clock()
"""The clock of all time limits."""


class _Task:
    """The state that all budgets of one task share."""

    def __init__(self, keeps_best: bool) -> None:
        self.keeps_best, self.interrupts = keeps_best, 0


class Budget:
    """The time that a task, or a part of it, may take, and whether it was stopped early.

    Parameters
    ----------
    seconds : float or None
        The time from now; None means no limit.
    keeps_best : bool
        Whether the first Ctrl-C keeps the best groups so far.

    Examples
    --------
    >>> Budget().left() is None
    True
    >>> budget = Budget(60)
    >>> 29 < budget.part(0.5).left() <= 30
    True
    """

    def __init__(self, seconds: float | None = None, *, keeps_best: bool = True) -> None:
        self._task = _Task(keeps_best)
        self._cancelled: threading.Event | None = None
        self._allot(seconds)

    def _allot(self, seconds: float | None) -> None:
        self.seconds = None if seconds is None else float(seconds)
        """The seconds when this budget was created; None means no limit."""
        self._deadline = None if seconds is None else CLOCK.now() + float(seconds)
        self._stopped: Stop | None = None

    def left(self) -> float | None:
        """Return the remaining seconds: 0 after Ctrl-C, None without a limit."""
        if self._task.interrupts:
            return 0.0
        return None if self._deadline is None else max(self._deadline - CLOCK.now(), 0.0)

    def within(self, seconds: float | None) -> Budget:
        """Return a budget of at most `seconds`, and never more than remains of this one."""
        if seconds is None:
            return self
        left = None if self._deadline is None else max(self._deadline - CLOCK.now(), 0.0)
        part = copy(self)
        part._allot(seconds if left is None else min(seconds, left))
        return part

    def part(self, share: float) -> Budget:
        """Return a budget with a share of the remaining time."""
        if self._deadline is None:
            return self
        return self.within(share * max(self._deadline - CLOCK.now(), 0.0))

    def parts(self, sizes: Sequence[int]) -> Iterator[Budget]:
        """Yield the budget of each part of the task when that part begins.

        The remaining time is divided in proportion to the sizes of the remaining parts.
        """
        left = sum(sizes)
        for size in sizes:
            yield self.part(size / left)
            left -= size

    def cancellable(self) -> Budget:
        """Return the same budget for work in other threads, which `cancel` stops."""
        part = copy(self)
        part._cancelled = threading.Event()
        return part

    def cancel(self) -> None:
        """Stop the work in other threads, because one of them failed or the user interrupted it."""
        if self._cancelled is not None:
            self._cancelled.set()

    def require_not_cancelled(self) -> None:
        """Raise KeyboardInterrupt if the work was cancelled."""
        if self._cancelled is not None and self._cancelled.is_set():
            raise KeyboardInterrupt

    def expired(self) -> bool:
        """Return whether a search must end now, and record why."""
        if self._task.interrupts:
            return True
        if self._deadline is None or CLOCK.now() < self._deadline:
            return False
        self._stopped = Stop.TIME_LIMIT
        return True

    def interrupt(self) -> bool:
        """Count a Ctrl-C; return whether the best result is kept, which is never so in other threads."""
        if self._cancelled is not None:
            return False
        self._task.interrupts += 1
        return self._task.keeps_best and self._task.interrupts == 1

    @property
    def stopped(self) -> Stop | None:
        """What stopped a search of this budget early; None if nothing did."""
        return Stop.INTERRUPTED if self._task.interrupts else self._stopped
