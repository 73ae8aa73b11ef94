"""Progress as bars on a terminal, drawn by rich."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from microagg.cli.console import PlainReporter, forget_stderr, title_of_compiling


class Talk(Console):
    """A console that stops writing when its reader has closed the pipe; the work continues."""

    def on_broken_pipe(self) -> None:
        """Continue silently where rich would end the program."""
        self.quiet = True
        forget_stderr()


def terminal() -> Talk | None:
    """Return the console of stderr; None if it is a terminal that cannot show a bar."""
    console = Talk(stderr=True, highlight=False, soft_wrap=True, emoji=False)
    return console if console.is_terminal and not console.is_dumb_terminal else None


@contextmanager
def shown_on(console: Console, on_stop: str) -> Iterator[Bar]:
    """Provide a reporter with bars, which are removed at the end."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        yield Bar(bars, on_stop)


class Bar(PlainReporter):
    """Progress as a bar on a terminal, and a second one while something is compiled for it."""

    def __init__(self, bars: Progress, on_stop: str) -> None:
        super().__init__(on_stop)
        self._bars = bars
        self._task: TaskID | None = None
        self._compiles: TaskID | None = None
        self._lock = threading.Lock()  # parts of the work may compile in threads

    def begin(self, what: str, total: int) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(what, total=total)

    def reach(self, done: int) -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=done)

    def retitle(self, what: str) -> None:
        if self._task is not None:
            self._bars.update(self._task, description=what)

    def compiling(self, part: str, done: int, total: int) -> None:
        title = f"{title_of_compiling(part)}: {done} of {total}"
        with self._lock:
            if self._compiles is None:
                self._compiles = self._bars.add_task(title)
            self._bars.update(self._compiles, description=title, completed=done, total=total)

    def compiled(self) -> None:
        with self._lock:
            if self._compiles is not None:
                self._bars.remove_task(self._compiles)
            self._compiles = None
