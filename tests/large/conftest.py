"""Files of records that tests of large data share."""

import numpy as np
import pyarrow as pa
import pytest

from microagg.data.files import write_file

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
