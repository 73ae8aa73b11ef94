"""Valid Parquet files of every encoding are read; headers that readers disagree about are refused."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.data import expansion
from microagg.data.parquet_pages import ColumnChunk, chunks_of, pages
from microagg.data.streams import Stream

DELTAS = ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
LONG = "y" * (1 << 18)


def write(path, columns, encoding, **options):
    """Write columns of text, all in one encoding."""
    table = pa.table(columns)
    with pq.ParquetWriter(path, table.schema, use_dictionary=False, column_encoding=encoding,
                          compression="zstd", write_statistics=False, **options) as file:  # fmt: skip
        file.write_table(table)
    return table


def in_pieces(path, size=1 << 24):
    return pa.concat_tables(Stream(path, size=size).tables(1_000))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", DELTAS)
def test_text_of_every_encoding_is_read(encoding, version, tmp_path):
    words = pa.array([f"word {i}" if i % 5 else None for i in range(300)])
    columns = {
        "x": words,
        "bytes": words.cast(pa.binary()),
        "inside": pa.StructArray.from_arrays([words], ["x"]),
        "lists": pa.array([[f"word {i}"] * (i % 4) for i in range(300)]),
    }
    path = tmp_path / "a.parquet"
    table = write(path, columns, encoding, data_page_version=version)
    assert ma.read_file(path).equals(table)
    assert in_pieces(path).equals(table)


def test_text_of_several_encodings_is_read(tmp_path):
    table = pa.table({"x": [f"word {i % 9}" for i in range(100)], "y": ["a", "b"] * 50})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, use_dictionary=["y"], column_encoding={"x": "DELTA_BYTE_ARRAY"})
    assert ma.read_file(path).equals(table)
    assert in_pieces(path).equals(table)


def test_prefixes_that_expand_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(expansion, "ALWAYS_READ", 1 << 16)
    path = tmp_path / "a.parquet"
    for column in (pa.array([LONG] * 400), pa.array([[LONG] * 400])):
        write(path, {"x": column}, "DELTA_BYTE_ARRAY", data_page_size=1 << 30)
        with pytest.raises(ma.FileError, match="expands to more than 200 times its size"):
            ma.read_file(path)


def test_prefixes_of_large_files_are_decoded_bit_by_bit(tmp_path):
    path = tmp_path / "a.parquet"
    write(path, {"x": [LONG] * 2_000}, "DELTA_BYTE_ARRAY", data_page_size=1 << 30)  # 500 MB
    before, rows = pa.total_allocated_bytes(), 0
    for piece in Stream(path, size=1 << 24).tables(2_000):
        assert pa.total_allocated_bytes() - before < 1 << 28
        rows += piece.num_rows
    assert rows == 2_000


def test_an_empty_row_group_is_read(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"x": np.arange(10.0), "town": ["a", "b"] * 5})
    with pq.ParquetWriter(path, table.schema) as file:
        for part in (table.slice(0, 0), table, table.slice(0, 0)):
            file.write_table(part)
    assert pq.read_metadata(path).num_row_groups == 3
    assert ma.read_file(path).equals(table)
    assert in_pieces(path).equals(table)


I32, I64, STRUCT = 5, 6, 12


def number(value):
    """Return a number as the compact protocol of Thrift has it."""
    value, parts = value << 1, []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def field(place, kind, value):
    """Return a field of a structure, with its number in full."""
    return bytes([kind]) + number(place) + (value if kind == STRUCT else number(value))


DATA = field(1, I32, 7) + field(2, I32, 0) + b"\0"
START = field(1, I32, 0) + field(2, I32, 40)
PAGE = START + field(3, I32, 0) + field(5, STRUCT, DATA) + b"\0"


def read(header, values=7, size=None):
    """Return the pages of a column chunk that consists of headers."""

    def read_at(start, length):
        return header[start : start + length]

    chunk = ColumnChunk(0, len(header) if size is None else size, values, [0])
    return [tuple(page) for page in pages(read_at, chunk)]


def test_headers_are_read_as_pyarrow_reads_them():
    assert read(PAGE) == [(40, 7, False)]
    other = field(5, I64, 9) + field(2, I64, 9)  # not of the type of these fields
    assert read(START + other + PAGE[len(START) :]) == [(40, 7, False)]
    assert read(PAGE + b"anything") == [(40, 7, False)]  # all values are there
    assert read(b"anything", values=0) == []
    assert read(PAGE[:-1] + b"\x10") == [(40, 7, False)]  # the end of a structure, as well
    assert read(PAGE + PAGE, values=14, size=len(PAGE)) == [(40, 7, False)] * 2
    assert read(PAGE + b"\xff" * 9, values=14, size=len(PAGE)) == [(40, 7, False)]


@pytest.mark.parametrize(
    "header",
    [
        field(2, I32, 1 << 40) + PAGE,
        START + field(2, I32, 9) + PAGE[len(START) :],
        START + field(3, I32, 1 << 33) + PAGE[len(START) + 3 :],
        START + field((1 << 16) + 9, I32, 0) + PAGE[len(START) :],
        bytes([I32]) + b"\x02" + b"\xff" * (1 << 22),  # would take hours to add up
        PAGE.replace(DATA, field(1, I64, 7) + b"\0"),
        b"\xff" * 100,
    ],
)
def test_headers_that_readers_disagree_about_are_refused(header):
    with pytest.raises(ValueError, match="header"):
        read(header)


def test_a_footer_that_names_a_column_many_times_is_refused():
    def struct_list(place, parts):
        return bytes([9]) + number(place) + bytes([0xF0 | STRUCT, len(parts)]) + b"".join(parts)

    column = b"".join(field(place, I64, value) for place, value in ((5, 7), (7, 5_000), (9, 4)))
    column = bytes([9]) + number(2) + bytes([0x10 | I32]) + number(0) + column + b"\0"
    group = struct_list(1, [field(3, STRUCT, column) + b"\0"]) + b"\0"
    for times in (1, 100):
        footer = struct_list(4, [group] * times) + b"\0"
        data = b"PAR1" + bytes(6_000) + footer + len(footer).to_bytes(4, "little") + b"PAR1"

        def read_at(start, length, data=data):
            return data[start : start + length]

        if times == 1:
            assert chunks_of(read_at, len(data)) == [[(4, 5_004, 7, [0])]]
            continue
        with pytest.raises(ValueError, match="overlap"):
            chunks_of(read_at, len(data))
