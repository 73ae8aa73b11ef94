"""Where the command line talks: data to stdout, everything else to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from microagg.progress import Progress as SilentProgress
from microagg.provenance import to_json

talk = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
"""For people. Never for data."""


def say(text: str) -> None:
    """Say something to a person, as it is written; names from the data cannot steer a terminal."""
    safe = "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)
    talk.print(safe, markup=False)


def answer(values: Mapping[str, Any] | list[Any]) -> None:
    """Give numbers to a program, as JSON on stdout."""
    sys.stdout.write(to_json(values))


class Bar(SilentProgress):
    """Progress as a bar on a terminal."""

    def __init__(self, bars: Progress) -> None:
        super().__init__()
        self._bars = bars
        self._task: TaskID | None = None

    def begin(self, what: str, total: int) -> None:
        self._task = self._bars.add_task(what, total=total)

    def reach(self, done: int) -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=done)


@contextmanager
def progress(show: bool = True) -> Iterator[SilentProgress]:
    """Hand out a progress that is shown when stderr is a terminal and then goes away."""
    if not (show and talk.is_terminal):
        yield SilentProgress()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=talk, transient=True) as bars:
        yield Bar(bars)
