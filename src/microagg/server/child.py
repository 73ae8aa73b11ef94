"""What a run executes: the command line of `microagg`, in a process of its own and within limits.

``python -m microagg.server.child`` does what ``microagg protect ...`` does. The arguments are the first
line of its standard input, as a list of JSON: they name columns and categories, and other users of the
computer can read the command line of every process. After that, the line "stop" is a Ctrl-C, and the end
of the input means that the server has died, so that nobody wants the result any more.
"""

from __future__ import annotations

import _thread
import json
import os
import runpy
import signal
import sys
import threading

MEMORY = "MICROAGG_SERVE_MEMORY"
"""The variable with the bytes of address space that a run may have."""

ORPHANED = 129
"""The exit code of a run whose server has died."""


def main() -> None:
    """Limit the memory, read the arguments, listen to the server, and run the command line."""
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # or a server in the background ignores it
    limit_memory(os.environ.pop(MEMORY, ""))
    sys.argv = ["microagg", *json.loads(sys.stdin.readline())]
    threading.Thread(target=_listen, daemon=True).start()
    runpy.run_module("microagg", run_name="__main__", alter_sys=True)


def limit_memory(size: str) -> None:
    """Limit the address space of this process to so many bytes, where the system can."""
    if size and sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(size), int(size)))


def _listen() -> None:
    """Wait for the word to stop, or for the end of the server."""
    for line in sys.stdin:
        if line.strip() == "stop":
            _interrupt()
    os._exit(ORPHANED)


def _interrupt() -> None:
    """Do what Ctrl-C does."""
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        os.kill(os.getpid(), signal.SIGINT)  # which also ends a wait of the main thread


if __name__ == "__main__":
    main()
