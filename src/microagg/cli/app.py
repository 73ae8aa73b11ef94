"""The app: its commands, and one place where errors become words and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from click.exceptions import Abort, ClickException

from microagg.cli.console import open_streams, say, say_error
from microagg.cli.group import INTERRUPTED, CommandGroup
from microagg.errors import MicroaggError, MicroaggWarning

app = CommandGroup("microagg")

ON_INTERRUPT = "Interrupted; no incomplete file is left."


def _deliver_again(swallowed: sys.UnraisableHookArgs) -> None:
    """Deliver a signal again that struck where Python cannot raise, as when an object is disposed of."""
    number = None
    if isinstance(swallowed.exc_value, KeyboardInterrupt):
        number = signal.SIGINT
    elif isinstance(swallowed.exc_value, SystemExit) and swallowed.exc_value.code == 128 + 15:
        number = signal.SIGTERM
    if number is None:
        sys.__unraisablehook__(swallowed)
        return
    again = threading.Timer(0.05, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


_LACK_OF_MEMORY = (
    "failed to map segment",
    "Cannot allocate memory",
    "Failed to launch worker thread",
    "can't start new thread",
)


def lacks_memory(error: BaseException | None) -> bool:
    """Tell whether memory is what was lacking, also to load a library or to start a thread."""
    while error is not None:
        if isinstance(error, MemoryError) or any(sign in str(error) for sign in _LACK_OF_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show our own warnings as sentences, without the file and the line of Python that gave them."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, MicroaggWarning):
            say(f"Warning: {message}")
        else:
            usual(message, category, *place, **more)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = usual


def run() -> None:
    """Run the app; exit with 1 for our errors, 130 when interrupted, 143 when terminated."""
    open_streams()
    sys.unraisablehook = _deliver_again
    # As an exception, a termination cleans up on its way out; by default it would not.
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)):
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # as of nohup
            signal.signal(number, lambda got, _: sys.exit(128 + got))
    try:
        with _plain_warnings():
            # Errors reach us unchanged; a command that ends early returns its status.
            status = app.main(prog_name="microagg", standalone_mode=False)
        if status == INTERRUPTED:
            say(ON_INTERRUPT)
        if status:
            sys.exit(status)
    except ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except MicroaggError as error:
        say_error(error)
        sys.exit(1)
    except (KeyboardInterrupt, Abort):
        say(ON_INTERRUPT)
        sys.exit(INTERRUPTED)
    except Exception as error:
        if not lacks_memory(error):
            raise
        say("Error: There is not enough memory for this command.")
        say("Hint: Close other programs, or raise the memory limit.")
        sys.exit(1)
