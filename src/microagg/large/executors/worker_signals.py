"""What a worker process of our own does first: it leaves Ctrl-C to the command that started it.

A terminal sends the signal to all processes of a command. A worker that obeyed it would die with a
traceback, in the middle of its task, before the command can say what is kept. A worker also stays silent
when the command ends before it: it would log a traceback of its lost connection. Errors of tasks reach the
command without the log.
"""

from __future__ import annotations

import logging
import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Ignore Ctrl-C and log no errors; Dask calls this in the main thread of each worker process."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    logging.getLogger("distributed.worker").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
