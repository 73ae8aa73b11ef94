"""The one way to import our own modules late: kernels need numba, which takes a second to import.

    kernels = lazy("microagg.kernels.fixed.fixed_size")

stands at the top of a file; the module is imported when one of its attributes is first used, so that
`import microagg` and the command line's help stay fast. Whatever numba compiles from then on, in
any thread, stops the clock of all limits of time (`microagg.budget.CLOCK`).
"""

from __future__ import annotations

import atexit
from functools import cache
from importlib import import_module
from typing import Any

from microagg.budget import CLOCK


class LazyModule:
    """A module that is imported when an attribute of it is first used.

    Examples
    --------
    >>> lazy("fractions").Fraction(1, 2)
    Fraction(1, 2)
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"lazy({self._name!r})"

    def __getattr__(self, attribute: str) -> Any:
        module = import_module(self._name)
        if self._name.startswith("microagg.kernels."):
            _watch_compiling()
        return getattr(module, attribute)


def lazy(name: str) -> Any:
    """Return a module that is imported when it is first used."""
    return LazyModule(name)


@cache
def _watch_compiling() -> None:
    """Let the clock stand still while numba compiles a kernel or loads one from its cache."""
    from numba.core import event

    class Pausing(event.Listener):
        def on_start(self, event: Any) -> None:
            CLOCK.pause()

        def on_end(self, event: Any) -> None:
            CLOCK.resume()

    register: Any = event.register
    register("numba:compiler_lock", Pausing())
    counting = import_module("microagg.kernels.compiling").on_compile(CLOCK.count)
    counting.__enter__()
    atexit.register(counting.__exit__, None, None, None)
