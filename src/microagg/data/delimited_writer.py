"""Write delimited text: quotes only where they must be, and the same bytes for the same table.

pyarrow's own writer quotes all text or none, so the lines are joined here, with its string kernels.
"""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from microagg.data.columnar import only_columnar
from microagg.data.delimited import is_gzip
from microagg.data.dialect import CsvDialect
from microagg.data.numerals import float_texts
from microagg.errors import DataError, FileError

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 16  # rows joined at a time; memory stays small, bytes do not depend on it


def write_delimited(table: pa.Table, path: Path, dialect: CsvDialect) -> None:
    """Write a table as delimited text; see `microagg.data.files.write_file`."""
    with path.open("wb") as raw:
        if not is_gzip(path):
            _write(table, raw, dialect, path)
            return
        # No time and no file name in the header: the same data must give the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed:
            _write(table, packed, dialect, path)


def _write(
    table: pa.Table, stream: BinaryIO | gzip.GzipFile, dialect: CsvDialect, path: Path
) -> None:
    stream.write(dialect.mark)
    encoder = codecs.getincrementalencoder(dialect.encoding)()
    unfit = False
    try:
        for part in _parts(table, dialect):
            if dialect.encoding == "utf-8":
                stream.write(part)
            else:
                stream.write(encoder.encode(str(part, "utf-8")))
        if dialect.encoding != "utf-8":
            stream.write(encoder.encode("", final=True))
    except UnicodeEncodeError:
        unfit = True  # raised below, because the caught error carries the text
    if unfit:
        raise FileError(
            f"'{path}' cannot be written in {dialect.encoding}: some text has no form in it.",
            hint='Write with encoding="utf-8".',
        )


def _parts(table: pa.Table, dialect: CsvDialect) -> Iterator[memoryview]:
    import pyarrow as pa

    header = [_quoted(pa.array([name], pa.large_string()), dialect) for name in table.column_names]
    if table.column_names and table.column_names[0].startswith("\ufeff"):
        # Unquoted, the first name's own character would be taken for a byte order mark.
        first = table.column_names[0].replace('"', '""')
        header[0] = pa.array([f'"{first}"'], pa.large_string())
    yield _joined(header, dialect)
    for batch in table.to_batches(max_chunksize=_ROWS):
        if batch.num_rows:
            names = table.column_names
            columns = zip(names, batch.columns, strict=True)
            yield _joined([_texts(column, name, dialect) for name, column in columns], dialect)


def _joined(columns: list[pa.Array], dialect: CsvDialect) -> memoryview:
    import pyarrow.compute as pc

    if len(columns) == 1:
        # A blank line is no record to most readers.
        blank = pc.equal(columns[0], _scalar(""))
        columns = [pc.if_else(blank, _scalar('""'), columns[0])]
    *others, last = columns
    ended = pc.binary_join_element_wise(last, _scalar(dialect.newline), _scalar(""))
    lines = pc.binary_join_element_wise(*others, ended, _scalar(dialect.separator))
    # The values of a string array lie one after the other: they are the file's bytes.
    _, offsets, values = lines.buffers()
    bounds = memoryview(offsets).cast("B").cast("q")
    first, end = bounds[lines.offset], bounds[lines.offset + len(lines)]
    return memoryview(values)[first:end]


def _scalar(text: str) -> pa.Scalar:
    import pyarrow as pa

    # Large strings everywhere: the lines of one part may hold more than two gigabytes.
    return pa.scalar(text, pa.large_string())


def _texts(column: pa.Array, name: str, dialect: CsvDialect) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        return _texts(column.dictionary_decode(), name, dialect)
    if pa.types.is_floating(kind):
        return pa.array(float_texts(column, dialect.decimal), pa.large_string())
    # pyarrow would write these, but as bytes or counts that nobody could read back.
    if only_columnar(kind):
        raise DataError(
            f"Column '{name}' holds {kind}, which delimited text cannot.",
            hint="Write .parquet or .feather, or turn the column into text.",
        )
    texts = pc.fill_null(pc.cast(column, pa.large_string()), _scalar(""))
    if pa.types.is_integer(kind):
        return texts
    if pa.types.is_decimal(kind) and dialect.decimal != ".":
        texts = pc.replace_substring(texts, ".", dialect.decimal)
    if pc.any(pc.match_substring(texts, "\0")).as_py():
        raise DataError(f"Column '{name}' holds zero characters, which delimited text cannot.")
    return _quoted(texts, dialect)


def _quoted(texts: pa.Array, dialect: CsvDialect) -> pa.Array:
    import pyarrow.compute as pc

    must = pc.match_substring_regex(texts, f'[{re.escape(dialect.separator)}"\r\n]')
    if not pc.any(must, min_count=0).as_py():
        return texts
    inner = pc.replace_substring(texts, '"', '""')
    quote = _scalar('"')
    return pc.if_else(must, pc.binary_join_element_wise(quote, inner, quote, _scalar("")), texts)
