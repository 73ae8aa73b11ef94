"""Shortcuts through numba's front end, which computes the same few things thousands of times.

Numba types every call of a function anew: it tries each implementation, of which an operator has dozens,
and looks each one up under the compiler's flags, all of which it lists for each comparison. A program of a
hundred small functions spends a sixth of its time on that. Here the types of a call are kept, and flags
are compared by what is set.

Nothing of it changes what is compiled. The shortcuts hold while an entry point is compiled, under the lock
of the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction

_CALLS: dict[Any, Any] = {}
"""The signature of a call by function, flags and types. It keeps the functions, which know the
implementations of these signatures."""


@contextmanager
def shortcuts() -> Iterator[None]:
    """Take the shortcuts meanwhile; the caller has the lock of the compiler."""
    slow = TargetConfig.__hash__, TargetConfig.__eq__, BaseFunction.get_call_type

    def call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        flags = ConfigStack.top_or_none()  # a copy: numba changes flags later
        flags = None if flags is None else flags.copy()
        key = self, context, flags, tuple(args), tuple(kws.items())
        if key not in _CALLS:
            _CALLS[key] = slow[2](self, context, args, kws)
        return _CALLS[key]

    numba: list[Any] = [TargetConfig, BaseFunction]
    numba[0].__hash__, numba[0].__eq__, numba[1].get_call_type = _hash_of_class, _equal, call_type
    try:
        yield
    finally:
        numba[0].__hash__, numba[0].__eq__, numba[1].get_call_type = slow


def _hash_of_class(self: TargetConfig) -> int:
    """Return a number that equal flags share; numba's own is that of the names of all options."""
    return hash(type(self))


def _equal(self: TargetConfig, other: object) -> Any:
    """Tell whether flags are equal, at once where the same ones are set."""
    if not isinstance(other, TargetConfig):
        return NotImplemented
    return self is other or self._values == other._values or self.values() == other.values()
