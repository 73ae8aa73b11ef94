"""How long a task may take: its deadline, the user's interrupts, and the one clock for both.

Three rules hold everywhere:

- Compiling kernels does not count. `CLOCK` stands still meanwhile, whichever thread compiles.
- The first Ctrl-C in a search keeps the best groups so far, and all searches that follow in the same
  task (other strata, other segments) end at once. The second Ctrl-C ends the task.
- Parts of a task (strata, segments) share one limit of time: each part gets what is left of it, in
  proportion to its size among the parts that are left.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from enum import StrEnum


class Stop(StrEnum):
    """How a search ended, from what the user did to what the search did by itself."""

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
        """Whether the search was ended from outside: by Ctrl-C or by a limit of time."""
        return self in (Stop.INTERRUPTED, Stop.TIME_LIMIT)

    @staticmethod
    def first(stops: Iterable[Stop | None]) -> Stop | None:
        """Return the one of several that says most: the first in the order of this class.

        Examples
        --------
        >>> str(Stop.first([Stop.GAP, None, Stop.TIME_LIMIT]))
        'time limit'
        """
        seen = set(stops)
        return next((stop for stop in Stop if stop in seen), None)


class Clock:
    """Seconds that pass in this process, except those in which kernels are compiled.

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
        """How often `count` was called, and of the kernel compiled last: functions done, and all."""

    def now(self) -> float:
        """Return the seconds since an arbitrary moment."""
        with self._lock:
            return (self._since if self._pauses else time.monotonic()) - self._paused

    def compile_seconds(self) -> float:
        """Return the seconds in which kernels were compiled or loaded, those of now included."""
        with self._lock:
            return self._paused + (time.monotonic() - self._since if self._pauses else 0.0)

    @property
    def paused(self) -> bool:
        """Whether kernels are being compiled."""
        return self._pauses > 0

    def count(self, kernel: str, done: int, total: int) -> None:
        """Note how many functions of a kernel have been compiled."""
        self.compiled, self.functions = self.compiled + 1, (done, total)

    def pause(self) -> None:
        """Stand still until `resume` has been called as often as this."""
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
"""The clock of all limits of time."""


class _Task:
    """What all budgets of one task share."""

    def __init__(self, keeps_best: bool) -> None:
        self.keeps_best, self.interrupts = keeps_best, 0


class Budget:
    """The time that a task, or a part of it, may take, and how it was ended early.

    Parameters
    ----------
    seconds : float or None
        How long it may take from now; None without a limit.
    keeps_best : bool
        Whether a first Ctrl-C keeps the best groups so far.

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
        """The seconds allotted when this budget was made; None without a limit."""
        self._deadline = None if seconds is None else CLOCK.now() + float(seconds)
        self._stopped: Stop | None = None

    def left(self) -> float | None:
        """Return the seconds that the next search may take: 0 after Ctrl-C, None without a limit."""
        if self._task.interrupts:
            return 0.0
        return None if self._deadline is None else max(self._deadline - CLOCK.now(), 0.0)

    def within(self, seconds: float | None) -> Budget:
        """Return a budget of at most so many seconds, but never more than is left of this one."""
        if seconds is None:
            return self
        left = None if self._deadline is None else max(self._deadline - CLOCK.now(), 0.0)
        part = copy(self)
        part._allot(seconds if left is None else min(seconds, left))
        return part

    def part(self, share: float) -> Budget:
        """Return a budget of a share of what is left."""
        if self._deadline is None:
            return self
        return self.within(share * max(self._deadline - CLOCK.now(), 0.0))

    def parts(self, sizes: Sequence[int]) -> Iterator[Budget]:
        """Yield the budget of each part of the task, when that part begins.

        What is left is divided in proportion to the sizes of the parts that are left.
        """
        left = sum(sizes)
        for size in sizes:
            yield self.part(size / left)
            left -= size

    def cancellable(self) -> Budget:
        """Return the same budget for work in other threads, which `cancel` ends."""
        part = copy(self)
        part._cancelled = threading.Event()
        return part

    def cancel(self) -> None:
        """End the work in other threads, because one of them failed or the user interrupted it."""
        if self._cancelled is not None:
            self._cancelled.set()

    def require_not_cancelled(self) -> None:
        """Raise KeyboardInterrupt when the work has been cancelled."""
        if self._cancelled is not None and self._cancelled.is_set():
            raise KeyboardInterrupt

    def expired(self) -> bool:
        """Tell whether a search must end now, and remember why."""
        if self._task.interrupts:
            return True
        if self._deadline is None or CLOCK.now() < self._deadline:
            return False
        self._stopped = Stop.TIME_LIMIT
        return True

    def interrupt(self) -> bool:
        """Count a Ctrl-C; tells whether the best so far is kept, as it never is in other threads."""
        if self._cancelled is not None:
            return False
        self._task.interrupts += 1
        return self._task.keeps_best and self._task.interrupts == 1

    @property
    def stopped(self) -> Stop | None:
        """What ended a search of this budget early; None while nothing has."""
        return Stop.INTERRUPTED if self._task.interrupts else self._stopped
