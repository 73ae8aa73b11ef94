"""Executors: where the tasks of a stage run. In this process, or on the workers of a Dask cluster.

A stage is a function of a plan, which all of its tasks share, and of an item. What it makes it writes into
the work folder, under names that follow from the content, and it skips what is there: so it may run
anywhere, in any order, and more than once. What it returns is small.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from microagg.context import Context
from microagg.errors import FileError, MicroaggError
from microagg.partition.search.blocks.side_by_side import side_by_side

Stage = Callable[[Any, Any, Context], Any]
"""``(plan, item, context)``: the work of one task."""

AGAIN = "Finished work is kept: start again with the same options to continue."


class Executor(Protocol):
    """Runs the tasks of a stage."""

    def run(
        self,
        stage: Stage,
        plan: Any,
        items: Sequence[Any],
        context: Context,
        *,
        at_once: int = 1,
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        """Return what the stage makes of each item, in order.

        A process has at most `at_once` of them at a time, which is what its memory has room for.
        `done` is told the number of each item that is finished.
        """
        ...


class LocalExecutor:
    """In the same process: one task after the other, or side by side in threads."""

    def run(
        self,
        stage: Stage,
        plan: Any,
        items: Sequence[Any],
        context: Context,
        *,
        at_once: int = 1,
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        """Return what the stage makes of each item, in order."""

        def work(item: Any, own: Context) -> Any:
            return stage(plan, item, own)

        if at_once > 1:
            parts = side_by_side(work, items, context, at_once)
        else:
            own = context.apart()
            parts = (work(item, own) for item in items)
        results = []
        for number, result in enumerate(parts):
            results.append(result)
            done(number)
        return results


class Cluster:
    """The workers of a Dask cluster.

    No task is tied to a worker. One whose worker dies is run again by another, and so is the one that
    carries the plan.

    Parameters
    ----------
    client : distributed.Client
        Connected to the scheduler.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(
        self,
        stage: Stage,
        plan: Any,
        items: Sequence[Any],
        context: Context,
        *,
        at_once: int = 1,
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        """Return what the stage makes of each item, in order."""
        from distributed import as_completed

        results: dict[int, Any] = {}
        futures: dict[Any, int] = {}
        with _cluster_errors():
            try:
                shared = self._client.submit(_same, plan, pure=False)
                for number, item in enumerate(items):
                    future = self._client.submit(_task, stage, shared, item, at_once, pure=False)
                    futures[future] = number
                for future in as_completed(list(futures)):  # type: ignore[no-untyped-call]
                    results[futures[future]] = future.result()
                    done(futures[future])
                    future.release()
            except BaseException:
                self._give_up(list(futures))
                raise
        return [results[number] for number in range(len(items))]

    def _give_up(self, futures: list[Any]) -> None:
        """Cancel what is left; where the scheduler is gone, there is nothing to cancel."""
        try:
            self._client.cancel(futures, force=True)
        except Exception:  # noqa: BLE001  (whatever happens here, the first error is the one to show)
            return


def _same(plan: Any) -> Any:
    """Return the plan: as a task of its own, it is made again where a worker dies with it."""
    return plan


_SLOTS: dict[int, threading.BoundedSemaphore] = {}
_GUARD = threading.Lock()


def _task(stage: Stage, plan: Any, item: Any, at_once: int) -> Any:
    """Run one task on a worker, which may have more threads than its memory has room for tasks."""
    with _GUARD:
        slots = _SLOTS.setdefault(at_once, threading.BoundedSemaphore(max(at_once, 1)))
    with slots:
        return stage(plan, item, Context.of().apart())


@contextmanager
def _cluster_errors() -> Iterator[None]:
    """Say what of the cluster failed, and that what is done is kept."""
    from asyncio import CancelledError
    from concurrent.futures import CancelledError as CancelledFuture

    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        yield
    except MicroaggError:
        raise
    except KilledWorker:
        raise FileError(
            "Several workers died over the same task; they may have too little memory.",
            hint=f"Give less memory to each task, or more to the workers. {AGAIN}",
        ) from None
    except (CommClosedError, CancelledError, CancelledFuture, TimeoutError):
        raise FileError(
            "The Dask scheduler is gone, or it has lost the tasks.", hint=AGAIN
        ) from None
