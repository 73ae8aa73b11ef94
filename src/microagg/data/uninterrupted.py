"""Steps that a signal must not cut in two: it takes effect when they are done."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Uninterrupted:
    """Defer signals for the length of a block.

    Python handles signals in the main thread alone, so blocks in other threads need no deferral. A
    signal that arrives meanwhile is raised again at the end of the block, with its usual effect.

    Examples
    --------
    >>> done = []
    >>> try:
    ...     with Uninterrupted():
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("whole")
    ... except KeyboardInterrupt:
    ...     done.append("interrupted")
    >>> done
    ['whole', 'interrupted']
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Any] = {}
        self._arrived: list[int] = []

    def __enter__(self) -> Uninterrupted:
        if threading.current_thread() is threading.main_thread():
            try:
                for number in _SIGNALS:
                    self._defer(number)
            except BaseException:
                self._restore()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._restore()
        except BaseException:
            self._restore()
            raise
        self._handlers.clear()
        if self._arrived:
            signal.raise_signal(self._arrived.pop())

    def let_through(self) -> None:
        """Raise a signal that has arrived in the middle of the block, at a point that permits it."""
        if self._arrived:
            self.__exit__()
            self.__enter__()

    def _defer(self, number: int) -> None:
        handler = signal.getsignal(number)
        if handler not in (None, signal.SIG_IGN):  # None: installed by another language
            self._handlers[number] = handler
            signal.signal(number, self._note)

    def _restore(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._arrived.append(number)
