"""Exposure and copies of records that come in pieces: as in memory, or by a sample that is said."""

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.measure import exposure_in_pieces
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.exposure import exposure_of
from microagg.measure.exposure_in_pieces import ClassSample, copies_in


def exposure_in(tables, keys, unchanged, k, room):
    """Return the exposure of tables as one file, which must be that of two files joined."""
    tables = list(tables)
    whole = ClassSample.of(tables, keys, unchanged, room)
    half = len(tables) // 2
    files = [ClassSample.of(tables[:half], keys, unchanged, room)]
    files.append(ClassSample.of(tables[half:], keys, unchanged, room, first=files[0].n))
    joined = files[0].joined(files[1], room)
    assert np.array_equal(joined.hashes, whole.hashes)
    return joined.exposure(tuple(unchanged), k, "records")


def released(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": np.repeat(np.arange(n // 5), 5) * 1.5,
            "town": pa.array([None if t == 9 else f"t{t}" for t in rng.integers(0, 40, n)]),
            "sex": rng.choice(["m", "f"], n),
            "pay": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 3, n)),
        }
    )


def pieces(table, size):
    return [table.slice(at, size) for at in range(0, table.num_rows, size)]


@pytest.mark.parametrize("size", [7, 500, 5000])
def test_it_is_that_of_the_whole_table(size):
    table, others = released(), ["town", "sex", "pay"]
    whole = exposure_of(EquivalenceClasses(table), ["age"], others, 5)
    assert exposure_in(pieces(table, size), ["age"], others, 5, room=10**6) == whole


def test_a_sample_has_whole_classes_and_says_so():
    table, others = released(20_000), ["sex", "pay"]
    whole = exposure_of(EquivalenceClasses(table), ["age"], others, 5)
    found = exposure_in(pieces(table, 900), ["age"], others, 5, room=12_000)
    assert found.sampled_from == 20_000
    assert 1000 < found.records <= 4000
    assert found.records % 5 == 0  # classes of 5
    for name in ("unique", "below_k"):
        share, true = (each.percent(getattr(each, name)) for each in (found, whole))
        assert share == pytest.approx(true, abs=5)
    assert found == exposure_in(pieces(table, 77), ["age"], others, 5, room=12_000)


def test_without_room_there_is_no_count():
    table = released()
    assert exposure_in([table], ["age"], ["town"], 5, room=1) is None


def test_copies_and_unique_columns_of_many_records(monkeypatch):
    rng = np.random.default_rng(0)
    n = 60_000
    income = rng.lognormal(10, 1, n)
    table = pa.table(
        {
            "income": income,
            "tax": (income * 0.2).round(2),
            "account": [f"a{i}" for i in rng.permutation(n)],
            "twice": np.arange(n) // 2,  # each value twice: nearly all differ in a sample of rows
            "noise": rng.integers(0, 50, n),
        }
    )
    monkeypatch.setattr(exposure_in_pieces, "VALUES", 5000)
    others = ["tax", "account", "twice", "noise"]
    found = copies_in(lambda: pieces(table, 7000), ["income"], others, room=10**7)
    assert {(copy.column, copy.kind) for copy in found} == {("tax", "share"), ("account", "unique")}


def test_a_large_file_has_the_cautions_of_a_frame(tmp_path):
    rng = np.random.default_rng(0)
    income = rng.lognormal(10, 1, 400).round(2)
    table = pa.table(
        {"income": income, "tax": income * 0.5, "id": np.arange(400), "sex": ["m", "f"] * 200}
    )
    ma.write_file(table, tmp_path / "people.parquet")
    options = {"quasi_identifiers": ["income"], "confidential": ["id"]}
    release = ma.protect_file(tmp_path / "people.parquet", tmp_path / "out", k=4, **options)
    exposure = release.outcome.exposure
    assert exposure.columns == ("tax", "sex")
    assert (exposure.records, exposure.sampled_from, exposure.below_k) == (400, 0, 400)
    assert {copy.column for copy in release.outcome.copies} == {"tax", "id"}
    assert "the unchanged columns together, all 400 records" in release.summary()
    assert "were not counted" not in release.summary()
