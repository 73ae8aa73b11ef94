"""Counting on what is written agrees with counting in memory, however small the bins are."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.data.files import write_file
from microagg.data.streams import Stream
from microagg.errors import AnonymityError
from microagg.large.count import count_written
from microagg.large.memory import Sizes
from microagg.large.work import Work
from microagg.measure.anonymity import Promise, anonymity
from microagg.reporter import Reporter


def counted(path, folder, n, k, bins=3):
    sizes = Sizes(block_size=10, piece=7, table=1 << 20, counted=max(2 * n // bins, 1))
    return count_written(Stream(path), Promise(("a", "b"), k), n, folder, sizes, Reporter())


VALUES = st.integers(1, 60).flatmap(
    lambda n: arrays(np.float64, (2, n), elements=st.sampled_from([0.0, -0.0, 1.0, 1e-9]))
)


@settings(max_examples=30, deadline=None)
@given(VALUES, st.integers(1, 9))
def test_it_agrees_with_memory(tmp_path_factory, values, bins):
    folder = tmp_path_factory.mktemp("counted")
    table = pa.table({"a": values[0], "b": values[1]})
    write_file(table, folder / "r.parquet")
    found = counted(folder / "r.parquet", folder / "count", values.shape[1], 1, bins)
    assert found == anonymity(table, ["a", "b"])


def test_too_few_are_told(tmp_path):
    write_file(pa.table({"a": [1.0, 1.0, 2.0], "b": [0.0, 0.0, 0.0]}), tmp_path / "r.csv")
    with pytest.raises(AnonymityError, match=r"1 released records .* k=2 .*the fewest: 1"):
        counted(tmp_path / "r.csv", tmp_path / "count", 3, 2)
    with pytest.raises(AnonymityError, match="3 records of 4"):
        counted(tmp_path / "r.csv", tmp_path / "count", 4, 1)


def test_equal_records_do_not_fill_a_bin(tmp_path, monkeypatch):
    write_file(pa.table({"a": [1.0] * 500, "b": [0.0] * 500}), tmp_path / "r.parquet")
    held, plain = [], Work.gather

    def gather(self, parts):
        found = plain(self, parts)
        held.append(found.size)
        return found

    monkeypatch.setattr(Work, "gather", gather)
    assert counted(tmp_path / "r.parquet", tmp_path / "count", 500, 2).k == 500
    assert max(held) == 72  # one of each piece of seven
