"""Write delimited text: quotes only where they must be, and the same bytes for the same table.

pyarrow's own writer quotes all text or none, so the lines are joined here, with its string kernels.
"""

from __future__ import annotations

import codecs
import re
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from microagg.data.arrow_types import extension_name, only_columnar, type_name
from microagg.data.dialect import CsvDialect
from microagg.data.numerals import float_texts
from microagg.data.packing import packing_of
from microagg.errors import DataError, FileError, Phrase

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 16  # rows joined at a time; memory stays small, bytes do not depend on it


def write_delimited(table: pa.Table, path: Path, dialect: CsvDialect) -> None:
    """Write a table as delimited text; see `microagg.data.files.write_file`."""
    with DelimitedWriter(path, table.column_names, dialect) as writer:
        writer.write(table)


class DelimitedWriter:
    """Delimited text that is written table by table; the bytes do not depend on how many there are."""

    def __init__(self, path: Path, names: list[str], dialect: CsvDialect) -> None:
        self._path, self._names, self._dialect = path, names, dialect
        self._encoder = codecs.getincrementalencoder(dialect.encoding)()
        self._files = ExitStack()

    def __enter__(self) -> Self:
        stream: BinaryIO = self._files.enter_context(self._path.open("wb"))
        if (packing := packing_of(self._path)) is not None:
            stream = self._files.enter_context(packing.packing(stream))
        self._stream = stream
        self._stream.write(self._dialect.mark)
        self._put(_header(self._names, self._dialect))
        return self

    def write(self, table: pa.Table) -> None:
        """Add the rows of a table."""
        for field in table.schema:
            if (kind := extension_name(field)) != "":
                raise _not_text(field.name, kind)
        for batch in table.to_batches(max_chunksize=_ROWS):
            if batch.num_rows:
                columns = zip(self._names, batch.columns, strict=True)
                texts = [_texts(column, name, self._dialect) for name, column in columns]
                self._put(_joined(texts, self._dialect))

    def __exit__(self, *failed: object) -> None:
        try:
            if self._dialect.encoding != "utf-8":
                self._stream.write(self._encoder.encode("", final=True))
        finally:
            self._files.close()

    def _put(self, part: memoryview) -> None:
        encoded: bytes | memoryview | None = part
        if self._dialect.encoding != "utf-8":
            try:
                encoded = self._encoder.encode(str(part, "utf-8"))
            except UnicodeEncodeError:
                encoded = None  # raised below, because the caught error carries the text
        if encoded is None:
            raise FileError(
                f"'{self._path}' cannot be written in {self._dialect.encoding}: some "
                "characters cannot be encoded.",
                hint=Phrase("Write with {encoding}.", encoding="utf-8"),
            )
        self._stream.write(encoded)


def _header(names: list[str], dialect: CsvDialect) -> memoryview:
    import pyarrow as pa

    header = [_quoted(pa.array([name], pa.large_string()), dialect) for name in names]
    if names and names[0].startswith("\ufeff"):
        # Unquoted, the first name's own character would be taken for a byte order mark.
        first = names[0].replace('"', '""')
        header[0] = pa.array([f'"{first}"'], pa.large_string())
    return _joined(header, dialect)


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
        raise _not_text(name, type_name(kind))
    texts = None
    with suppress(pa.ArrowException):  # raised below, because the caught error may show a record
        texts = pc.fill_null(pc.cast(column, pa.large_string()), _scalar(""))
    if texts is None:
        raise DataError(
            f"Column '{name}' contains {type_name(kind)}, which cannot be written as text here.",
            hint="Its time zone may be unknown. Write .parquet, or convert the column to text.",
        )
    if pa.types.is_integer(kind):
        return texts
    if pa.types.is_decimal(kind) and dialect.decimal != ".":
        texts = pc.replace_substring(texts, ".", dialect.decimal)
    if pc.any(pc.match_substring(texts, "\0")).as_py():
        raise DataError(
            f"Column '{name}' contains NUL characters, which delimited text cannot represent."
        )
    return _quoted(texts, dialect)


def _not_text(name: str, kind: object) -> DataError:
    return DataError(
        f"Column '{name}' contains {kind}, which delimited text cannot represent.",
        hint="Write .parquet or .feather, or convert the column to text.",
    )


def _quoted(texts: pa.Array, dialect: CsvDialect) -> pa.Array:
    import pyarrow.compute as pc

    must = pc.match_substring_regex(texts, f'[{re.escape(dialect.separator)}"\r\n]')
    if not pc.any(must, min_count=0).as_py():
        return texts
    inner = pc.replace_substring(texts, '"', '""')
    quote = _scalar('"')
    return pc.if_else(must, pc.binary_join_element_wise(quote, inner, quote, _scalar("")), texts)
