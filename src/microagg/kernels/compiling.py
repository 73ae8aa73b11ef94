"""What is being compiled, and for how long: for those who show progress or keep to a limit of time.

    with on_compile(lambda name, done, total: print(f"{name}: {done} of {total}")):
        ma.partition(X, k=5)

The clock of all limits of time (`microagg.budget.CLOCK`) stands still meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

from microagg.budget import CLOCK

Listener = Callable[[str, int, int], None]
"""Called with the entry point that is compiled, how many functions are done, and how many there are."""

_listeners: list[Listener] = [CLOCK.count]


def compile_seconds() -> float:
    """Return the seconds for which this process has compiled kernels, or loaded them, so far.

    It goes on while a kernel is being compiled in any thread; time during which several threads wait
    for one kernel counts once.

    Examples
    --------
    >>> compile_seconds() >= 0
    True
    """
    return CLOCK.compile_seconds()


@contextmanager
def on_compile(listener: Listener) -> Iterator[None]:
    """Call `listener(name, done, total)` whenever a function has been compiled, in whichever thread.

    `name` is the entry point, such as "fixed.fixed_size.centroid_seeded". Entry points come one after
    the other; `done` counts its functions and never exceeds `total`, which is an estimate from above
    until the last call, where both are equal. While another process compiles the entry point, `done` is 0.
    Nothing is called for kernels that are loaded from the cache.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def timed() -> Iterator[None]:
    """Let the clock of all limits of time stand still; may be nested, in any thread."""
    CLOCK.pause()
    try:
        yield
    finally:
        CLOCK.resume()


@contextmanager
def announced(name: str, total: int) -> Iterator[None]:
    """Tell the listeners about the functions compiled meanwhile in this thread."""
    counter = _Counter(name, total)
    with event.install_listener("numba:compile", counter):
        counter.tell(0)
        yield
    counter.tell(total)


class _Counter(event.Listener):
    """Counts the kernels whose compilation has ended, each once."""

    def __init__(self, name: str, total: int) -> None:
        self._name, self._total = name, total
        self._thread = threading.get_ident()
        self._done: set[Any] = set()

    def on_start(self, event: Any) -> None:
        """Wait for the end."""

    def on_end(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        ours = function.__module__.startswith("microagg.kernels")
        if ours and threading.get_ident() == self._thread and function not in self._done:
            self._done.add(function)
            self.tell(min(len(self._done), self._total - 1))

    def tell(self, done: int) -> None:
        tell(self._name, done, self._total)


def tell(name: str, done: int, total: int) -> None:
    """Tell all listeners how many functions of an entry point are compiled, here or by another process."""
    for listener in tuple(_listeners):
        listener(name, done, total)
