"""The command line application: its commands, and the place where errors become messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
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
    """Deliver a signal again that arrived where Python cannot raise, such as in a destructor."""
    number = None
    if isinstance(swallowed.exc_value, KeyboardInterrupt):
        number = signal.SIGINT
    elif isinstance(swallowed.exc_value, SystemExit) and swallowed.exc_value.code == 128 + 15:
        number = signal.SIGTERM
    if number is None:
        sys.__unraisablehook__(swallowed)
        return
    threading.Thread(target=_deliver, args=(number,), daemon=True).start()


def _deliver(number: int) -> None:
    """Send a signal to this process once the main thread can raise, which is not possible in the hook."""
    while True:
        time.sleep(0.05)
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        while frame is not None and frame.f_code is not _deliver_again.__code__:
            frame = frame.f_back
        if frame is None:
            break
    os.kill(os.getpid(), number)


_LACK_OF_MEMORY = (
    "failed to map segment",
    "Cannot allocate memory",
    "Failed to launch worker thread",
    "can't start new thread",
)


def lacks_memory(error: BaseException | None) -> bool:
    """Return whether a lack of memory caused an error, also when loading a library or starting a thread."""
    while error is not None:
        if isinstance(error, MemoryError) or any(sign in str(error) for sign in _LACK_OF_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show warnings of microagg as sentences, without the file and the line that issued them."""
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
    """Run the application; exit with 1 after an error, 130 after an interrupt, 143 after termination."""
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
