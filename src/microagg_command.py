"""The entry point of the command `microagg`.

It lies outside the package, which takes a moment to import: Ctrl-C in that moment must not end in a
traceback. Therefore this file imports nothing before it has taken over the interrupt.
"""

from _signal import (  # type: ignore[import-not-found]  # built into Python
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)

TYPE_CHECKING = False  # as in `typing`, which takes a moment to import
if TYPE_CHECKING:
    from collections.abc import Callable

INTERRUPTED = 130
WORDS = b"Interrupted; no incomplete file is left.\n"


def _end(*_: object) -> None:
    """End the process at once: nothing has been read or written yet."""
    import posix  # which is built into Python

    posix.write(2, WORDS)
    posix._exit(INTERRUPTED)


def take_over() -> None:
    """End at the first interrupt, from now until the command line is loaded."""
    import sys

    if "posix" in sys.builtin_module_names and getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, _end)


def hand_back() -> None:
    """Let interrupts be exceptions again, which clean up on their way out."""
    if getsignal(SIGINT) is _end:
        signal(SIGINT, default_int_handler)


def is_command(argv: list[str]) -> bool:
    """Tell whether Python was started as `python -m microagg`, as far as its options say.

    Examples
    --------
    >>> is_command(["python", "-m", "microagg", "protect"]), is_command(["python", "-m", "pytest"])
    (True, False)
    """
    options = argv[1:]
    return "-m" in options and options[options.index("-m") + 1 :][:1] == ["microagg"]


def main() -> None:
    """Run the command line; an interrupt, however early, ends in a word and in status 130."""
    take_over()
    guarded(_run)


def guarded(call: "Callable[[], None]") -> None:
    """Call a function of which an interrupt ends the process with status 130."""
    import atexit
    import sys

    codes: list[object] = []
    atexit.register(_leave, codes)  # the first one to be registered runs last
    try:
        call()
    except KeyboardInterrupt as error:
        _unwind(error)
        sys.stderr.write(WORDS.decode())
        codes.append(INTERRUPTED)
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        _unwind(end)
        codes.append(end.code)
        raise


def _unwind(end: BaseException) -> None:
    """Let blocks clean up that a signal left before their own code could.

    A generator that a signal has cut off is closed with the frames that refer to it.
    """
    import traceback

    error: BaseException | None = end
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__context__


def _run() -> None:
    from microagg.cli import main as run

    run(hand_back)


def _leave(codes: list[object]) -> None:
    """End an interrupted process with its status.

    Once an interrupt has passed through `eval` or `exec` of a text, as imports have them, Python would
    end the process by SIGINT, even if the interrupt was caught: the status would be another one.
    """
    if INTERRUPTED in codes:
        import os
        import sys

        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):  # nobody reads it any more
                continue
        os._exit(INTERRUPTED)
