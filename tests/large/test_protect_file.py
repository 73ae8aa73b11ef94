"""protect_file: in pieces, the same release as in memory, in the same order, checked as written."""

import errno
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import microagg as ma
from microagg.errors import AnonymityError, DataError, FileError, ParameterError
from microagg.large import group, job, memory, stages, write
from tests.examples import examples

ROLES = {"quasi_identifiers": ["x0", "x1", "x2"], "identifiers": ["name"]}
SMALL = {"parameters": {"block_size": 80}, **ROLES}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 77)


@pytest.mark.parametrize(
    ("suffix", "scale"),
    [
        ("parquet", "zscore"),
        ("csv", "zscore"),
        ("csv.gz", "range"),
        ("tsv", "none"),
    ],
)
def test_the_release_is_that_of_memory(people, source, tmp_path, suffix, scale):
    path = source(suffix)
    release = ma.protect_file(path, tmp_path / "out", 5, scale=scale, **SMALL)
    in_memory = ma.protect(people, 5, method="blocks", scale=scale, **SMALL)
    written = ma.read_file(release.paths["data"])
    assert written.cast(in_memory.data.schema).equals(in_memory.data)
    groups = ma.read_file(release.paths["groups"])
    assert groups["row"].to_pylist() == list(range(1, 601))
    assert np.array_equal(groups["group"], in_memory.partition.labels)
    assert release.measures == pytest.approx(in_memory.measures)
    assert release.provenance["result"]["facts"]["blocks"] == in_memory.partition.facts.blocks
    assert in_memory.partition.facts.blocks >= 8


def test_records_of_other_rows_are_not_released(source, tmp_path, monkeypatch):
    plain = write._gathered

    def gathered(*arguments):
        records = plain(*arguments)
        records["row"] += 1
        return records

    monkeypatch.setattr(write, "_gathered", gathered)
    with pytest.raises(AnonymityError, match="not those of their rows"):
        ma.protect_file(source(), tmp_path / "out", 5, **SMALL)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_any_number_of_threads_writes_the_same_bytes(source, tmp_path, monkeypatch):
    written = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(memory, "workers", lambda threads=threads: threads)
        paths = ma.protect_file(source(), tmp_path / f"{threads}", 5, **SMALL).paths
        written.append([paths[what].read_bytes() for what in ("data", "groups", "summary")])
    assert written[0] == written[1] == written[2]


def test_a_disk_that_fails_keeps_what_is_done(source, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28]")  # Arrow's

    with monkeypatch.context() as patch:
        patch.setattr(stages, "write_file", full)
        with pytest.raises(FileError, match="No space left on device"):
            ma.protect_file(source(), tmp_path / "out", 5, **SMALL)
    assert (tmp_path / "out" / ".microagg-work").exists()
    assert ma.protect_file(source(), tmp_path / "out", 5, **SMALL).measures["k"] == 5


def test_the_folder_of_a_release(source, tmp_path):
    path = source()
    release = ma.protect_file(path, tmp_path / "out", 5, confidential=["ill"], **SMALL)
    names = {"release.parquet", "groups.parquet", "provenance.json", "summary.txt"}
    assert {entry.name for entry in (tmp_path / "out").iterdir()} == names
    assert release.paths["summary"].read_text() == release.summary()
    assert "groups, formed by blocks (mdav-nc)" in release.summary()
    kept = json.loads(release.paths["provenance"].read_text())
    assert kept["result"]["il"] == release.measures["il"]
    assert sum(kept["result"]["group_sizes"].values()) == kept["result"]["groups"]
    again = ma.protect(ma.read_file(path), **ma.read_arguments(release.paths["provenance"]))
    assert again.data.equals(ma.read_file(release.paths["data"]))


RECORDS = st.tuples(st.integers(20, 200), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e6]))
)


@settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(RECORDS, st.integers(2, 5), st.sampled_from(["mdav", "v-mdav"]))
def test_whatever_the_records(tmp_path_factory, X, k, method):
    folder = tmp_path_factory.mktemp("any")
    names = [f"x{j}" for j in range(X.shape[1])]
    pq.write_table(pa.table(list(X.T), names=names), folder / "any.parquet")
    release = ma.protect_file(
        folder / "any.parquet", folder / "out", k, quasi_identifiers=names,
        parameters={"within": method, "block_size": 4 * k},
    )  # fmt: skip
    written = ma.read_file(release.paths["data"])
    assert written.num_rows == len(X)
    assert ma.anonymity(written, names).k == release.measures["k"] >= k
    for j, name in enumerate(names):
        assert np.isclose(written[name].to_numpy().mean(), X[:, j].mean())


def test_columns_keep_their_types_and_their_order(people, source, tmp_path):
    towns = pa.array(["a", "b", "c"] * 200).dictionary_encode()
    table = people.append_column("town", towns)
    table = table.set_column(1, "x0", table["x0"].cast(pa.float32()))
    release = ma.protect_file(source(table=table), tmp_path / "out", 5, **SMALL)
    written = ma.read_file(release.paths["data"])
    assert written.column_names == ["x0", "x1", "x2", "ill", "town"]
    assert [str(kind) for kind in written.schema.types[:3]] == ["float", "double", "double"]
    assert written["ill"].equals(people["ill"])
    assert written["town"].to_pylist() == ["a", "b", "c"] * 200


def test_one_block_and_one_group(source, tmp_path):
    path = source()
    plain = ma.protect_file(path, tmp_path / "plain", 5, **ROLES)
    table = ma.read_file(path)
    assert ma.read_file(plain.paths["data"]).equals(
        ma.protect(table, 5, method="mdav-nc", refine=["swap-shift"], **ROLES).data
    )
    one = ma.protect_file(path, tmp_path / "one", 400, **ROLES)
    assert one.measures["il"] == pytest.approx(100)
    assert "All records are in one group" in one.summary()


def test_constant_columns_lose_nothing(people, source, tmp_path):
    table = people.set_column(3, "x2", pa.array(np.full(600, 0.1)))
    release = ma.protect_file(source("csv", table), tmp_path / "out", 5, **SMALL)
    assert set(ma.read_file(release.paths["data"])["x2"].to_pylist()) == {0.1}
    assert release.provenance["result"]["il_by_column"]["x2"] == 0


@pytest.mark.parametrize(
    ("suffix", "blank"), [("parquet", None), ("parquet", np.nan), ("csv", None)]
)
def test_blanks_are_an_error_and_leave_nothing(people, source, tmp_path, suffix, blank):
    values = people["x1"].to_pylist()
    values[300] = blank
    path = source(suffix, people.set_column(2, "x1", pa.array(values, from_pandas=False)))
    with pytest.raises(DataError, match=r"'x1' has a missing value .* in data row 301"):
        ma.protect_file(path, tmp_path / "out", 5, **SMALL)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"weights": "x0"}, "'weights' parameter names a quasi-identifier"),
        ({"missing": "impute"}, "'missing' parameter cannot be 'impute' .* a median needs all"),
        ({"aggregate": "hybrid"}, "'aggregate' parameter cannot be 'hybrid'"),
        ({"distance": "gower"}, "'distance' parameter cannot be used"),
        ({"memroy": "2GB"}, "no parameter 'memroy'"),
        ({"memory": "a lot"}, "'memory' parameter must be an amount"),
        ({"memory": "50MB"}, "'memory' parameter must be at least 4"),
        ({"parameters": {"block_size": 10}}, "at least 4k = 20"),
        ({"parameters": {"within": "blocks"}}, "cannot be 'blocks'"),
        ({"method": "mdav"}, "cannot be 'mdav'"),
        ({"block_size": 10}, "no longer has a parameter 'block_size'"),
        ({"method": "mdva"}, "There is no method"),
        ({"quasi_identifiers": ["age"]}, "names a column 'age'"),
        ({"k": 601}, "from 2 to n=600"),
        (
            {"k": 10**6, "parameters": {}},
            "'k' parameter must be at most 250,000 within this memory",
        ),
        ({"k": 1}, "'k' parameter"),
        ({"scale": "log"}, "'scale' parameter"),
        ({"seed": -1}, "'seed' parameter"),
        ({"output": "out.csv"}, "must be a folder"),
    ],
)
def test_what_cannot_be_done_is_said(source, tmp_path, wrong, words):
    given = {
        "output": tmp_path / "out",
        "k": 5,
        **SMALL,
        "parameters": {"block_size": 2500},
        **wrong,
    }
    with pytest.raises(ParameterError, match=words):
        ma.protect_file(source(), **given)
    assert not (tmp_path / "out").exists()


def test_nothing_is_replaced_unasked(source, tmp_path):
    ma.protect_file(source(), tmp_path / "out", 5, **ROLES)
    with pytest.raises(FileError, match="exists already"):
        ma.protect_file(source(), tmp_path / "out", 6, **ROLES)
    with pytest.raises(FileError, match="is another release"):
        ma.protect_file(source("csv"), tmp_path / "out", 6, **ROLES)
    release = ma.protect_file(source(), tmp_path / "out", 6, overwrite=True, **ROLES)
    assert release.measures["k"] == 6


def test_a_release_that_does_not_hold_k_gets_no_name(source, tmp_path, monkeypatch):
    def broken(plan, records):
        records["values"] = np.arange(records["values"].size).reshape(records["values"].shape)

    monkeypatch.setattr(group, "replace_values", broken)
    with pytest.raises(AnonymityError, match="in classes of fewer than k=5 records"):
        ma.protect_file(source(), tmp_path / "out", 5, **SMALL)
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_foreseen(source, tmp_path, monkeypatch):
    class Full:
        free = 1000

    asked = []
    monkeypatch.setattr(job.shutil, "disk_usage", lambda place: asked.append(place) or Full)
    (tmp_path / "out").mkdir()
    for folder in ("out", "new"):
        with pytest.raises(FileError, match="the work needs about"):
            ma.protect_file(source(), tmp_path / folder, 5, **ROLES)
    assert asked == [tmp_path / "out", tmp_path]  # the folder itself may be another disk


def test_a_folder_under_a_file(source, tmp_path):
    (tmp_path / "note.txt").write_text("not a folder")
    with pytest.raises(FileError, match=r"(?s)cannot be written.*A part of that path is a file"):
        ma.protect_file(source(), tmp_path / "note.txt" / "out", 5, **ROLES)


def test_an_input_that_changes_meanwhile(source, tmp_path, monkeypatch):
    path = source()
    plain = stages.write_file

    def touched(*arguments):
        os.utime(path, ns=(1, 1))
        return plain(*arguments)

    monkeypatch.setattr(stages, "write_file", touched)
    with pytest.raises(DataError, match="changed while it was being read"):
        ma.protect_file(path, tmp_path / "out", 5, **ROLES)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_parts_whose_records_are_all_left_out(tmp_path, suffix):
    (tmp_path / "people").mkdir()
    for number, age in enumerate(([20.0, 30.0, 40.0] * 4, [None] * 6, [50.0, 60.0] * 4)):
        part = pa.table({"age": pa.array(age, pa.float64()), "t": ["u", "v"] * (len(age) // 2)})
        ma.write_file(part, tmp_path / "people" / f"{number}.{suffix}")
    release = ma.protect_file(
        tmp_path / "people", tmp_path / "out", 3, quasi_identifiers=["age", "t"], missing="suppress"
    )
    assert len(list(release.paths["data"].iterdir())) == 3
    assert ma.verify(release.paths["data"], release.paths["provenance"]).holds


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("sizes", [(6, 0), (0, 6), (0, 0)])
def test_parts_without_records_are_refused(tmp_path, suffix, sizes):
    (tmp_path / "people").mkdir()
    for number, n in enumerate(sizes):
        part = pa.table({"age": pa.array([30.0] * n, pa.float64())})
        path = tmp_path / "people" / f"{number}.{suffix}"
        pq.write_table(part, path) if suffix == "parquet" else path.write_text("age\n" + "30\n" * n)
    with pytest.raises(DataError, match="has no records"):
        ma.protect_file(tmp_path / "people", tmp_path / "out", 3, quasi_identifiers=["age"])
    assert not (tmp_path / "out" / "release").exists()


def test_the_groups_file_names_the_rows_of_the_input_if_records_were_left_out(
    source, people, tmp_path
):
    values = people["x0"].to_numpy().copy()
    values[[3, 250]] = np.nan
    table = people.set_column(
        people.column_names.index("x0"), "x0", pa.array(values, from_pandas=True)
    )
    options = {"k": 5, "quasi_identifiers": ["x0", "x1"], "missing": "suppress"}
    release = ma.protect_file(source(table=table), tmp_path / "out", **options)
    assert (
        "2 records with a missing value among the quasi-identifiers were left out."
        in release.summary()
    )
    groups = ma.read_file(release.paths["groups"])
    kept = np.flatnonzero(~np.isnan(values))
    assert groups["row"].to_pylist() == list(range(1, kept.size + 1))
    assert groups["original_row"].to_pylist() == (kept + 1).tolist()
    frame = ma.assess(
        table, ma.read_file(release.paths["data"]), rows=kept, quasi_identifiers=["x0", "x1"]
    )
    assert frame.left_out == 2
