"""What tests of Dask clusters share: clusters of their own, and the bytes of a release."""

from contextlib import contextmanager

import pytest

distributed = pytest.importorskip("distributed")

OPTIONS = {
    "k": 5,
    "quasi_identifiers": ["x0", "x1", "x2"],
    "identifiers": ["name"],
    "parameters": {"block_size": 120},
}
"""Of a release of the records of tests/large, which are several blocks then."""

IGNORED = pytest.mark.filterwarnings("ignore")
"""For warnings of Dask, about ports and slow answers."""


@contextmanager
def two_workers(*, processes=True):
    """Yield the client of a cluster of two workers: processes, or threads of this process."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=processes,
            dashboard_address=None,
            memory_limit=0,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def files_of(folder):
    """Return the bytes of all files of a release but the provenance, which contains the time."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {str(path.relative_to(folder)): path for path in paths}
    return {name: path.read_bytes() for name, path in names.items() if name != "provenance.json"}
