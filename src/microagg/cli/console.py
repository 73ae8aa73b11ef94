"""Where the command line talks: data to stdout, everything else to stderr."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console

from microagg.errors import PYTHON, FileError, MicroaggError
from microagg.json_text import to_json
from microagg.reporter import Reporter

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Talk(Console):
    """A console that falls silent when nobody listens any more; the work goes on."""

    def on_broken_pipe(self) -> None:
        """Go on without words, where rich would end the program."""
        self.quiet = True
        _forget(sys.stderr)


talk = Talk(stderr=True, highlight=False, soft_wrap=True, emoji=False)
"""For people. Never for data."""


def say(text: str) -> None:
    """Say something to a person, as it is written; names from the data cannot steer a terminal."""
    try:
        talk.print(printable(text), markup=False)
    except BrokenPipeError:  # rich before 13.8 does not ask on_broken_pipe
        talk.on_broken_pipe()


def say_error(error: MicroaggError) -> None:
    """Say what went wrong; as a line of JSON to a program that shows progress.

    That line also names the parameters that the error is about.
    """
    if not _for_a_program():
        say(f"Error: {error}")
        return
    error.speech = PYTHON
    print(json.dumps({"error": str(error), "parameters": error.about}), file=sys.stderr, flush=True)


def _for_a_program() -> bool:
    return os.environ.get("MICROAGG_PROGRESS") == "json"


def name_files(paths: Mapping[str, object]) -> None:
    """Say which files were written, what each is beside its path."""
    width = max(map(len, paths), default=0)
    for what, path in paths.items():
        say(f"{what.replace('_', ' '):<{width}}  {path}")


def printable(text: str) -> str:
    """Return text in which characters that could steer a terminal are shown as their codes."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


@contextmanager
def afterwards() -> Iterator[None]:
    """Hold what is told when all files are in place: it cannot fail any more.

    A reader of stdout that has gone, or a full disk behind stdout, is no reason for an exit code.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        forget_stdout()
    except OSError as error:
        if not of_stdout(error):
            raise
        forget_stdout()
        say(f"All files are in place, but stdout could not be written: {error.strerror}.")


def of_stdout(error: OSError) -> bool:
    """Tell whether an error is about stdout: those about files carry their names."""
    return error.filename is None and error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF)


def open_streams() -> None:
    """Give every standard stream that is closed a place to go, and text a form that stdout can take.

    Otherwise the first file that is opened would get the number of stdout, and words would go into it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
            CLOSED.add(name)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


CLOSED: set[str] = set()
"""The standard streams that were closed when the program began."""


def forget_stdout() -> None:
    """Let what is still to be written to stdout go nowhere, because its reader has gone."""
    _forget(sys.stdout)


def _forget(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def answer(values: Mapping[str, Any] | list[Any]) -> None:
    """Give numbers to a program, as JSON on stdout; with escapes where stdout cannot have all text."""
    text = to_json(values)
    sys.stdout.write(text if _takes(text) else to_json(values, ascii_only=True))


def write_data(text: str) -> None:
    """Give text to a program on stdout, or raise where stdout cannot have it as it is."""
    if not _takes(text):
        raise FileError(
            f"Standard output is in {sys.stdout.encoding}, which lacks some of the characters.",
            hint="Name a file to write to, or set PYTHONIOENCODING=utf-8.",
        )
    sys.stdout.write(text)


def _takes(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class PlainReporter(Reporter):
    """A reporter without a bar that answers Ctrl-C in words; without any, Ctrl-C ends the work."""

    def __init__(self, on_stop: str) -> None:
        self._on_stop, self.keeps_best = on_stop, bool(on_stop)

    def announce(self, link: str) -> None:
        """Say where the work of a cluster can be watched."""
        say(f"Dashboard of the workers: {link}")

    def warn(self, what: str) -> None:
        """Say nothing now: the summary opens with it."""

    def stopping(self, seconds: float) -> None:
        say(self._on_stop)


def _compiling(part: str) -> str:
    """Return the title while a part of the package is compiled.

    Examples
    --------
    >>> _compiling("lns")
    'Compiling lns for this computer (once)'
    """
    return " ".join(["Compiling", *([part] if part else []), "for this computer (once)"])


class Bar(PlainReporter):
    """Progress as a bar on a terminal."""

    def __init__(self, bars: Progress, on_stop: str) -> None:
        super().__init__(on_stop)
        self._bars = bars
        self._task: TaskID | None = None
        self._total = 0

    def begin(self, what: str, total: int) -> None:
        self._task, self._total = self._bars.add_task(what, total=total), total

    def reach(self, done: int) -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=done)

    def compiling(self, part: str, done: int, total: int) -> None:
        if self._task is not None:
            title = f"{_compiling(part)}: {done} of {total}"
            self._bars.update(self._task, description=title, completed=done, total=total)

    def retitle(self, what: str) -> None:
        if self._task is not None:
            self._bars.update(self._task, description=what, total=self._total)


class Lines(PlainReporter):
    """Progress as lines of JSON on stderr, for a program that shows it."""

    EVERY = 0.2
    """Seconds between two lines of the same step, at least."""

    def __init__(self, on_stop: str) -> None:
        super().__init__(on_stop)
        self._what, self._done, self._total, self._last = "", 0, 0, 0.0

    def begin(self, what: str, total: int) -> None:
        self._what, self._done, self._total = what, 0, total
        self._write()

    def reach(self, done: int) -> None:
        self._done = done
        if time.monotonic() - self._last >= self.EVERY:
            self._write()

    def compiling(self, part: str, done: int, total: int) -> None:
        step = {"what": _compiling(part), "done": done, "total": total}
        print(json.dumps(step), file=sys.stderr, flush=True)

    def retitle(self, what: str) -> None:
        self._what = what
        self.reach(self._done)

    def _write(self) -> None:
        self._last = time.monotonic()
        step = {"what": self._what, "done": self._done, "total": self._total}
        print(json.dumps(step), file=sys.stderr, flush=True)


@contextmanager
def progress(show: bool = True, on_stop: str = "") -> Iterator[Reporter]:
    """Hand out a reporter whose bar is shown when stderr is a terminal and then goes away.

    A first Ctrl-C in a search keeps the best so far and says `on_stop`; without it, it ends all.
    With `MICROAGG_PROGRESS=json` in the environment, progress is written as lines of JSON.
    """
    if _for_a_program():
        yield Lines(on_stop)
        return
    if not (show and talk.is_terminal):
        yield PlainReporter(on_stop)
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=talk, transient=True) as bars:
        yield Bar(bars, on_stop)
