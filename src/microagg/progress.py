"""How a long computation speaks while it runs: what it does, how far it is, how it ended."""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.errors import MicroaggWarning

Ticker = NDArray[np.int64]
"""int64[2] shared with a kernel: how much is done, and whether it should stop."""

INTERRUPTED, TIME_LIMIT = "interrupted", "time limit"
"""What the note "stopped" says when the user ended the work; else it says why the method did."""

_LOOK_EVERY = 0.05  # seconds between looks at the ticker

_compiling = [0.0]  # seconds for which kernels were compiled: no limit of time counts them


class Progress:
    """Silent progress; a subclass shows it. Methods tell it what they do and what they find.

    Examples
    --------
    >>> progress = Progress()
    >>> progress.note(stopped="nothing improves")
    >>> progress.notes
    {'stopped': 'nothing improves'}
    """

    interrupts = 0
    """How many interrupts ended a search of which the best was kept; set it to 0 for another task."""

    def __init__(self) -> None:
        self.notes: dict[str, Any] = {}

    def begin(self, what: str, total: int) -> None:
        """Say that `what` starts and consists of `total` steps."""

    def reach(self, done: int) -> None:
        """Say how many steps are done."""

    def retitle(self, what: str) -> None:
        """Say anew what is being done: what has been found so far, say."""

    def note(self, **facts: Any) -> None:
        """Keep facts about the run; they come back as the partition's `details`."""
        self.notes.update(facts)

    def warn(self, what: str) -> None:
        """Say that something may be a mistake; the work goes on."""
        warnings.warn(what, MicroaggWarning, stacklevel=3)  # where `protect` was called

    def stopping(self, seconds: float) -> None:
        """Say that an interrupt ended a search and that the best so far is kept.

        Called after so many `seconds` of it, at the first interrupt only: a second one goes on to
        the caller. Raise KeyboardInterrupt here to let the first one go on too.
        """
        warnings.warn(
            f"The search was stopped by Ctrl-C after {seconds:.2f} s; the best found by then is kept. "
            "A second Ctrl-C keeps nothing.",
            MicroaggWarning,
            stacklevel=2,
        )

    @property
    def cut_short(self) -> bool:
        """Whether the user ended the work, by an interrupt or by a limit of time."""
        return self.notes.get("stopped") in (INTERRUPTED, TIME_LIMIT)

    def run(
        self,
        what: str,
        total: int,
        kernel: Callable[..., Any],
        *arguments: object,
        time_limit: float | None = None,
        keep: bool = False,
    ) -> Any:
        """Run ``kernel(*arguments, ticker)``, show how far it is, and return what it returns.

        The first use of a kernel compiles it, which counts for no `time_limit`.

        The kernel runs without the interpreter's lock in a thread of its own, so that this one can
        show progress and so that Ctrl-C works: the kernel is told to stop by ``ticker[1]``, and the
        interrupt goes on once it has. A kernel that always has a result to show is run with `keep`:
        then an interrupt ends it early, as `time_limit` seconds do, the note "stopped" says so, and
        `stopping` tells the user. Of several interrupts only the first is held back.
        """
        self.begin(what, total)
        ticker: Ticker = np.zeros(2, dtype=np.int64)
        begun = time.monotonic()
        limit = math.inf if time_limit is None else time_limit
        if time_limit is not None and time_limit <= 0:  # the kernel must not win the race
            ticker[1] = 1
            self.note(stopped=TIME_LIMIT)
        work = _Work(kernel, (*arguments, ticker))
        try:
            while not work.finished(min(_LOOK_EVERY, max(limit - work.seconds(), 0.001))):
                self.reach(int(ticker[0]))
                if work.seconds() >= limit:
                    ticker[1] = 1
                    self.note(stopped=TIME_LIMIT)
                    work.join()
        except BaseException as error:
            ticker[1] = 1
            kept = keep and isinstance(error, KeyboardInterrupt) and self.interrupts == 0
            try:
                if kept:
                    self.interrupts += 1
                    self.stopping(time.monotonic() - begun)  # before the wait, which may be long
            finally:
                work.join()
            if not kept:
                raise
            self.note(stopped=INTERRUPTED)
        self.reach(total)
        return work.result()


class Part(Progress):
    """The silent progress of one of many parts: an interrupt ends them all, not this one early."""

    def stopping(self, seconds: float) -> None:
        raise KeyboardInterrupt


class Clock:
    """Seconds left of a limit that several steps share; None where there is no limit.

    It stands still while kernels are compiled.

    Examples
    --------
    >>> Clock(None).left() is None
    True
    >>> 0 < Clock(60).left() <= 60
    True
    """

    def __init__(self, seconds: float | None) -> None:
        self._deadline = None if seconds is None else self._now() + seconds

    def left(self) -> float | None:
        """Return the seconds that the next step may take."""
        return None if self._deadline is None else max(self._deadline - self._now(), 0.0)

    @staticmethod
    def _now() -> float:
        return time.monotonic() - _compiling[0]


@contextmanager
def all_compiling() -> Iterator[None]:
    """Let clocks stand still for what is done only so that kernels are compiled."""
    before, begun = _compiling[0], time.monotonic()
    try:
        yield
    finally:
        _compiling[0] = before + time.monotonic() - begun


class _Work(threading.Thread):
    """One call in a thread that keeps its result or its exception."""

    def __init__(self, call: Callable[..., Any], arguments: tuple[object, ...]) -> None:
        super().__init__(daemon=True)
        self._call, self._arguments = call, arguments
        self._begun = math.inf
        self._done = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._compile()
            self._begun = time.monotonic()
            self._value = self._call(*self._arguments)
        except BaseException as error:  # noqa: BLE001  (raised again by result())
            self._error = error
        finally:
            self._done.set()

    def _compile(self) -> None:
        """Compile a kernel for its arguments; a call of another kind is left as it is."""
        kernel: Any = self._call
        if hasattr(kernel, "typeof_pyval"):  # numba's, which only kernels import
            begun = time.monotonic()
            kernel.compile(tuple(map(kernel.typeof_pyval, self._arguments)))
            _compiling[0] += time.monotonic() - begun

    def seconds(self) -> float:
        """Return how long the call has run: 0 while it is compiled."""
        return max(time.monotonic() - self._begun, 0.0)

    def finished(self, seconds: float) -> bool:
        return self._done.wait(seconds)

    def result(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._value
