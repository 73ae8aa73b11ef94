"""Streams: a file in pieces is the file as a whole, and is written so too."""

import gzip
from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.data import delimited_stream, streams
from microagg.data.dialect import CsvDialect
from microagg.data.files import read_file, write_file
from microagg.data.formats import parquet
from microagg.data.streams import Stream, TableWriter
from microagg.errors import DataError, FileError
from tests.examples import examples

FIELDS = st.text(st.sampled_from('ab1 ,;"\n\r.é'), max_size=6).filter(lambda text: text != "\n")


def whole(stream, rows=3, columns=None):
    tables = list(stream.tables(rows, columns))
    assert all(table.num_rows == rows for table in tables[:-1])
    return pa.concat_tables(tables)


@settings(max_examples=examples(100), deadline=None)
@given(
    records=st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=12),
    piece=st.integers(1, 40),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-16", "latin-1"]),
)
def test_pieces_of_text_are_the_whole(tmp_path_factory, records, piece, newline, encoding):
    path = tmp_path_factory.mktemp("pieces") / "records.csv"
    columns = list(zip(*records, strict=True))
    table = pa.table({"a": pa.array(columns[0]), "b": pa.array(columns[1])})
    write_file(table, path, like=CsvDialect(newline=newline, encoding=encoding))
    expected = read_file(path, encoding=encoding, separator=",", parse=[])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited_stream, "PIECE", piece)
        stream = Stream(path, encoding=encoding, separator=",")
        assert stream.names == ["a", "b"]
        assert whole(stream).equals(expected)
        assert whole(stream, columns=["b"]).equals(expected.select(["b"]))


@pytest.mark.parametrize("piece", [1, 5, 1000])
@pytest.mark.parametrize("text", ["age\n1\n\n2\n", "age\n1\n2\n\n\n", "age\n1\n2"])
def test_blank_lines_of_a_single_column(tmp_path, monkeypatch, piece, text):
    path = tmp_path / "one.csv"
    path.write_text(text)
    monkeypatch.setattr(delimited_stream, "PIECE", piece)
    assert whole(Stream(path)).equals(read_file(path, parse=[]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n1,2\n3\n4,5\n", "Line 4 of"),
        ('a,b\n1,2\n1,"2"x\n', "quoted field that starts on line 3"),
        ("a,a\n1,2\n", "more than one column"),
        ("1,2\n3,4\n", "looks like a record"),
        ("a,b\n1,\0\n", "NUL bytes"),
    ],
)
def test_what_is_wrong_is_told_by_its_line(tmp_path, monkeypatch, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    monkeypatch.setattr(delimited_stream, "PIECE", 4)
    with pytest.raises((FileError, DataError), match=words):
        whole(Stream(path))


def test_an_open_quote_does_not_fill_the_memory(tmp_path, monkeypatch):
    path = tmp_path / "open.csv"
    path.write_text('a,b\n1,"' + "x\n" * 500)
    monkeypatch.setattr(delimited_stream, "PIECE", 16)
    monkeypatch.setattr(delimited_stream, "LONGEST", 64)
    with pytest.raises(FileError, match=r"starts on line 2 .* does not end"):
        whole(Stream(path))


def test_gzip_and_what_is_not_text(tmp_path):
    path = tmp_path / "records.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n"))
    assert whole(Stream(path)).to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 5000)[:40])
    with pytest.raises(FileError, match="ends early"):
        Stream(path)
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"a,b\n1,2\n" + "é,1\n".encode("latin-1"))
    with pytest.raises(FileError, match="not valid utf-8"):
        whole(Stream(latin))


@pytest.mark.parametrize("rows", [1, 4, 100])
def test_pieces_of_parquet_are_the_whole(tmp_path, rows):
    path = tmp_path / "records.parquet"
    table = pa.table({"a": list(range(10)), "b": list("abcdefghij")})
    pq.write_table(table, path, row_group_size=3)
    stream = Stream(path)
    assert whole(stream, rows).equals(table)
    assert whole(stream, rows, ["b"]).equals(table.select(["b"]))
    assert stream.expected == 10


def test_a_damaged_parquet_file(tmp_path):
    path = tmp_path / "records.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FileError, match="damaged"):
        Stream(path)
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(FileError, match="not a Parquet file"):
        Stream(path)


def test_other_formats_and_no_records(tmp_path):
    path = tmp_path / "people.feather"
    write_file(pa.table({"a": [1]}), path)
    with pytest.raises(FileError, match="piece by piece"):
        Stream(path)
    empty = tmp_path / "empty.csv"
    empty.write_text("a,b\n")
    with pytest.raises(DataError, match="no records"):
        _ = Stream(empty).expected


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_tables_that_follow_each_other_are_one_file(tmp_path, suffix):
    path = tmp_path / f"release.{suffix}"
    towns = pa.array(["x", "y", "z", "x"]).dictionary_encode()
    table = pa.table({"a": [1.5, 2.0, 3.0, 4.0], "town": towns})
    with TableWriter(path, None if suffix == "parquet" else CsvDialect(separator=";")) as writer:
        writer.write(table.slice(0, 2))
        writer.write(table.slice(2))
    assert read_file(path).column("a").to_pylist() == table.column("a").to_pylist()
    if suffix == "csv":
        assert path.read_text() == "a;town\n1.5;x\n2.0;y\n3.0;z\n4.0;x\n"


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_tables_are_no_larger_than_asked(tmp_path, suffix):
    path = tmp_path / f"growing.{suffix}"
    texts = [str(i) + "x" * (i if i % 7 else 0) for i in range(3000)]
    expected = pa.table({"a": texts, "b": ["y"] * 3000})
    write_file(expected, path)
    tables = list(Stream(path, size=50_000).tables(2000))
    assert pa.concat_tables(tables).cast(expected.schema).equals(expected)
    assert max(table.nbytes for table in tables) <= 50_000
    assert len(tables) < 2 * expected.nbytes / 50_000 + 2
    assert [table.num_rows for table in Stream(path).tables(2000)] == [2000, 1000]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_record_that_the_memory_has_no_room_for(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"long.{suffix}"
    write_file(pa.table({"a": ["x"] * 30 + ["x" * 90_000], "b": ["y"] * 31}), path)
    monkeypatch.setattr(streams, "LONG", 40_000)
    monkeypatch.setattr(delimited_stream, "PIECE", 100)
    with pytest.raises(FileError, match=r"Data row 31 of|starts on line 32 .* does not end"):
        list(Stream(path, size=1000).tables(10))
    assert sum(table.num_rows for table in Stream(path, size=90_200).tables(10)) == 31


@pytest.mark.parametrize("suffix", ["parquet", "csv", "csv.gz"])
def test_how_many_records_are_expected(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"many.{suffix}"
    texts = [f"{i * 7919 % 10_007:020d}{i * 104_729 % 65_537}" for i in range(400_000)]
    write_file(pa.table({"a": texts}), path)
    monkeypatch.setattr(delimited_stream, "PIECE", 5_000_000)  # gzip reads 128 kB at a time
    assert Stream(path).expected == pytest.approx(400_000, rel=0.2)


def nested(kind):
    """Return categories inside another type."""
    words = pa.array(["a", "b", "a", "b"]).dictionary_encode()
    offsets = pa.array(range(5), pa.int32())
    return {
        "struct": lambda: pa.StructArray.from_arrays([words], ["inside"]),
        "list": lambda: pa.ListArray.from_arrays(offsets, words),
        "large list": lambda: pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), words),
        "fixed list": lambda: pa.FixedSizeListArray.from_arrays(words, 1),
    }[kind]()


@pytest.mark.parametrize("kind", ["struct", "list", "large list", "fixed list"])
def test_nested_categories_in_several_row_groups_can_be_read(tmp_path, kind):
    table = pa.table({"x": nested(kind)})
    pq.write_table(table, tmp_path / "foreign.parquet", row_group_size=2)
    assert read_file(tmp_path / "foreign.parquet").to_pylist() == table.to_pylist()
    with TableWriter(tmp_path / "ours.parquet", None) as writer:
        for first in (0, 2):
            writer.write(table.slice(first, 2))
    assert pq.read_table(tmp_path / "ours.parquet").to_pylist() == table.to_pylist()


def row_groups(path):
    with pq.ParquetFile(path) as file:
        return [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]


def test_row_groups_do_not_tell_where_records_were_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "GROUP", 64)
    table = pa.table({"x": range(1000), "name": [f"p{i}" for i in range(1000)]})
    for number, cuts in enumerate([(0, 500, 1000), (0, 3, 98, 99, 400, 1000), (0, 1000)]):
        with TableWriter(tmp_path / f"{number}.parquet", None) as writer:
            for first, last in pairwise(cuts):
                writer.write(table.slice(first, last - first))
        assert pq.read_table(tmp_path / f"{number}.parquet").to_pylist() == table.to_pylist()
        assert row_groups(tmp_path / f"{number}.parquet") == [64] * 15 + [40]


def test_row_groups_of_large_records_are_shorter(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "GROUP_BYTES", 1 << 20)
    table = pa.table({"name": ["x" * 10_000] * 300})
    with TableWriter(tmp_path / "long.parquet", None) as writer:
        for first in range(0, 300, 30):
            writer.write(table.slice(first, 30))
    assert row_groups(tmp_path / "long.parquet") == [64] * 4 + [44]


def test_a_piece_without_records(tmp_path):
    table = pa.table({"x": [1, 2]})
    with TableWriter(tmp_path / "x.parquet", None) as writer:
        for part in (table.slice(0, 0), table, table.slice(0, 0)):
            writer.write(part)
    assert read_file(tmp_path / "x.parquet").equals(table)
