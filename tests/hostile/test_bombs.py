"""Small files that stand for more values than memory can hold are refused; others are read."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.data import expansion, parquet_sizes
from microagg.data.streams import Stream
from tests.hostile import bombs
from tests.hostile.files import damaged
from tests.hostile.seeds import rng_of

REFUSED = "expands to more than 200 times its size"


@pytest.mark.parametrize("suffix", [".feather", ".arrow", ".parquet"])
def test_bombs_are_refused_with_little_memory(suffix, tmp_path, record_property):
    command = [sys.executable, "-m", "tests.hostile.bombs", str(tmp_path), suffix]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    made = bombs.PARQUET if suffix == ".parquet" else bombs.ENCODED
    record_property("bombs", len(ends))
    assert {name: end for name, _, end in ends} == dict.fromkeys(made, "refused"), done.stderr


@pytest.mark.parametrize("suffix", [".feather", ".arrow", ".parquet"])
def test_files_that_compress_well_are_read(suffix, tmp_path):
    n = 1_000_000
    words = pa.array(["a town with quite a long name"])
    table = pa.table(
        {
            "constant": np.full(n, 7),
            "zero": np.zeros(n),
            "town": words.take(np.zeros(n, dtype=int)),
            "coded": pa.DictionaryArray.from_arrays(np.zeros(n, dtype=np.int8), words),
            "empty": pa.nulls(n, pa.float64()),
        }
    )
    path = tmp_path / f"a{suffix}"
    ma.write_file(table, path)
    assert ma.read_file(path).num_rows == n


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(expansion, "ALWAYS_READ", 1 << 16)


def with_hidden_values(path, n=200_000):
    """Write a list of so many numbers; the footer states that there are five."""
    values = pa.ListArray.from_arrays(pa.array([0, n], pa.int32()), np.zeros(n))
    pq.write_table(pa.table({"x": values}), path, data_page_size=1 << 30, write_batch_size=1 << 30)
    stated = _varint(n)
    data, length = path.read_bytes(), int.from_bytes(path.read_bytes()[-8:-4], "little")
    footer = data[-8 - length : -8]
    assert stated in footer
    false = _varint(5)
    false = bytes([false[0] | 128]) + b"\x80" * (len(stated) - 2) + b"\x00"
    path.write_bytes(data[: -8 - length] + footer.replace(stated, false) + data[-8:])
    assert pq.read_metadata(path).row_group(0).column(0).num_values == 5


def _varint(number):
    """Return a number as footers have it."""
    number, parts = number << 1, []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def test_a_footer_that_hides_values_is_not_believed(tmp_path, small_limit):
    path = tmp_path / "a.parquet"
    with_hidden_values(path)
    with pytest.raises(ma.FileError, match=REFUSED):
        ma.read_file(path)


def test_messages_that_are_named_many_times_count_as_often(tmp_path, small_limit):
    path = tmp_path / "a.feather"
    bombs.write(pa.chunked_array([pa.array(np.zeros(1_000))] * 50), path)
    ma.read_file(path)  # 400,000 bytes of at least 50 messages
    data, length = path.read_bytes(), int.from_bytes(path.read_bytes()[-10:-6], "little")
    footer = data[-10 - length : -10]
    with pa.ipc.open_file(path) as file:
        assert file.num_record_batches == 50
    # The messages stay in the file once; their places in the footer all become that of the first.
    offsets = [i for i in range(8, len(data)) if data[i : i + 4] == b"\xff" * 4]
    first = offsets[1].to_bytes(8, "little")
    for offset in offsets[2:-1]:
        footer = footer.replace(offset.to_bytes(8, "little"), first)
    end = offsets[2]
    path.write_bytes(data[:end] + footer + data[-10:])
    assert pa.ipc.open_file(path).read_all().num_rows == 50_000
    with pytest.raises(ma.FileError, match=REFUSED):
        ma.read_file(path)


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("suffix", [".feather", ".arrow"])
def test_damaged_messages_are_refused(suffix, compression, tmp_path, record_property):
    words = pa.array([f"a word of some length {i}" for i in range(30)])
    table = pa.table(
        {
            "view": words.cast(pa.string_view()),
            "runs": pa.compute.run_end_encode(words),
            "coded": words.dictionary_encode(),
            "inside": bombs.in_lists(words.cast(pa.string_view())),
        }
    )
    path = tmp_path / f"a{suffix}"
    maker = pa.ipc.new_file if suffix == ".feather" else pa.ipc.new_stream
    with maker(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table, max_chunksize=10)
    whole = path.read_bytes()
    for case in range(250):
        path.write_bytes(damaged(whole, rng_of(case)))
        try:
            ma.read_file(path)
        except ma.MicroaggError:
            continue
    record_property("damaged messages", 250)


def test_damaged_parquet_files_end_no_process(tmp_path, record_property):
    command = [sys.executable, "-m", "tests.hostile.bombs", str(tmp_path), "300", "500"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    record_property("damaged Parquet files", len(ends))
    assert len(ends) == 200, done.stderr
    assert {end for _, *both in ends for end in both} <= {"read", "another error of ours"}


def command_line(*arguments):
    """Return what a command prints, and require that it fails with a message of ours."""
    command = [sys.executable, "-m", "microagg", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("suffix", [".feather", ".parquet"])
def test_every_command_refuses_bombs(suffix, tmp_path):
    path = tmp_path / f"bomb{suffix}"
    table = pa.table({"age": np.arange(bombs.ROWS), "x": bombs.dictionary(["a", bombs.LONG])})
    if suffix == ".parquet":
        pq.write_table(table, path, compression="zstd", store_schema=False)
    else:
        bombs.write(bombs.dictionary([bombs.LONG]), path)
    out = tmp_path / "out.csv"
    for arguments in (
        ("protect", path, "-k", "3", "--qi", "age", "-o", out),
        ("assess", path, path, "--qi", "age"),
        ("schema", path),
    ):
        assert REFUSED in command_line(*arguments)
    assert not out.exists()


def test_large_files_decode_repeated_text_bit_by_bit(tmp_path):
    path = tmp_path / "a.parquet"
    text = bombs.dictionary(["a", "y" * (1 << 18)], first=3_000)  # 15 GB
    table = pa.table({"age": np.arange(bombs.ROWS), "x": text, "inside": bombs.in_structure(text)})
    pq.write_table(table, path, compression="zstd", store_schema=False)
    size = 1 << 24
    before, rows = pa.total_allocated_bytes(), 0
    for number, piece in enumerate(Stream(path, size=size).tables(1 << 14)):
        assert piece.nbytes <= size
        assert pa.total_allocated_bytes() - before < 8 * size
        rows += piece.num_rows
        if number == 20:
            break
    assert rows > 3_000


def test_large_files_with_pages_beyond_memory_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": ["y" * 1_000_000] * 70}), path, use_dictionary=False,
                   data_page_size=1 << 30, write_batch_size=1 << 20)  # fmt: skip
    with pytest.raises(ma.FileError, match=r"Column 'x' of .* needs 66 MB at a time"):
        list(Stream(path, size=1 << 20).tables(1_000))
    monkeypatch.setattr(parquet_sizes, "LISTS", 1 << 20)
    with_hidden_values(path)
    with pytest.raises(ma.FileError, match=r"Column 'x' of .* needs 1 MB at a time"):
        list(Stream(path, size=1 << 20).tables(1_000))


def statistical_bomb(path):
    """Write a file that stores the same text once for many records, or blanks in next to no bytes."""
    pd = pytest.importorskip("pandas")
    pyreadstat = pytest.importorskip("pyreadstat")
    if path.suffix == ".dta":
        frame = pd.DataFrame({"x": np.arange(2_000.0), "text": "y" * 20_000})
        frame.to_stata(path, version=118, convert_strl=["text"], write_index=False)
    else:
        frame = pd.DataFrame({"x": np.zeros(2_000), "text": ["y" * 20_000, *[""] * 1_999]})
        pyreadstat.write_sav(frame, str(path), compress=True)


@pytest.mark.parametrize("suffix", [".dta", ".zsav"])
def test_statistical_files_that_expand_out_of_proportion_are_refused(suffix, tmp_path, small_limit):
    path = tmp_path / f"a{suffix}"
    statistical_bomb(path)
    assert 200 * path.stat().st_size < 2_000 * 20_000
    with pytest.raises(ma.FileError, match=REFUSED):
        ma.read_file(path)


@pytest.mark.parametrize("version", [117, 118])
def test_long_texts_of_stata_are_read_in_steps(version, tmp_path, small_limit):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyreadstat")
    texts = [f"text {i}" for i in range(999)]
    frame = pd.DataFrame({"x": np.arange(1_000.0), "text": [*texts, "y" * 100_000]})
    frame.loc[700, "x"] = np.nan
    path = tmp_path / "a.dta"
    frame.to_stata(path, version=version, convert_strl=["text"], write_index=False)
    assert 200 * path.stat().st_size < 1_000 * 100_000  # so one step is not enough
    table = ma.read_file(path)
    assert table["text"].to_pylist() == frame["text"].tolist()
    assert table["x"].null_count == 1
    assert table["x"].drop_null().to_pylist() == frame["x"].dropna().tolist()


@pytest.mark.parametrize("suffix", [".feather", ".parquet", ".csv.gz"])
def test_a_release_may_compress_in_any_proportion(suffix, tmp_path, monkeypatch, small_limit):
    monkeypatch.setattr("microagg.data.content.ALWAYS_UNPACKED", 1 << 10)
    monkeypatch.setattr("microagg.data.content.LARGEST_RATIO", 2)
    table = pa.table({"age": np.arange(20_000) % 7, "x": np.zeros(20_000)})
    release = ma.protect(table, 10_000, quasi_identifiers=["age"], method="mdav")
    path = tmp_path / f"a{suffix}"
    release.write({"data": path})
    with pytest.raises(ma.FileError, match="expands to more than"):
        ma.read_file(path)


@pytest.mark.parametrize(("columns", "rows"), [(20_000, 1), (3, 7_000)])
def test_text_with_very_many_columns_and_few_records_is_refused(
    columns, rows, tmp_path, monkeypatch
):
    """Arrow takes memory for each column, and aborts the process where it gets none."""
    monkeypatch.setattr(expansion, "ALWAYS_READ", 1 << 26)
    path = tmp_path / "a.csv"
    header = ",".join(f"c{number}" for number in range(columns))
    path.write_text(f"{header}\n" + (",".join(["1"] * columns) + "\n") * rows)
    if columns < rows:
        assert ma.read_file(path).num_rows == rows
        return
    with pytest.raises(ma.FileError, match="expands to more than 200 times its size"):
        ma.read_file(path)
