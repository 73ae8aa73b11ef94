"""The tasks run on the workers of a Dask cluster: the one that is there, or processes of our own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from microagg.context import Context
from microagg.errors import FileError, MicroaggError, MissingDependencyError, ParameterError, Phrase
from microagg.large.executors.allocation import keep_freed_memory
from microagg.large.executors.executor import Stage

AGAIN = "Finished work is kept: start again with the same options to continue."

WAIT = 30
"""Seconds that a scheduler has to answer."""

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
}
"""Settings of clusters of our own. By default, Dask samples the stacks of all threads every 10 ms and
checks its event loops every 20 ms, which costs about 7 % of a processor for one worker and its client."""


class DaskExecutor:
    """The workers of a Dask cluster.

    No task is tied to a worker. One whose worker dies is run again by another, and so is the one that
    carries the plan.

    Parameters
    ----------
    client : distributed.Client
        Connected to the scheduler.
    """

    in_process = False

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
    """Return the plan, as a separate task that is repeated if its worker dies."""
    return plan


_SLOTS: dict[int, threading.BoundedSemaphore] = {}


_GUARD = threading.Lock()


def _task(stage: Stage, plan: Any, item: Any, at_once: int) -> Any:
    """Run one task on a worker, which may have more threads than its memory has room for tasks."""
    keep_freed_memory()
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
            "Several workers died while running the same task; they may have too little memory.",
            hint=f"Give less memory to each task, or more to the workers. {AGAIN}",
        ) from None
    except (CommClosedError, CancelledError, CancelledFuture, TimeoutError):
        raise FileError(
            "The Dask scheduler does not respond, or it has lost the tasks.", hint=AGAIN
        ) from None


def started(workers: int | None, opened: ExitStack) -> Any:
    """Start worker processes of one thread each; they end with the block.

    Anyone who can connect to a scheduler or a worker can run any code on it. They answer on this computer
    alone, and only to who has the certificate of this start.
    """
    distributed = _distributed()
    import dask

    scratch = TemporaryDirectory(prefix="microagg-dask-", ignore_cleanup_errors=True)
    with dask.config.set(QUIET):
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,  # the tasks keep to theirs; a worker that is paused or ended helps nobody
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            security=_certificate(distributed),
            local_directory=opened.enter_context(scratch),
            preload=["microagg.large.executors.worker_signals"],
        )
    opened.enter_context(cluster)
    return opened.enter_context(distributed.Client(cluster))


def _certificate(distributed: Any) -> Any:
    try:
        return distributed.Security.temporary()
    except ImportError:
        raise MissingDependencyError(
            "Worker processes need the package cryptography to secure their connections.",
            hint="Install it with: pip install 'microagg[dask]'",
        ) from None


def joined(address: str, opened: ExitStack) -> Any:
    """Return a client of the scheduler at an address; it is closed with the block."""
    distributed = _distributed()
    secrets = distributed.Security().get_connection_args("client")
    if address.startswith("tls://") and secrets.get("ssl_context") is None:  # a client might hang
        raise ParameterError(
            f"is {address!r}, but Dask has no certificates for encrypted connections.",
            parameter="cluster",
            hint="Set the TLS files in Dask's configuration (distributed.comm.tls).",
        )
    try:
        return opened.enter_context(distributed.Client(address, timeout=WAIT))
    except (OSError, TimeoutError, ValueError):
        pass
    raise ParameterError(
        f"is {address!r}, where no Dask scheduler responds.",
        parameter="cluster",
        hint=Phrase("Specify its address, such as {cluster}.", cluster="tcp://10.0.0.1:8786"),
    )


def require_client(client: Any) -> None:
    """Raise if anything other than a client of a Dask scheduler was passed."""
    if not isinstance(client, _distributed().Client):
        raise ParameterError(
            f"must be a distributed.Client. Got {type(client).__name__}.", parameter="client"
        )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError(
            "Clusters and worker processes need the package distributed.",
            hint="Install it with: pip install 'microagg[dask]'",
        ) from None
    return distributed
