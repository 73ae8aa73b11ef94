"""Files of records that tests of large data share."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microagg.data.files import write_file
from microagg.large import memory

QI = ["x0", "x1", "x2"]


@pytest.fixture(scope="session")
def people():
    """Return 600 records with a column of each role; some values of x2 are equal."""
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=600) for name in QI} | {"x2": rng.integers(0, 9, 600)}
    names = [f'p{i}, "the {i}th"' for i in range(600)]
    return pa.table({"name": names, **columns, "ill": rng.integers(0, 2, 600)})


@pytest.fixture
def source(people, tmp_path):
    """Return a function that writes the records by a suffix and returns the path."""

    def write(suffix="parquet", table=people):
        path = tmp_path / f"people.{suffix}"
        write_file(table, path, overwrite=True)
        return path

    return write


@pytest.fixture
def parts(people, tmp_path, monkeypatch):
    """Return a folder of three Parquet files with several row groups each, read in small pieces."""
    monkeypatch.setattr(memory, "LARGEST_PIECE", 150)
    folder = tmp_path / "people"
    folder.mkdir()
    ends = (170, 430, 600)
    for number, (start, end) in enumerate(zip((0, *ends), ends, strict=False)):
        path = folder / f"part-{number}.parquet"
        pq.write_table(people.slice(start, end - start), path, row_group_size=90)
    return folder


@pytest.fixture(scope="module")
def client():
    """Return the client of a cluster of two worker processes."""
    from tests.clusters import two_workers

    with two_workers() as client:
        yield client
