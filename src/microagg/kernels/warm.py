"""Compile kernels ahead of their first use, several at a time.

What a method needs is known only above the kernels, so this takes tasks: functions that use each kernel
once, on a few records. They must be importable by name, since each runs in a process of its own:

    warm({name: partial(ma.partition, X, 2, name) for name in ("mdav", "lns")}, processes=2)
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
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


def warm(
    tasks: Mapping[str, Task],
    processes: int | None = None,
    family: Callable[[str], str] = str,
) -> Iterator[Warmed]:
    """Run tasks in processes of their own, so that what they compile is in the cache; yield as they end.

    Two tasks that need the same kernel do not both compile it: the second waits for the first.

    Parameters
    ----------
    tasks : mapping of str to function
        What to run, by name.
    processes : int, optional
        How many at once; one for each processor unless stated. With 1, they run in this process,
        which can then use what is compiled at once.
    family : function, optional
        Tells of a task which family it belongs to. Tasks of a family use many of the same functions, so
        they run in the same process where possible, which compiles these functions once.
    """
    processes = min(processes or workers(), len(tasks))
    if processes <= 1:
        for name, task in tasks.items():
            yield _run(name, task)
        return
    spawn = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    with ExitStack() as stack:
        pools = [
            stack.enter_context(ProcessPoolExecutor(1, mp_context=spawn)) for _ in range(processes)
        ]
        yield from _shared_out(tasks, pools, family)


def _shared_out(
    tasks: Mapping[str, Task], pools: Sequence[ProcessPoolExecutor], family: Callable[[str], str]
) -> Iterator[Warmed]:
    """Give each process a task whenever it has none: of its family, of one that is idle, or any."""
    waiting = list(tasks)
    running: dict[Future[Warmed], tuple[ProcessPoolExecutor, str]] = {}

    def start(pool: ProcessPoolExecutor, last: str) -> None:
        busy = {each for _, each in running.values()}
        name = min(waiting, key=lambda name: (family(name) != last, family(name) in busy))
        waiting.remove(name)
        running[pool.submit(_run, name, tasks[name])] = pool, family(name)

    for pool in pools:
        start(pool, "")
    while running:
        for each in wait(running, return_when=FIRST_COMPLETED).done:
            pool, last = running.pop(each)
            if waiting:
                start(pool, last)
            yield each.result()


def _run(name: str, task: Task) -> Warmed:
    """Run one task and look at what is compiled."""
    compiled: dict[str, None] = {}
    begun, error = compile_seconds(), ""
    with on_compile(lambda name, done, total: compiled.setdefault(name) if done else None):
        try:
            task()
        except Exception as failure:  # noqa: BLE001  (one task must not end the others)
            error = f"{type(failure).__name__}: {failure}"
    return Warmed(name, tuple(compiled), compile_seconds() - begun, error)
