"""The pages of a Parquet file: how many values each has, and how large it is after decompression.

The footer states this for whole columns, but readers believe the headers of the pages. A malicious footer
can hide how much memory a file needs. Footers and headers have the compact protocol of Apache Thrift.

The footer is parsed here, because pyarrow ends the process when it is asked for the column of a row group
whose statistics are damaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

HEAD, LONGEST_HEAD = 1 << 10, 1 << 24
"""Bytes that are read for a header at first, and at most; statistics can make it long."""

PADDING = 100
"""Bytes by which old writers understate a column chunk; pyarrow reads pages that begin in them."""

ReadAt = Callable[[int, int], bytes]
"""Return some bytes of a file: from where, and how many at most."""

Fields = dict[tuple[int, int], Any]
"""The fields of a structure by number and type; Thrift ignores those of an unexpected type."""

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY = range(1, 9)
_LIST, _SET, _MAP, _STRUCT = range(9, 13)

_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3
_HEADERS = {_DATA: (5, 2), _DATA_2: (8, 4)}
"""Of each type of data page: the field with its header, and the field of the encoding in that."""

_DELTA_LENGTHS, _DELTA_TEXT = 6, 7
DELTAS = {_DELTA_LENGTHS, _DELTA_TEXT}
"""Encodings of text that pyarrow cannot read as categories."""


class ColumnChunk(NamedTuple):
    """A column of a row group, as the footer describes it."""

    start: int
    end: int
    values: int
    encodings: list[int]


class PageHeader(NamedTuple):
    """A page, as its header describes it.

    Attributes
    ----------
    size : int
        Bytes after decompression.
    values : int
        Values of a page of data; others have none.
    repeats : bool
        Whether text in it is stored once for several values.
    """

    size: int
    values: int
    repeats: bool


class _Reader:
    """Values of the compact protocol, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def byte(self) -> int:
        value = self._data[self.at]
        self.at += 1
        return value

    def number(self, bits: int = 32) -> int:
        """Return an integer: seven bits a byte, the lowest first."""
        value = shift = 0
        while shift < bits:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
        if shift >= bits or value >> bits:  # readers would use some of the bits
            raise ValueError("A number is longer than its type.")
        return value

    def signed(self, bits: int = 32) -> int:
        """Return an integer whose lowest bit is its sign."""
        value = self.number(bits)
        return value >> 1 if value % 2 == 0 else -(value >> 1) - 1

    def skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self._data):
            raise IndexError

    def struct(self, depth: int = 0) -> Fields:
        """Return the fields of a structure."""
        fields: Fields = {}
        number = 0
        while (head := self.byte()) & 15:
            number = number + (head >> 4) if head >> 4 else self.signed(16)
            kind = head & 15
            if (number, kind) in fields or not 0 <= number < 1 << 15:
                raise ValueError("A field occurs twice, or its number is out of range.")
            fields[number, kind] = self.value(kind, depth)
        return fields

    def list(self, depth: int) -> list[Any]:
        """Return the values of a list, of which each takes at least one byte."""
        head = self.byte()
        count, kind = head >> 4, head & 15
        count = self.number() if count == 15 else count
        if count > len(self._data) - self.at:
            raise IndexError
        if kind in (_TRUE, _FALSE):
            self.skip(count)
            return []
        return [self.value(kind, depth) for _ in range(count)]

    def value(self, kind: int, depth: int) -> Any:
        """Return a value; None if only its length matters."""
        if depth > 8 or not 0 < kind <= _STRUCT:
            raise ValueError("This is neither a footer nor the header of a page.")
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind == _LIST:
            return self.list(depth + 1)
        if kind in (_SET, _MAP):
            raise ValueError("Footers and headers have neither sets nor maps.")
        if kind in (_BYTE, _DOUBLE):
            self.skip(1 if kind == _BYTE else 8)
            return None
        if kind == _BINARY:
            self.skip(self.number())
            return None
        return self.signed({_I16: 16, _I32: 32, _I64: 64}[kind])


def chunks_of(read_at: ReadAt, size: int) -> list[list[ColumnChunk]]:
    """Return the columns of each row group of a file.

    Raises
    ------
    ValueError
        The file is damaged.
    """
    length = int.from_bytes(read_at(max(size - 8, 0), 4), "little")
    if length > size - 8:
        raise ValueError("The footer is longer than the file.")
    try:
        groups = _Reader(read_at(size - 8 - length, length)).struct()[4, _LIST]
        chunks = [[_chunk(chunk[3, _STRUCT]) for chunk in group[1, _LIST]] for group in groups]
    except (IndexError, KeyError, TypeError):
        chunks = None  # raised below
    if chunks is None:
        raise ValueError("The footer is damaged.")
    if sum(max(chunk.end - chunk.start - PADDING, 0) for group in chunks for chunk in group) > size:
        raise ValueError("The columns of the footer overlap.")
    return chunks


def _chunk(column: Fields) -> ColumnChunk:
    """Return a column of a row group from its metadata."""
    start, dictionary = column[9, _I64], column.get((11, _I64), 0)
    if 0 < dictionary < start:
        start = dictionary
    return ColumnChunk(start, start + column[7, _I64], column[5, _I64], column[2, _LIST])


def pages(read_at: ReadAt, chunk: ColumnChunk) -> Iterator[PageHeader]:
    """Yield the pages of a column chunk that pyarrow would read.

    It reads until it has as many values as the footer states. Where there are none, the footer may name
    any place.

    Raises
    ------
    ValueError
        The file is damaged.
    """
    start, end, seen = chunk.start, chunk.end + PADDING, 0
    while seen < chunk.values and start < end:
        try:
            header, length = _header(read_at, start, end)
            page, packed = _page(header)
        except (KeyError, TypeError, ValueError):
            if start >= chunk.end:  # new writers have no pages there
                return
            page, packed, length = PageHeader(-1, 0, repeats=False), 0, 0
        if min(packed, page.size, page.values) < 0:
            raise ValueError("This is not the header of a page.")
        yield page
        seen += page.values
        start += length + packed


def _page(header: Fields) -> tuple[PageHeader, int]:
    """Return a page from its header, and its bytes in the file."""
    kind, size, packed = (header[number, _I32] for number in (1, 2, 3))
    if kind not in _HEADERS:
        return PageHeader(size, 0, kind == _DICTIONARY), packed
    place, encoding = _HEADERS[kind]
    data = header[place, _STRUCT]
    return PageHeader(size, data[1, _I32], data[encoding, _I32] == _DELTA_TEXT), packed


def _header(read_at: ReadAt, start: int, end: int) -> tuple[Fields, int]:
    """Return the header of a page, which is before `end`, and its length."""
    size = HEAD
    while size <= LONGEST_HEAD:
        data = read_at(start, min(size, end - start))
        reader = _Reader(data)
        try:
            return reader.struct(), reader.at
        except IndexError:
            if len(data) < size:
                break
        size <<= 7
    raise ValueError("The header of a page is not complete.")
