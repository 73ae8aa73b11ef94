"""Compile kernels ahead of their first use, several at a time.

What a method needs is known only above the kernels, so this takes tasks: functions that use each kernel
once, on a few records. They must be importable by name, since each runs in a process of its own:

    warm({name: partial(ma.partition, X, 2, name) for name in ("mdav", "lns")}, processes=2)
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import Any, NamedTuple

from microagg.kernels.compiling import compile_seconds, on_compile
from microagg.threads import workers

Task = Callable[[], Any]


class Warmed(NamedTuple):
    """What one task did.

    Attributes
    ----------
    name : str
        The task.
    entry_points : tuple of str
        Those that were compiled; the others were in the cache, or another task compiled them meanwhile.
    seconds : float
        How long compiling and loading took, of the whole task.
    error : str
        Why the task failed, "" where it did not; what had been compiled by then is kept.
    """

    name: str
    entry_points: tuple[str, ...]
    seconds: float
    error: str


def warm(tasks: Mapping[str, Task], processes: int | None = None) -> Iterator[Warmed]:
    """Run tasks in processes of their own, so that what they compile is in the cache; yield as they end.

    Two tasks that need the same kernel do not both compile it: the second waits for the first.

    Parameters
    ----------
    tasks : mapping of str to function
        What to run, by name.
    processes : int, optional
        How many at once; one for each processor unless stated. With 1, they run in this process,
        which can then use what is compiled at once.
    """
    processes = min(processes or workers(), len(tasks))
    if processes <= 1:
        for name, task in tasks.items():
            yield _run(name, task)
        return
    spawn = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
        running: list[Future[Warmed]] = [pool.submit(_run, *each) for each in tasks.items()]
        for each in as_completed(running):
            yield each.result()


def _run(name: str, task: Task) -> Warmed:
    """Run one task and look at what is compiled."""
    compiled: dict[str, None] = {}
    begun, error = compile_seconds(), ""
    with on_compile(lambda entry_point, done, total: compiled.setdefault(entry_point)):
        try:
            task()
        except Exception as failure:  # noqa: BLE001  (one task must not end the others)
            error = f"{type(failure).__name__}: {failure}"
    return Warmed(name, tuple(compiled), compile_seconds() - begun, error)
