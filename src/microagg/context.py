"""What a method is given besides its records: randomness, time, a reporter, and other methods."""

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
from microagg.reporter import Reporter
from microagg.threads import workers

if TYPE_CHECKING:
    from microagg.partition.constrain.record_limits import RecordLimits
    from microagg.partition.grouping import Grouping
    from microagg.prepare.prepared import Prepared
    from microagg.prepare.records import Records

Ticker = NDArray[np.int64]
"""int64[2] shared with a kernel: how many steps are done, and whether it should stop."""

Grouper = Callable[..., "Grouping"]
"""``(records, k, method, context, *, parameters, refine)``: how the driver runs a method."""

_LOOK_EVERY = 0.05  # seconds between looks at the ticker


def _no_grouper(*arguments: object, **options: object) -> Grouping:
    raise RuntimeError("This context was not made by the driver, so it cannot call methods.")


@dataclass(frozen=True)
class Context:
    """What a method is given besides its records.

    Attributes
    ----------
    rng : Generator
        Where every random choice comes from.
    budget : Budget
        How long the work may take, and how it was ended early.
    reporter : Reporter
        What is shown of the work.
    grouper : function
        How another method is run; see `group`.
    engine : {"cpu", "cuda", "auto"}
        Where methods run; "auto" lets each choose.
    whole : int
        How many records the whole task has, of which these are a stratum; 0 where they are all.
    threads : int
        How many threads a method may use.
    limits : RecordLimits, optional
        What groups must hold beside k; for methods that declare to meet limits alone.
    part : str
        The method or refinement that runs, which is named while it is compiled.
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
        """Return the context of a new task, without a limit of time.

        Examples
        --------
        >>> Context.of().run("Adding", 1, lambda a, b, ticker: a + b, 3, 4)
        7
        """
        reporter = reporter or Reporter()
        budget = Budget(keeps_best=reporter.keeps_best)
        return cls(np.random.default_rng(seed), budget, reporter, engine=engine)

    def seeded(self, seed: int) -> Context:
        """Return the same context with random choices that come from a seed."""
        return replace(self, rng=np.random.default_rng(seed))

    def named(self, part: str) -> Context:
        """Return the same context for a method or a refinement."""
        return replace(self, part=part)

    def within(self, seconds: float | None) -> Context:
        """Return the same context with at most so many seconds; None leaves it as it is."""
        return self if seconds is None else replace(self, budget=self.budget.within(seconds))

    def apart(self) -> Context:
        """Return a context for work in another thread: alone, silent, and ended by `budget.cancel`."""
        return replace(self, budget=self.budget.cancellable(), reporter=Reporter(), threads=1)

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

        Random choices come from `seed`, or from this context's generator where there is none.
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
        """Run ``kernel(*arguments, ticker)``, show how far it is, and return its result.

        The kernel runs without the interpreter's lock in a thread of its own, so that this thread can
        show progress and so that Ctrl-C works: ``ticker[1]`` asks the kernel to stop, and the
        interrupt is raised once it has. A kernel that has a result to show at any time is run with
        `keep`: then the budget's deadline and a first Ctrl-C end it early and its result is
        returned; ``budget.stopped`` says so.
        """
        self.reporter.begin(what, total)
        ticker: Ticker = np.zeros(2, dtype=np.int64)
        begun, compiled = time.monotonic(), CLOCK.compiled
        if keep and self.budget.expired():
            ticker[1] = 1  # before the kernel starts: it must not win the race
        work = _Work(kernel, (*arguments, ticker))
        try:
            self._watch(what, work, ticker, compiled, keep)
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

    def _watch(self, what: str, work: _Work, ticker: Ticker, compiled: int, keep: bool) -> None:
        """Show progress until the work is done, and ask it to stop where the time is up.

        `CLOCK.compiled` was `compiled` before it began.
        """
        before = shown = compiled
        while not work.finished(self._pause(keep)):
            self.budget.require_not_cancelled()
            if CLOCK.compiled > shown:
                shown = CLOCK.compiled
                self.reporter.compiling(self.part, *CLOCK.functions)
            elif shown > before and not CLOCK.paused:
                before = shown
                self.reporter.retitle(what)
            self.reporter.reach(int(ticker[0]))
            if keep and self.budget.expired():
                ticker[1] = 1

    def _pause(self, keep: bool) -> float:
        """Return the seconds until the next look."""
        left = self.budget.left() if keep else None
        return _LOOK_EVERY if not left else min(_LOOK_EVERY, max(left, 0.001))


class _Work(threading.Thread):
    """One call in a thread that keeps its result or its exception."""

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
