"""Release: written whole and checked again on what is in the file, or not at all."""

import hashlib
import json
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.files import read_file, write_table
from microagg.errors import AnonymityError, DataError, FileError, ParameterError

FORMATS = ["csv", "csv.gz", "tsv", "parquet", "feather", "arrow", ".csv"]
FILES = {"data", "groups", "provenance", "summary"}


@pytest.fixture
def frame():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, 12),
            "note": ["a,b", "007", "1.50"] * 4,
            "pay": rng.random(12),
        },
        index=list("abcdefghijkl"),
    )


@pytest.fixture
def release(frame):
    return ma.protect(frame, 3, quasi_identifiers=["age", "pay"])


def contents(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_repr_says_the_essentials_and_no_record(frame, release):
    il = release.measures["il"]
    essentials = f"Release(n=12, k=3, il={il:.3f} %, method='auto (lns)'"
    assert len(release.cautions) == 1
    assert repr(release) == f"{essentials}, cautions=1)"
    complete = ma.protect(frame, 3, quasi_identifiers=["age", "pay"], identifiers=["note"])
    assert not complete.cautions
    assert repr(complete) == f"{essentials})"


def test_cautions_are_the_lines_of_the_summary_that_come_first(release):
    lines = release.summary().splitlines()
    assert lines[: len(release.cautions)] == [f"CAUTION: {each}" for each in release.cautions]


@pytest.mark.parametrize("format", FORMATS)
def test_save_writes_four_files_that_read_back(release, tmp_path, format):
    paths = release.save(tmp_path / "deep" / "out", format=format)
    assert paths.keys() == FILES
    assert paths["data"].name == f"release.{format.lstrip('.')}"
    table = read_file(paths["data"])
    assert table.column_names == ["age", "note", "pay"]
    assert table["age"].to_pylist() == release.data["age"].tolist()
    assert read_file(paths["data"], parse=[])["note"].to_pylist() == release.data["note"].tolist()
    groups = read_file(paths["groups"])
    assert groups["row"].to_pylist() == list(range(1, 13))
    assert groups["group"].to_pylist() == release.partition.labels.tolist()
    kept = json.loads(paths["provenance"].read_text())
    sha256 = hashlib.sha256(paths["data"].read_bytes()).hexdigest()
    assert kept.pop("release") == {"name": paths["data"].name, "sha256": sha256}
    assert kept == json.loads(json.dumps(release.provenance))
    assert paths["summary"].read_text() == release.summary()


@pytest.mark.parametrize(
    "kind", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.convert_dtypes]
)
def test_any_kind_of_frame_is_written_the_same(frame, release, tmp_path, kind):
    plain = frame.reset_index(drop=True)
    paths = ma.protect(kind(plain), 3, quasi_identifiers=["age", "pay"]).save(tmp_path / "a")
    assert paths["data"].read_bytes() == release.save(tmp_path / "b")["data"].read_bytes()


def test_saving_twice_gives_the_same_bytes_and_needs_leave(release, tmp_path):
    first = {what: path.read_bytes() for what, path in release.save(tmp_path).items()}
    with pytest.raises(FileError, match="exists already"):
        release.save(tmp_path)
    again = release.save(tmp_path, overwrite=True)
    assert {what: path.read_bytes() for what, path in again.items()} == first


def test_integer_names_become_text_in_a_file(frame, tmp_path):
    renamed = frame.rename(columns={"age": 7})
    release = ma.protect(renamed, 3, quasi_identifiers=[7])
    path = release.save(tmp_path)["data"]
    assert read_file(path, numeric_names=True).column_names == ["7", "note", "pay"]


def test_a_release_that_was_changed_by_hand_is_not_written(release, tmp_path):
    release.data.iloc[4, 0] += 1
    with pytest.raises(AnonymityError, match="Nothing was released"):
        release.save(tmp_path / "out")
    assert contents(tmp_path) == ["out"]  # the empty folder


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_writer_that_changes_a_value_is_found_out(release, tmp_path, monkeypatch, format):
    def careless(table, path, like):
        if "age" in table.column_names:
            ages = table["age"].to_pylist()
            table = table.set_column(0, "age", pa.array([ages[0] + 1, *ages[1:]]))
        write_table(table, path, like)

    monkeypatch.setattr("microagg.release.write_table", careless)
    with pytest.raises(AnonymityError, match=r"3 released records.*Nothing was released"):
        release.save(tmp_path, format=format)
    assert contents(tmp_path) == []


def test_a_writer_that_loses_a_row_is_found_out(release, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "microagg.release.write_table",
        lambda table, path, like: write_table(table.slice(1), path, like),
    )
    with pytest.raises(AnonymityError, match="the same rows and columns"):
        release.save(tmp_path)
    assert contents(tmp_path) == []


def test_old_files_stay_when_the_new_ones_fail(release, tmp_path, monkeypatch):
    paths = release.save(tmp_path)
    old = {path: path.read_bytes() for path in paths.values()}

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ma.Release, "summary", full)
    with pytest.raises(FileError, match="disk is full"):
        release.save(tmp_path, overwrite=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == old


def test_an_interrupt_while_writing_leaves_nothing(release, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("microagg.release.to_json", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release.save(tmp_path)
    assert contents(tmp_path) == []


@pytest.mark.parametrize("format", ["xlsx", "", "json", "cvs", "sas7bdat"])
def test_a_format_that_cannot_be_written(release, tmp_path, format):
    with pytest.raises(ParameterError, match="format"):
        release.save(tmp_path, format=format)
    assert contents(tmp_path) == []


def test_a_folder_that_cannot_be_made(release, tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(FileError, match="cannot be created"):
        release.save(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "old"


def test_columns_that_no_file_can_hold_are_refused_without_showing_them(frame, tmp_path):
    mixed = frame.assign(note=["Xyzzy4711", 4711] * 6)
    release = ma.protect(mixed, 3, quasi_identifiers=["age"])
    with pytest.raises(DataError, match="'note' contains values of more than one type") as caught:
        release.save(tmp_path)
    assert "4711" not in str(caught.value)
    assert contents(tmp_path) == []


def test_new_files_have_the_usual_permissions(release, tmp_path):
    (tmp_path / "usual").touch()
    usual = stat.S_IMODE((tmp_path / "usual").stat().st_mode)
    paths = release.save(tmp_path / "out")
    modes = {what: stat.S_IMODE(path.stat().st_mode) for what, path in paths.items()}
    assert modes == {"data": usual, "summary": 0o600, "groups": 0o600, "provenance": 0o600}


def test_labels_of_columns_are_kept_in_the_file(frame, tmp_path):
    pytest.importorskip("pyreadstat")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    labelled = table.schema.field("note").with_metadata({"microagg.label": "What was said"})
    table = table.set_column(1, labelled, table["note"])
    release = ma.protect(table, 3, quasi_identifiers=["age"])
    for format in ("sav", "parquet"):
        field = read_file(release.save(tmp_path / format, format=format)["data"]).schema.field(
            "note"
        )
        assert field.metadata[b"microagg.label"] == b"What was said"


def test_a_second_release_beside_another_is_refused(release, tmp_path):
    release.save(tmp_path)
    with pytest.raises(ma.MicroaggError, match="is another release"):
        release.save(tmp_path, format="parquet", overwrite=True)


def test_only_known_parts_are_written(release, tmp_path):
    with pytest.raises(ma.MicroaggError, match="must be 'data', 'groups'"):
        release.write({"bogus": tmp_path / "b.txt"})


@pytest.mark.parametrize("format", [5, None])
def test_a_format_must_be_text(release, tmp_path, format):
    with pytest.raises(ma.MicroaggError, match="'format' parameter"):
        release.save(tmp_path, format=format)


def test_a_slice_does_not_carry_the_rows_left_out(tmp_path):
    import pickle

    import pyarrow as pa
    import pyarrow.feather as feather

    names = [f"SECRET{i}_" for i in range(1000)]
    whole = pa.table({"age": list(range(1000)), "town": pa.array(names).dictionary_encode()})
    text = whole.append_column("text", pa.array(names))
    release = ma.protect(text.slice(0, 30), k=3, quasi_identifiers=["age"])
    path = release.save(tmp_path, format="feather")["data"]
    assert len(feather.read_table(path)["town"].chunk(0).dictionary) == 30
    plain = ma.protect(text.drop(["town"]).slice(0, 30), k=3, quasi_identifiers=["age"])
    assert b"SECRET900_" not in pickle.dumps(plain)
