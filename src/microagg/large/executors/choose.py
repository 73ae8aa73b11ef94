"""Which back end runs the tasks of a release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from microagg.constraints import IsInteger, check
from microagg.errors import ParameterError
from microagg.large.executors import dask
from microagg.large.executors.executor import Executor
from microagg.large.executors.local import LocalExecutor


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
        raise ParameterError("cannot be combined.", parameter=names, hint="Use only one of them.")
    if not names:
        yield LocalExecutor()
        return
    if workers is not None:
        check("workers", workers, IsInteger(1), "protect_file")
    with ExitStack() as opened:
        if client is None:
            client = (
                dask.started(workers, opened) if cluster is None else dask.joined(cluster, opened)
            )
        dask.require_client(client)
        announce(client.dashboard_link)
        yield dask.DaskExecutor(client)
