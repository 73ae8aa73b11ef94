"""The cluster that a release runs on: the one that is there, or worker processes of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from microagg.constraints import IsInteger, check
from microagg.errors import MissingDependencyError, ParameterError, Phrase
from microagg.large.executor import Cluster, Executor, LocalExecutor

WAIT = 30
"""Seconds that a scheduler has to answer."""


@contextmanager
def executor_of(
    client: Any, cluster: str | None, workers: int | None, announce: Callable[[str], None]
) -> Iterator[Executor]:
    """Yield where tasks run: this process, unless a client, an address or a number of workers is given.

    `announce` is told the link of the dashboard.
    """
    choices = {"client": client, "cluster": cluster, "workers": workers}
    names = tuple(name for name, value in choices.items() if value is not None)
    if len(names) > 1:
        raise ParameterError("cannot be combined.", parameter=names, hint="Give one of them.")
    if not names:
        yield LocalExecutor()
        return
    if workers is not None:
        check("workers", workers, IsInteger(1), "protect_file")
    with ExitStack() as opened:
        if client is None:
            client = _started(workers, opened) if cluster is None else _joined(cluster, opened)
        _require_client(client)
        announce(client.dashboard_link)
        yield Cluster(client)


def _started(workers: int | None, opened: ExitStack) -> Any:
    """Start worker processes of one thread each; they end with the block.

    Whoever can speak to a scheduler or a worker can have it run any code. They answer on this computer
    alone, and only to who has the certificate of this start.
    """
    distributed = _distributed()
    scratch = TemporaryDirectory(prefix="microagg-dask-", ignore_cleanup_errors=True)
    cluster = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        memory_limit=0,  # the tasks keep to theirs; a worker that is paused or ended helps nobody
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        security=_certificate(distributed),
        local_directory=opened.enter_context(scratch),
    )
    opened.enter_context(cluster)
    return opened.enter_context(distributed.Client(cluster))


def _certificate(distributed: Any) -> Any:
    try:
        return distributed.Security.temporary()
    except ImportError:
        raise MissingDependencyError(
            "Worker processes need the package cryptography, to speak to nobody else.",
            hint="Install it with: pip install 'microagg[dask]'",
        ) from None


def _joined(address: str, opened: ExitStack) -> Any:
    distributed = _distributed()
    try:
        return opened.enter_context(distributed.Client(address, timeout=WAIT))
    except (OSError, TimeoutError, ValueError):
        pass
    raise ParameterError(
        f"is {address!r}, where no Dask scheduler answers.",
        parameter="cluster",
        hint=Phrase("Specify its address, such as {cluster}.", cluster="tcp://10.0.0.1:8786"),
    )


def _require_client(client: Any) -> None:
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
