"""Delimited text: CSV and TSV, also packed with gzip or Zstandard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from microagg.data.content import Content
from microagg.data.delimited import NAME, read_delimited, sniff
from microagg.data.delimited_stream import DelimitedStream
from microagg.data.delimited_writer import DelimitedWriter, write_delimited
from microagg.data.dialect import CsvDialect
from microagg.data.formats.registry import Parsed, ReadOptions, format
from microagg.data.packing import packed_suffixes
from microagg.data.remote import FilePath

if TYPE_CHECKING:
    import pyarrow as pa

_LEAST = 1 << 22  # bytes of one record that any memory has room for


def _stream(path: FilePath, options: ReadOptions, size: int) -> DelimitedStream:
    dialect = sniff(path, options)
    return DelimitedStream(path, dialect, max(size, _LEAST), numeric_names=options.numeric_names)


def _write(table: pa.Table, path: Path, dialect: CsvDialect) -> None:
    write_delimited(table, path, dialect.with_suffix_of(path))


def _append(path: Path, schema: pa.Schema, dialect: CsvDialect) -> DelimitedWriter:
    return DelimitedWriter(path, schema.names, dialect.with_suffix_of(path))


@format(
    NAME,
    suffixes=packed_suffixes(".csv", ".tsv", ".txt"),
    write=_write,
    stream=_stream,
    append=_append,
    sniff=sniff,
    options=("separator", "encoding", "decimal", "numeric_names"),
)
def read(content: Content, options: ReadOptions) -> Parsed:
    """Read delimited text, every field as the text it is."""
    return read_delimited(content, options)
