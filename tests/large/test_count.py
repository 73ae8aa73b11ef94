"""Counting on what is written agrees with counting in memory, however small the bins are."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.context import Context
from microagg.data.files import write_file
from microagg.errors import AnonymityError
from microagg.large.columns import Reader
from microagg.large.count import COUNTED, Count, anonymity_from, count_bins, hash_file
from microagg.large.domains import Domain
from microagg.large.work import Work
from microagg.measure.anonymity import Promise, anonymity
from microagg.settings import Settings
from tests.examples import examples


def counted(path, folder, n, k, bins=3):
    names = ("a", "b")
    domains = [Domain(name, pa.float64(), numbers=True) for name in names]
    settings = Settings.create(k=2, quasi_identifiers=names)
    reader = Reader.of(domains, settings, decimal=".", text_file=False)
    count = Count(
        (path,), ({},), reader, names, Work(folder, COUNTED, folder.parent), bins, 7, 1 << 20
    )
    pieces, done = hash_file(count, 0, Context.of())
    assert done == n
    steps = tuple(f"count/0.{piece}" for piece in range(pieces))
    found = anonymity_from([count_bins(count, (range(bins), steps), Context.of())])
    return Promise(names, k).required_of(found)


VALUES = st.integers(1, 60).flatmap(
    lambda n: arrays(np.float64, (2, n), elements=st.sampled_from([0.0, -0.0, 1.0, 1e-9]))
)


@settings(max_examples=examples(30), deadline=None)
@given(VALUES, st.integers(1, 9))
def test_it_agrees_with_memory(tmp_path_factory, values, bins):
    folder = tmp_path_factory.mktemp("counted")
    table = pa.table({"a": values[0], "b": values[1]})
    write_file(table, folder / "r.parquet")
    found = counted(folder / "r.parquet", folder / "count", values.shape[1], 1, bins)
    assert found == anonymity(table, ["a", "b"])


def test_too_few_are_told(tmp_path):
    write_file(pa.table({"a": [1.0, 1.0, 2.0], "b": [0.0, 0.0, 0.0]}), tmp_path / "r.csv")
    with pytest.raises(
        AnonymityError, match=r"1 released records .* k=2 .*the smallest class has 1"
    ):
        counted(tmp_path / "r.csv", tmp_path / "count", 3, 2)


def test_equal_records_do_not_fill_a_bin(tmp_path, monkeypatch):
    write_file(pa.table({"a": [1.0] * 500, "b": [0.0] * 500}), tmp_path / "r.parquet")
    held, plain = [], Work.gather

    def gather(self, part, spans):
        found = plain(self, part, spans)
        held.append(found.size)
        return found

    monkeypatch.setattr(Work, "gather", gather)
    assert counted(tmp_path / "r.parquet", tmp_path / "count", 500, 2).k == 500
    assert max(held) == 72  # one of each piece of seven
