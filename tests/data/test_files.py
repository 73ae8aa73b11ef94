"""Dispatch by suffix, options, bad files, columnar formats, and the real files."""

import gzip
import hashlib
import itertools
import os
import subprocess
import sys
import traceback
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.cli.app import app
from microagg.data.files import read_file, sha256_of, sniff_dialect, write_file
from microagg.data.formats.registry import suffixes
from microagg.errors import DataError, FileError, MicroaggError, ParameterError
from tests.conftest import NO_DATA

SECRET = "Xyzzy4711"  # stands for a person's value: no message may show it
TABLE = pa.table({"age": [40, 41, None], "job": ["a", None, "c"], "pay": [1.5, 2.5, float("inf")]})

real_data = pytest.mark.skipif("MICROAGG_DATA" not in os.environ, reason=NO_DATA)


def refusal(kind, call, *args, **options) -> MicroaggError:
    """Return the error of a call, after checking that it shows no record, not even when chained."""
    with pytest.raises(kind) as caught:
        call(*args, **options)
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown
    return caught.value


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow", ".PARQUET"])
def test_columnar_files_come_back_equal_and_with_the_same_bytes(tmp_path, suffix):
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    table = TABLE.append_column("tags", pa.array([[1], [], None]))
    write_file(table, first)
    write_file(table, second)
    assert read_file(first).equals(table)
    assert first.read_bytes() == second.read_bytes()


def test_an_arrow_stream_is_read_too(tmp_path):
    path = tmp_path / "a.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as stream:
        stream.write_table(TABLE)
    assert read_file(path).equals(TABLE)


def test_folder_names_of_partitions_are_no_columns(tmp_path):
    (tmp_path / "year=2019").mkdir()
    path = tmp_path / "year=2019" / "a.parquet"
    write_file(TABLE, path)
    assert read_file(path).column_names == TABLE.column_names


@pytest.mark.parametrize("name", ["a", "a.gz", ".csv", "a.json.gz"])
def test_unknown_suffix_lists_the_known(tmp_path, name):
    for call in (read_file, sniff_dialect):
        error = refusal(FileError, call, tmp_path / name)
        assert all(suffix in error.hint for suffix in suffixes())
    refusal(FileError, write_file, TABLE, tmp_path / name)


def test_missing_file_suggests_a_close_name(tmp_path):
    (tmp_path / "people.csv").write_text("a\n1\n")
    error = refusal(FileError, read_file, tmp_path / "poeple.csv")
    assert "poeple.csv" in error.message
    assert error.hint == "Did you mean 'people.csv'?"
    assert "folder" in refusal(FileError, read_file, tmp_path / "none" / "a.csv").message
    assert "people.csv" in refusal(FileError, sha256_of, tmp_path / "people.csw").hint


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow", "a.sav"])
def test_folders_empty_files_and_closed_files_are_refused(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.mkdir()
    assert "is a folder" in refusal(FileError, read_file, path).message
    path.rmdir()
    path.touch()
    assert "empty (0 bytes)" in refusal(FileError, read_file, path).message

    def closed(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", closed)
    assert "no permission to read" in refusal(FileError, read_file, path).message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes as Unix has them")
@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    assert "is a pipe or a device" in refusal(FileError, read_file, tmp_path / name).message
    options = {"quasi_identifiers": ["a"], "memory": "500MB"}
    with pytest.raises(MicroaggError, match="is a pipe or a device"):
        ma.protect_file(tmp_path / name, tmp_path / "out", 3, **options)


def test_another_error_of_the_disk_is_ours_too(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", broken)
    assert "Input/output" in refusal(FileError, read_file, tmp_path / "a.csv").message


def contents() -> dict[str, bytes]:
    text = f"name,age\n{SECRET},40\n".encode()
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"name": [SECRET]}), sink)
    arrow = pa.BufferOutputStream()
    with pa.ipc.new_file(arrow, TABLE.schema) as file:
        file.write_table(TABLE)
    return {
        "text": text,
        "parquet": sink.getvalue().to_pybytes(),
        "arrow": arrow.getvalue().to_pybytes(),
        "gzip": gzip.compress(text),
        "excel": b"PK\x03\x04" + text,
        "binary": b"\x00\x01\x02" + text,
    }


@pytest.mark.parametrize(
    ("suffix", "right"),
    [
        (".csv", {"text"}),
        (".csv.gz", {"gzip"}),
        (".parquet", {"parquet"}),
        (".arrow", {"arrow"}),
        (".sav", set()),
        (".dta", set()),
        (".sas7bdat", set()),
        (".xpt", set()),
    ],
)
def test_a_file_that_is_not_what_its_suffix_says(tmp_path, suffix, right):
    for kind, content in contents().items():
        path = tmp_path / f"{kind}{suffix}"
        path.write_bytes(content)
        if kind in right:
            assert read_file(path).num_rows > 0
        else:
            assert str(path) in refusal(FileError, read_file, path).message


def test_the_hint_names_the_right_suffix(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(contents()["parquet"])
    assert refusal(FileError, read_file, path).hint == "Rename it to end in .parquet."
    path.write_bytes(contents()["excel"])
    assert "Excel" in refusal(FileError, read_file, path).message


@pytest.mark.parametrize(("kind", "suffix"), [("parquet", ".parquet"), ("gzip", ".csv.gz")])
@pytest.mark.parametrize("kept", [0.5, 0.9])
def test_a_file_that_breaks_off(tmp_path, kind, suffix, kept):
    path = tmp_path / f"a{suffix}"
    content = contents()[kind]
    path.write_bytes(content[: int(len(content) * kept)])
    assert "damaged" in refusal(FileError, read_file, path).message


def test_an_arrow_file_that_breaks_off(tmp_path):
    for kind in (b"ARROW1\0\0", b"\xff\xff\xff\xff\x10\0\0\0"):
        path = tmp_path / "a.feather"
        path.write_bytes(kind + b"\0" * 20)
        assert "damaged" in refusal(FileError, read_file, path).message


def test_no_records_and_names_that_repeat_in_columnar_files(tmp_path):
    path = tmp_path / "a.arrow"
    write_file(TABLE.slice(0, 0), path)
    assert "no records" in refusal(DataError, read_file, path).message
    twice = pa.table([[1], [2]], names=["x", "x"])
    assert "columns 1 and 2" in refusal(DataError, write_file, twice, path).message
    with pa.OSFile(str(path), "wb") as stream, pa.ipc.new_file(stream, twice.schema) as file:
        file.write_table(twice)
    assert "columns 1 and 2" in refusal(DataError, read_file, path).message
    write_file(pa.table([[1], [2]], names=["x", " "]), path, overwrite=True)
    assert "Column 2" in refusal(DataError, read_file, path).message


def test_options_that_mean_nothing_for_the_format_are_errors(tmp_path):
    path = tmp_path / "a.parquet"
    write_file(TABLE, path)
    for option in ({"separator": ";"}, {"decimal": ","}, {"encoding": "latin-1"}):
        assert next(iter(option)) in refusal(ParameterError, read_file, path, **option).message
    assert sniff_dialect(path) is None


@pytest.mark.parametrize(
    "options",
    [
        {"separator": ",", "decimal": ","},
        {"separator": ";;"},
        {"separator": ""},
        {"separator": "é"},
        {"separator": "1"},
        {"separator": '"'},
        {"decimal": ";"},
        {"encoding": "utf-9"},
        {"encoding": "base64"},
        {"parse": "age"},
        {"parse": ["agee"]},
    ],
)
def test_wrong_options(tmp_path, options):
    path = tmp_path / "a.csv"
    path.write_text("age,job\n1,x\n")
    error = refusal(ParameterError, read_file, path, **options)
    assert f"'{next(iter(options))}'" in error.message or "'decimal'" in error.message


def test_hints_for_wrong_options(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("age,job\n1,x\n")
    assert "'age'" in refusal(ParameterError, read_file, path, parse=["agee"]).hint
    assert "utf-8" in refusal(ParameterError, read_file, path, encoding="utf-9").hint


def test_sha256(tmp_path):
    path = tmp_path / "a.bin"
    content = os.urandom(3_000_000)
    path.write_bytes(content)
    assert sha256_of(path) == hashlib.sha256(content).hexdigest()


def test_a_failed_write_names_the_target_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    error = refusal(DataError, write_file, pa.table({"tags": [[SECRET]]}), path, overwrite=True)
    assert "'tags'" in error.message
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.csv"]
    assert "no folder" in refusal(FileError, write_file, TABLE, tmp_path / "x" / "a.csv").message
    error = refusal(FileError, write_file, TABLE, tmp_path / "a.sas7bdat")
    assert str(tmp_path / "a.sas7bdat") in error.message
    assert ".xpt" in error.hint


def test_the_import_is_light():
    code = "import sys, microagg.data.files; print([m for m in %r if m in sys.modules])"
    heavy = ["pyarrow", "pandas", "pyreadstat"]
    done = subprocess.run(
        [sys.executable, "-c", code % heavy], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@real_data
@pytest.mark.parametrize(
    "name", ["census.csv", "tarragona.csv", "eia.csv", "adult.csv", "nist_acs_national2019.csv"]
)
def test_real_files_come_back_byte_for_byte(tmp_path, name):
    source = Path(os.environ["MICROAGG_DATA"], name)
    if not source.exists():
        pytest.skip(f"{name} is not in MICROAGG_DATA")
    write_file(read_file(source, parse=[]), tmp_path / name, like=sniff_dialect(source))
    assert (tmp_path / name).read_bytes() == source.read_bytes()


@real_data
def test_the_census_is_all_numbers():
    table = read_file(Path(os.environ["MICROAGG_DATA"], "census.csv"))
    assert table.num_rows == 1080
    assert set(table.schema.types) == {pa.int64()}


@pytest.mark.parametrize("name", ["a" * 300, "x/" * 3_000 + "a"], ids=["long name", "long path"])
@pytest.mark.parametrize("which", ["output", "source", "assessed"])
def test_names_that_no_file_system_takes(name, which, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("age\n" + "\n".join(map(str, range(30))))
    paths = {"source": "a.csv", "output": "out"} | {which: f"{name}.csv"}
    given = {"quasi_identifiers": ["age"], "memory": "500MB"}
    with pytest.raises(FileError, match="too long"):
        _ = (
            ma.assess_file(paths[which], "a.csv")
            if which == "assessed"
            else ma.protect_file(paths["source"], paths["output"], 3, **given)
        )


@pytest.mark.parametrize("option", ["-o", "--report"])
def test_paths_of_the_command_line_that_no_file_system_takes(option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("age\n" + "\n".join(map(str, range(30))))
    options = {"-o": "b.csv", "--report": "b.html", option: "x/" * 3_000 + "y.csv"}
    words = ["protect", "a.csv", "-k", "3", "--qi", "age", "--method", "mdav"]
    with pytest.raises(FileError, match="too long"):
        app.main([*words, *itertools.chain(*options.items())], standalone_mode=False)
