"""Read delimited text piece by piece: a file may be larger than memory.

A piece ends where a record does. Each is split and checked as a whole file is.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np

from microagg.data.content import unreadable
from microagg.data.delimited import (
    check_names,
    check_quotes,
    not_text,
    refuse_record,
    split_header,
    split_records,
)
from microagg.data.dialect import CsvDialect
from microagg.data.packing import packing_of
from microagg.data.remote import FilePath
from microagg.errors import Either, FileError, Phrase

if TYPE_CHECKING:
    import pyarrow as pa

PIECE = 1 << 22
"""Bytes that are read at a time."""

LONGEST = 1 << 26
"""Bytes without the end of a record, at most, whatever memory there is."""


class DelimitedStream:
    """The records of a delimited text file, as tables of text that follow each other.

    Parameters
    ----------
    path : Path
        The file.
    dialect : CsvDialect
        Its form.
    longest : int
        Bytes without the end of a record, at most.
    numeric_names : bool
        Whether column names may be numbers.

    Attributes
    ----------
    names : list of str
        Column names in order.
    """

    def __init__(
        self, path: FilePath, dialect: CsvDialect, longest: int, *, numeric_names: bool = False
    ) -> None:
        self._path, self._dialect, self._longest = path, dialect, min(longest, LONGEST)
        self.names: list[str] = []
        first, _ = next(self._pieces(), (b"", 1))
        self.names, self._start = split_header(first, dialect.separator, path)
        if not numeric_names:
            refuse_record(self.names, path)
        check_names(self.names, path)

    @property
    def dialect(self) -> CsvDialect:
        """The form of the file."""
        return self._dialect

    def tables(self, rows: int, columns: list[str], size: int) -> Iterator[pa.Table]:
        """Yield all records, in tables as long as the pieces that are read."""
        return (table.select(columns) for table in self._tables())

    def _tables(self) -> Iterator[pa.Table]:
        start = self._start
        separator, names, path = self._dialect.separator, self.names, self._path
        for data, line in self._pieces():
            check_quotes(data, separator, len(names), path, line)
            body, start = data[start:], 0
            if body.strip(b"\r\n"):
                yield split_records(body, data, separator, names, path, line)

    def expected(self) -> int:
        """Return about the number of records, by those of the first piece."""
        first = next(self._tables(), None)
        if first is None:
            return 0
        packing = packing_of(self._path)
        with self._path.open("rb") as file:
            stream = file if packing is None else packing.unpacking(file)
            stream.read(PIECE)
            used = file.tell()
        return max(int(first.num_rows * self._path.stat().st_size / used), 1)

    def _pieces(self) -> Iterator[tuple[bytes, int]]:
        """Yield whole records as UTF-8, and the line that each piece starts on."""
        rest, line = b"", 1
        for more in self._decoded():
            rest += more
            end = self._end_of_records(rest)
            if rest[:end].strip(b"\r\n"):
                yield rest[:end], line
                line += _line_ends(rest[:end])
                rest = rest[end:]
            elif len(rest) > self._longest:
                raise FileError(
                    f"A record that starts on line {line} of '{self._path}' does not end within "
                    f"{self._longest >> 20} MB.",
                    hint="It may have an open quote: a quote inside a field must be doubled, and the "
                    "field quoted. If the record really is that long, allow more memory.",
                )
        if rest:
            yield rest, line

    def _decoded(self) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self._dialect.encoding)()
        first = True
        for raw in self._raw():
            text = self._decode(decoder, raw)
            if first and text:
                text, first = text.removeprefix("\ufeff"), False
            if "\0" in text:
                raise not_text(self._path, self._dialect.encoding)
            yield text.encode()
        self._decode(decoder, b"", final=True)

    def _decode(self, decoder: codecs.IncrementalDecoder, raw: bytes, final: bool = False) -> str:
        try:
            return decoder.decode(raw, final)
        except UnicodeError:
            pass  # raised below, because the caught error carries the file's bytes
        raise FileError(
            f"'{self._path}' is not valid {self._dialect.encoding} text.",
            hint=Phrase("Try {encoding}.", encoding=Either("latin-1", "cp1252")),
        )

    def _raw(self) -> Iterator[bytes]:
        packing = packing_of(self._path)
        whole = nullcontext() if packing is None else packing.errors(self._path)
        try:
            with self._path.open("rb") as file, whole:
                stream = file if packing is None else packing.unpacking(file)
                while raw := stream.read(PIECE):
                    yield raw
        except OSError as error:
            raise unreadable(self._path, error) from None

    def _end_of_records(self, data: bytes) -> int:
        """Return how many bytes are whole records, as far as one can tell; 0 if none are."""
        mark = self._dialect.newline[-1].encode()
        end = _last_outside_quotes(data, mark)
        if len(self.names) == 1:
            # A blank line is a record here, unless it ends the file: leave it to the next piece.
            full = len(data[:end].rstrip(b"\r\n"))
            end = data.index(mark, full) + 1 if full else 0
        return end


def _last_outside_quotes(data: bytes, mark: bytes) -> int:
    """Return where the last line ends that does so outside quotes; 0 if none does."""
    if b'"' not in data:
        return data.rfind(mark) + 1
    content = np.frombuffer(data, dtype=np.uint8)
    inside = np.logical_xor.accumulate(content == ord('"'))  # takes a byte a character
    ends = np.flatnonzero((content == ord(mark)) & ~inside)
    return int(ends[-1]) + 1 if ends.size else 0


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
