"""Files that are damaged or made to do harm are refused; they do not end the process."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microagg.data import content, expansion
from microagg.data.columnar import signs_of_damage
from microagg.data.files import CsvDialect, read_file, sniff_dialect, write_file
from microagg.data.parquet_sizes import decoded
from microagg.data.streams import Stream
from microagg.errors import DataError, FileError, ParameterError
from tests.examples import sample

READ = """
import sys
from microagg.data.files import read_file, write_file
from microagg.errors import MicroaggError

try:
    table = read_file(sys.argv[1])
    write_file(table, sys.argv[2], overwrite=True)
except MicroaggError:
    print("refused")
else:
    print("read")
"""


def end_of(path: Path) -> str:
    """Read and write a file in a process of its own, which it may end."""
    out = path.with_name("copy.csv")
    command = [sys.executable, "-c", READ, str(path), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    return done.stdout.strip() if done.returncode == 0 else f"ended with {done.returncode}"


def with_indices(path: Path, code: int) -> None:
    """Write an Arrow file in which a record has a category that does not exist."""
    words = pa.array(["a", "b"])
    indices = pa.array(np.full(64, 0x11, dtype=np.int8))
    odd = pa.DictionaryArray.from_arrays(indices, words, safe=False)
    table = pa.table({"town": odd, "age": np.arange(64)})
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    data = path.read_bytes().replace(b"\x11" * 64, bytes([code]) * 64)
    path.write_bytes(data)


@pytest.mark.parametrize("code", sample([2, 0x7F, 0x80, 0xFF]))
def test_categories_that_do_not_exist(tmp_path, code):
    path = tmp_path / "a.arrow"
    with_indices(path, code)
    assert end_of(path) == "refused"
    with_indices(path, 1)
    assert end_of(path) == "read"


@pytest.mark.parametrize("offset", [-(2**31), -1, 10**6, 2**31 - 1])
def test_texts_that_lead_out_of_the_file(tmp_path, offset):
    path = tmp_path / "a.arrow"
    table = pa.table({"name": ["abcdefgh"] * 9})
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    good = np.arange(0, 80, 8, dtype=np.int32).tobytes()
    bad = good.replace(np.int32(40).tobytes(), np.int32(offset).tobytes())
    assert good in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(good, bad))
    assert end_of(path) == "refused"


def test_text_and_names_that_are_not_utf_8(tmp_path):
    path = tmp_path / "a.arrow"
    table = pa.table({"nameofcolumn": ["abcdefgh"] * 9})
    for word in (b"nameofcolumn", b"abcdefgh"):
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
        path.write_bytes(path.read_bytes().replace(word, b"\xff" + word[1:]))
        with pytest.raises(FileError, match="is damaged") as caught:
            read_file(path)
        assert "abcd" not in str(caught.value)


def test_a_damaged_stata_file_is_called_damaged(tmp_path):
    path = tmp_path / "a.dta"
    write_file(pa.table({"age": [1.0, 2.0]}), path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(FileError, match="is damaged: it begins like a Stata file"):
        read_file(path)
    path = tmp_path / "a.sav"
    write_file(pa.table({"age": [1.0, 2.0]}), path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(FileError, match="is damaged: it begins like an SPSS file"):
        read_file(path)


def test_labels_that_are_none_are_refused(tmp_path):
    for labels in (b"{", b"[1]", b"[" * 100_000):
        field = pa.field("age", pa.float64(), metadata={b"microagg.value_labels": labels})
        table = pa.table([[1.0]], schema=pa.schema([field]))
        with pytest.raises(DataError, match="labels of column 'age' cannot be read"):
            write_file(table, tmp_path / "a.sav")


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(content, "ALWAYS_UNPACKED", 1 << 16)
    monkeypatch.setattr(expansion, "ALWAYS_READ", 1 << 16)


def test_a_gzip_bomb_is_stopped(tmp_path, small_limit):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"age\n" + b"1\n" * (1 << 23)))
    with pytest.raises(FileError, match="expands to more than 200 times its size"):
        read_file(path)


def test_a_gzip_bomb_is_stopped_before_it_is_unpacked(tmp_path):
    path = tmp_path / "a.csv.gz"
    piece = gzip.compress(b"1\n" * (1 << 25))
    path.write_bytes(gzip.compress(b"age\n") + piece * 32)  # 2 GB
    with pytest.raises(FileError, match="expands to more than 200 times its size"):
        read_file(path)


def repeated(path, first, rest, rows=30_000):
    """Write a Parquet file of which the first 2,000 records have one text and the rest another."""
    text = pa.array([first] * 2_000 + [rest] * (rows - 2_000))
    pq.write_table(pa.table({"age": range(rows), "text": text}), path, compression="zstd")


def test_a_parquet_bomb_is_stopped(tmp_path, small_limit):
    repeated(tmp_path / "a.parquet", "y" * 5_000, "y" * 5_000)
    with pytest.raises(FileError, match="expands to more than 200 times its size"):
        read_file(tmp_path / "a.parquet")


def test_a_parquet_file_that_begins_with_long_text_is_read(tmp_path, small_limit):
    repeated(tmp_path / "a.parquet", "y" * 5_000, "z", rows=300_000)
    assert read_file(tmp_path / "a.parquet").num_rows == 300_000


def test_files_that_pack_well_are_read(tmp_path, small_limit):
    path = tmp_path / "a.csv.gz"
    rows = "".join(f"{i % 97},{i}\n" for i in range(50_000))
    path.write_bytes(gzip.compress(f"age,row\n{rows}".encode()))
    assert read_file(path).num_rows == 50_000


def test_a_parquet_file_that_says_it_is_huge_is_stopped(tmp_path, small_limit):
    path = tmp_path / "a.parquet"
    table = pa.table({"x": pa.array(np.zeros(1 << 20, dtype=np.int64))})
    pq.write_table(table, path)
    assert path.stat().st_size * 200 < 1 << 20
    with pytest.raises(FileError, match="expands to more than 200 times its size"):
        read_file(path)
    assert sum(part.num_rows for part in Stream(path).tables(1 << 16)) == 1 << 20  # bit by bit


@pytest.mark.parametrize("encoding", ["idna", "punycode", "unicode_escape", "raw_unicode_escape"])
def test_encodings_that_are_not_for_files(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_text("age\n40\n")
    for call in (read_file, sniff_dialect):
        with pytest.raises(ParameterError, match="'encoding' parameter must be a text encoding"):
            call(path, encoding=encoding)
    with pytest.raises(ParameterError, match="'encoding' parameter"):
        CsvDialect(encoding=encoding)


def test_names_that_no_file_can_have(tmp_path):
    for name in ("x" * 300 + ".csv", "a\0b.csv"):
        with pytest.raises(FileError):
            read_file(tmp_path / name)
        with pytest.raises(FileError):
            write_file(pa.table({"age": [1]}), tmp_path / name)


def test_codes_beyond_their_categories_are_a_sign_of_damage():
    codes = pa.array([0, 30], type=pa.int32())
    beyond = pa.DictionaryArray.from_arrays(codes, ["a"], safe=False)
    batch = pa.RecordBatch.from_arrays([beyond], names=["town"])
    with pytest.raises(signs_of_damage()):
        list(decoded(batch, pa.schema([("town", pa.string())]), 1 << 20))
