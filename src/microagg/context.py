"""The context of a method: random numbers, time, a reporter, and other methods."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.budget import CLOCK, Budget
from microagg.engine import Engine
from microagg.reporter import OnlyCompiling, Reporter
from microagg.threads import workers

if TYPE_CHECKING:
    from microagg.partition.constrain.record_limits import RecordLimits
    from microagg.partition.grouping import Grouping
    from microagg.prepare.prepared import Prepared
    from microagg.prepare.records import Records

Ticker = NDArray[np.int64]
"""int64[2] shared with a kernel: the number of completed steps, and whether it should stop."""

Grouper = Callable[..., "Grouping"]
"""``(records, k, method, context, *, parameters, refine)``: how the driver runs a method."""

_LOOK_EVERY = 0.05  # seconds between looks at the ticker


def _no_grouper(*arguments: object, **options: object) -> Grouping:
    raise RuntimeError("This context was not made by the driver, so it cannot call methods.")


@dataclass(frozen=True)
class Context:
    """The arguments of a method besides its records, k and parameters.

    Attributes
    ----------
    rng : Generator
        The source of every random choice.
    budget : Budget
        The time that the work may take, and whether it was stopped early.
    reporter : Reporter
        The reporter that shows the progress.
    grouper : function
        The function that runs another method; see `group`.
    engine : {"cpu", "cuda", "auto"}
        Where methods run; with "auto", each method chooses.
    whole : int
        The number of records of the whole task, if these are a stratum; 0 if these are all.
    threads : int
        The number of threads that a method may use.
    limits : RecordLimits, optional
        The limits besides k that groups must satisfy; only for methods that declare `meets_limits`.
    part : str
        The name of the running method or refinement, which is shown while it is compiled.
    """

    rng: np.random.Generator
    budget: Budget
    reporter: Reporter
    grouper: Grouper = _no_grouper
    engine: Engine = "cpu"
    whole: int = 0
    threads: int = field(default_factory=workers)
    limits: RecordLimits | None = None
    part: str = ""

    @classmethod
    def of(
        cls, reporter: Reporter | None = None, *, seed: int = 0, engine: Engine = "cpu"
    ) -> Context:
        """Return the context of a new task, without a time limit.

        Examples
        --------
        >>> Context.of().run("Adding", 1, lambda a, b, ticker: a + b, 3, 4)
        7
        """
        reporter = reporter or Reporter()
        budget = Budget(keeps_best=reporter.keeps_best)
        return cls(np.random.default_rng(seed), budget, reporter, engine=engine)

    def seeded(self, seed: int) -> Context:
        """Return the same context with random choices from a seed."""
        return replace(self, rng=np.random.default_rng(seed))

    def named(self, part: str) -> Context:
        """Return the same context for a method or a refinement."""
        return replace(self, part=part)

    def within(self, seconds: float | None) -> Context:
        """Return the same context with at most `seconds`; None changes nothing."""
        return self if seconds is None else replace(self, budget=self.budget.within(seconds))

    def apart(self) -> Context:
        """Return a context for another thread: independent, silent, and stopped by `budget.cancel`."""
        own = OnlyCompiling(self.reporter)
        return replace(self, budget=self.budget.cancellable(), reporter=own, threads=1)

    def group(
        self,
        records: Prepared | Records,
        k: int,
        method: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        refine: str | Sequence[str] | None = None,
        seed: int | None = None,
    ) -> Grouping:
        """Group records by another method, within the same budget.

        Random choices come from `seed`, or from the generator of this context without a seed.
        """
        context = self if seed is None else self.seeded(seed)
        return self.grouper(records, k, method, context, parameters=parameters or {}, refine=refine)

    def run(
        self,
        what: str,
        total: int,
        kernel: Callable[..., Any],
        *arguments: object,
        keep: bool = False,
    ) -> Any:
        """Run ``kernel(*arguments, ticker)``, show its progress, and return its result.

        The kernel runs without the interpreter lock in a separate thread, so that this thread can
        show progress and so that Ctrl-C works: ``ticker[1]`` asks the kernel to stop, and the
        interrupt is raised after it has stopped. A kernel that has a valid result at any time is run with
        `keep`: then the deadline of the budget and the first Ctrl-C end it early, and its result is
        returned; ``budget.stopped`` records this.
        """
        self.reporter.begin(what, total)
        ticker: Ticker = np.zeros(2, dtype=np.int64)
        begun, compiled = time.monotonic(), CLOCK.compiled
        if keep and self.budget.expired():
            ticker[1] = 1  # before the kernel starts: it must not win the race
        work = _Work(kernel, (*arguments, ticker))
        try:
            self._watch(work, ticker, compiled, keep)
        except BaseException as error:
            ticker[1] = 1
            kept = keep and isinstance(error, KeyboardInterrupt) and self.budget.interrupt()
            try:
                if kept:
                    self.reporter.stopping(time.monotonic() - begun)  # the wait may be long
            finally:
                work.join()
            if not kept:
                raise
        self.reporter.reach(total)
        return work.result()

    def _watch(self, work: _Work, ticker: Ticker, compiled: int, keep: bool) -> None:
        """Show progress until the work is done, and ask it to stop when the time is up.

        `CLOCK.compiled` was `compiled` before it began.
        """
        before = shown = compiled
        while not work.finished(self._pause(keep)):
            self.budget.require_not_cancelled()
            if CLOCK.compiled > shown and not CLOCK.notifies:
                shown = CLOCK.compiled
                self.reporter.compiling(self.part, *CLOCK.functions)
            elif shown > before and not CLOCK.paused:
                before = shown
                self.reporter.compiled()
            if shown == before:  # a reporter with one line shows what is compiled until it ends
                self.reporter.reach(int(ticker[0]))
            if keep and self.budget.expired():
                ticker[1] = 1
        if shown > before:
            self.reporter.compiled()

    def _pause(self, keep: bool) -> float:
        """Return the seconds until the next check."""
        left = self.budget.left() if keep else None
        return _LOOK_EVERY if not left else min(_LOOK_EVERY, max(left, 0.001))


class _Work(threading.Thread):
    """A call in a thread, with its result or its exception."""

    def __init__(self, call: Callable[..., Any], arguments: tuple[object, ...]) -> None:
        super().__init__(daemon=True)
        self._call, self._arguments = call, arguments
        self._done = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._value = self._call(*self._arguments)
        except BaseException as error:  # noqa: BLE001  (raised again by result())
            self._error = error
        finally:
            self._done.set()

    def finished(self, seconds: float) -> bool:
        return self._done.wait(seconds)

    def result(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._value
