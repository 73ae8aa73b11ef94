"""The process of a run: the command line of `microagg`, in a separate process and within limits.

``python -m microagg.server.child`` does what ``microagg protect ...`` does. The arguments are the first
line of its standard input, as a list of JSON: they name columns and categories, and other users of the
computer can read the command line of every process. After that, the line "stop" is a Ctrl-C, and the end
of the input means that the server has ended, so that the result is not needed.
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
"""The environment variable with the maximum address space of a run in bytes."""

ORPHANED = 129
"""The exit code of a run whose server has ended."""


def main() -> None:
    """Limit the memory, read the arguments, listen to the server, and run the command line."""
    # A process that was started by a server in the background would ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    limit_memory(os.environ.pop(MEMORY, ""))
    sys.argv = ["microagg", *json.loads(sys.stdin.readline())]
    threading.Thread(target=_listen, daemon=True).start()
    runpy.run_module("microagg", run_name="__main__", alter_sys=True)


def limit_memory(size: str) -> None:
    """Limit the address space of this process, if the system supports it."""
    if size and sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(size), int(size)))


def _listen() -> None:
    """Wait for the command to stop, or for the end of the server."""
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
