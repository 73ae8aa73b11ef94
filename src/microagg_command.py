"""The entry point of the command `microagg`.

It lies outside the package, which takes a moment to import: Ctrl-C in that moment must not end in a
traceback.
"""

import atexit
import os
import sys
from collections.abc import Callable

INTERRUPTED = 130


def main() -> None:
    """Run the command line; an interrupt, however early, ends in a word and in status 130."""
    guarded(_run)


def guarded(call: Callable[[], None]) -> None:
    """Call a function of which an interrupt ends the process with status 130."""
    codes: list[object] = []
    atexit.register(_leave, codes)  # the first one to be registered runs last
    try:
        call()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; no incomplete file is left.\n")
        codes.append(INTERRUPTED)
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        codes.append(end.code)
        raise


def _run() -> None:
    from microagg.cli import main as run

    run()


def _leave(codes: list[object]) -> None:
    """End an interrupted process with its status.

    Once an interrupt has passed through `eval` or `exec` of a text, as imports have them, Python would
    end the process by SIGINT, even if the interrupt was caught: the status would be another one.
    """
    if INTERRUPTED in codes:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):  # nobody reads it any more
                continue
        os._exit(INTERRUPTED)
