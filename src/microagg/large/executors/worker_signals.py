"""What a worker process of our own does first: it leaves Ctrl-C to the command that started it.

A terminal sends the signal to all processes of a command. A worker that obeyed it would die with a
traceback, in the middle of its task, before the command can say what is kept.
"""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Ignore Ctrl-C; Dask calls this in the main thread of each worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
