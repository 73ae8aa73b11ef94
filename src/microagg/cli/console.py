"""The output of the command line: data to stdout, everything else to stderr."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from microagg.errors import PYTHON, FileError, MicroaggError
from microagg.json_text import to_json
from microagg.lazy import lazy
from microagg.reporter import Reporter

if TYPE_CHECKING:
    from rich.console import Console


bars = lazy("microagg.cli.bars")

_terminal: list[Console] = []
"""The console of the progress bar on show, which messages must not break."""


def say(text: str) -> None:
    """Print a message literally; names from the data cannot control the terminal.

    If stderr cannot be written, for example on a full disk or because its reader has closed the pipe,
    the work continues.
    """
    line = printable(text)
    try:
        if _terminal:
            _terminal[-1].print(line, markup=False)
        else:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
    except OSError as error:
        if not (isinstance(error, BrokenPipeError) or of_standard_stream(error)):
            raise
        forget_stderr()


def say_error(error: MicroaggError) -> None:
    """Print an error; as a line of JSON for a program that shows progress.

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
    """Print the files that were written, each with a label and its path."""
    width = max(map(len, paths), default=0)
    for what, path in paths.items():
        say(f"{what.replace('_', ' '):<{width}}  {path}")


def printable(text: str) -> str:
    """Return text in which control characters are replaced by their codes."""
    return "".join(c if c.isprintable() or c in "\n\t" else _escape(c) for c in text)


def _escape(character: str) -> str:
    """Return the code of a character in the notation of Python and JSON."""
    return repr(character)[1:-1]


@contextmanager
def afterwards() -> Iterator[None]:
    """Write messages after all files are in place, when the command can no longer fail.

    A closed pipe or a full disk behind stdout does not change the exit code.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        forget_stdout()
    except OSError as error:
        if not of_standard_stream(error):
            raise
        forget_stdout()
        say(f"All files are in place, but stdout could not be written: {error.strerror}.")


def of_standard_stream(error: OSError) -> bool:
    """Return whether an error concerns stdout or stderr; errors about files contain a file name."""
    return error.filename is None and error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF)


def open_streams() -> None:
    """Redirect closed standard streams to the null device, and let stdout accept any text.

    Otherwise, the first file that is opened would get the descriptor of stdout, and messages would be
    written into it.
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
"""The standard streams that were closed when the program started."""


def forget_stdout() -> None:
    """Discard further output to stdout, because its reader has closed the pipe."""
    _forget(sys.stdout)


def forget_stderr() -> None:
    """Discard further messages."""
    _forget(sys.stderr)


def _forget(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def answer(values: Mapping[str, Any] | list[Any]) -> None:
    """Write results as JSON to stdout, with escapes if stdout cannot encode all text."""
    text = to_json(values)
    sys.stdout.write(text if _takes(text) else to_json(values, ascii_only=True))


def write_data(text: str) -> None:
    """Write text to stdout, or raise if stdout cannot encode it."""
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
    """A reporter without a bar that confirms Ctrl-C with a message, or else lets Ctrl-C end the work."""

    def __init__(self, on_stop: str) -> None:
        self._on_stop, self.keeps_best = on_stop, bool(on_stop)

    def announce(self, link: str) -> None:
        """Print the address of the dashboard of a cluster."""
        say(f"Dashboard of the workers: {link}")

    def warn(self, what: str) -> None:
        """Print nothing, because the summary begins with the warning."""

    def stopping(self, seconds: float) -> None:
        say(self._on_stop)


def title_of_compiling(part: str) -> str:
    """Return the title that is shown while a part of the package is compiled.

    Examples
    --------
    >>> title_of_compiling("lns")
    'Compiling lns for this computer (once)'
    """
    return " ".join(["Compiling", *([part] if part else []), "for this computer (once)"])


class Milestones(PlainReporter):
    """Progress as a line from time to time, for long work whose messages go to a file.

    Parameters
    ----------
    on_stop : str
        The message after Ctrl-C.
    now : callable
        Returns the time in seconds.
    """

    EVERY = 30.0
    """The minimum number of seconds between two lines, and before the first one."""

    def __init__(self, on_stop: str, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(on_stop)
        self._now, self._last = now, now()
        self._what, self._total = "", 0

    def begin(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self.reach(0)

    def retitle(self, what: str) -> None:
        self._what = what

    def reach(self, done: int) -> None:
        share = f": {min(100, 100 * done // self._total)} %" if self._total else ""
        self._say(f"{self._what}{share}")

    def compiling(self, part: str, done: int, total: int) -> None:
        self._say(f"{title_of_compiling(part)}: {done} of {total}")

    def _say(self, line: str) -> None:
        if (now := self._now()) - self._last >= self.EVERY:
            self._last = now
            say(line)


class Lines(PlainReporter):
    """Progress as lines of JSON on stderr, for a program that shows it."""

    EVERY = 0.2
    """The minimum number of seconds between two lines of the same step."""

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
        step = {"what": title_of_compiling(part), "done": done, "total": total}
        print(json.dumps(step), file=sys.stderr, flush=True)

    def compiled(self) -> None:
        self._write()

    def retitle(self, what: str) -> None:
        self._what = what
        self.reach(self._done)

    def _write(self) -> None:
        self._last = time.monotonic()
        step = {"what": self._what, "done": self._done, "total": self._total}
        print(json.dumps(step), file=sys.stderr, flush=True)


@contextmanager
def progress(show: bool = True, on_stop: str = "") -> Iterator[Reporter]:
    """Provide a reporter: a temporary progress bar on a terminal, or else a line every 30 seconds.

    The first Ctrl-C in a search keeps the best result so far and prints `on_stop`; without `on_stop`, it
    ends the work. With `MICROAGG_PROGRESS=json` in the environment, progress is written as lines of JSON.
    """
    if _for_a_program():
        yield Lines(on_stop)
        return
    if not show:
        yield PlainReporter(on_stop)
        return
    # rich, which draws the bar, takes a moment to import
    console = bars.terminal() if sys.stderr.isatty() else None
    if console is None:
        yield Milestones(on_stop)
        return
    with bars.shown_on(console, on_stop) as bar:
        _terminal.append(console)
        try:
            yield bar
        finally:
            _terminal.remove(console)
