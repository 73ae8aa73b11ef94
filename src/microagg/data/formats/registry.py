"""Where file formats are registered and looked up by suffix or by first bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from microagg.data.content import Content
from microagg.data.dialect import CsvDialect
from microagg.data.packing import PACKINGS
from microagg.data.remote import FilePath
from microagg.errors import FileError
from microagg.lazy import import_all

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ReadOptions:
    """The options of `read_file` that concern the format.

    Attributes
    ----------
    separator : str or None
        What separates fields; None to detect it.
    encoding : str
        A Python codec.
    decimal : str
        The decimal mark.
    numeric_names : bool
        Whether column names may be numbers.
    """

    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    numeric_names: bool = False


class Pieces(Protocol):
    """A file that is read piece by piece, from its start as often as needed."""

    @property
    def names(self) -> list[str]:
        """Column names in order."""
        ...

    @property
    def dialect(self) -> CsvDialect | None:
        """The form of text; None for other formats."""
        ...

    def expected(self) -> int:
        """Return the approximate number of records."""
        ...

    def tables(self, rows: int, columns: list[str], size: int) -> Iterator[pa.Table]:
        """Yield tables of about `rows` records and `size` bytes with the named columns."""
        ...


class PieceWriter(Protocol):
    """A file that is written table by table."""

    def write(self, table: pa.Table) -> None:
        """Append the rows of a table."""
        ...


@dataclass(frozen=True)
class Parsed:
    """What a reader makes of a file: the table, and its dialect if it is text."""

    table: pa.Table
    dialect: CsvDialect | None = None


Reader = Callable[[Content, ReadOptions], Parsed]
Writer = Callable[["pa.Table", Path, CsvDialect], None]
Streamer = Callable[[FilePath, ReadOptions, int], Pieces]
Appender = Callable[[Path, "pa.Schema", CsvDialect], AbstractContextManager[PieceWriter]]
Sniffer = Callable[[Path, ReadOptions], CsvDialect]


@dataclass(frozen=True)
class Format:
    """A registered file format.

    Attributes
    ----------
    name : str
        As a message says it: "a Parquet file".
    suffixes : tuple of str
        In lower case, with the dot.
    read : callable
        Turns the bytes of a file into a table.
    write : callable, optional
        Writes a table; None when files of this format can only be read.
    stream : callable, optional
        Opens a file that is read piece by piece; None when the format cannot do that.
    append : callable, optional
        Opens a file that is written piece by piece.
    sniff : callable, optional
        Returns the dialect of a file, for formats that are text.
    options : frozenset of str
        The fields of `ReadOptions` that the format honours; the others are refused.
    signatures : mapping of bytes to str
        First bytes that only this format has, with the suffix that belongs to them.
    instead : str, optional
        A hint for those who want to write a format that can only be read.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Reader = field(repr=False)
    write: Writer | None = field(repr=False, default=None)
    stream: Streamer | None = field(repr=False, default=None)
    append: Appender | None = field(repr=False, default=None)
    sniff: Sniffer | None = field(repr=False, default=None)
    options: frozenset[str] = frozenset()
    signatures: Mapping[bytes, str] = field(default_factory=dict)
    instead: str | None = None

    @property
    def is_text(self) -> bool:
        """Whether files are text: fields without types, written in a dialect."""
        return self.sniff is not None


_FORMATS: dict[str, Format] = {}


def format(
    name: str,
    *,
    suffixes: Sequence[str],
    write: Writer | None = None,
    stream: Streamer | None = None,
    append: Appender | None = None,
    sniff: Sniffer | None = None,
    options: Sequence[str] = (),
    signatures: Mapping[bytes, str] | None = None,
    instead: str | None = None,
) -> Callable[[Reader], Reader]:
    """Register the decorated reader, and all that belongs to it, as a file format.

    Parameters
    ----------
    name, suffixes, write, stream, append, sniff, options, signatures, instead
        As the attributes of `Format`.
    """

    def register(read: Reader) -> Reader:
        registered = Format(
            name=name,
            suffixes=tuple(suffixes),
            read=read,
            write=write,
            stream=stream,
            append=append,
            sniff=sniff,
            options=frozenset(options),
            signatures=signatures or {},
            instead=instead,
        )
        for suffix in registered.suffixes:
            if suffix in _FORMATS and _FORMATS[suffix].read.__module__ != read.__module__:
                raise ValueError(f"The suffix {suffix} already belongs to {_FORMATS[suffix].name}.")
            _FORMATS[suffix] = registered
        return read

    return register


def suffixes(
    *, written: bool = False, streamed: bool = False, text: bool = False
) -> tuple[str, ...]:
    """Return all suffixes, or those that can be written, or be streamed, or are of text.

    Examples
    --------
    >>> ".sas7bdat" in suffixes(), ".sas7bdat" in suffixes(written=True)
    (True, False)
    """
    import_all("microagg.data.formats")
    # Text first: most users look for it.
    ordered = sorted(_FORMATS, key=lambda suffix: not _FORMATS[suffix].is_text)
    return tuple(
        suffix
        for suffix in ordered
        if (_FORMATS[suffix].write or not written)
        and (_FORMATS[suffix].stream or not streamed)
        and (_FORMATS[suffix].is_text or not text)
    )


SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")


def suffix_of(path: FilePath) -> str:
    """Return the suffix that determines the format of a file, or raise if it is unknown."""
    name = path.name.lower()
    # The longest first: .csv.gz before what .gz alone would be.
    for suffix in sorted(suffixes(), key=len, reverse=True):
        if name.endswith(suffix) and name != suffix:
            return suffix
    hint = (
        "Export it as CSV."
        if name.endswith(SPREADSHEETS)
        else f"Supported suffixes: {', '.join(suffixes())}."
    )
    raise FileError(f"The suffix of '{path}' is not supported.", hint=hint)


def format_of(path: FilePath) -> Format:
    """Return the format that the suffix of a file says.

    Examples
    --------
    >>> format_of(Path("people.parquet")).name
    'a Parquet file'
    """
    return _FORMATS[suffix_of(path)]


def writable_format(path: FilePath) -> Format:
    """Return the format of a file to be written, or raise when it can only be read."""
    registered = format_of(path)
    if registered.write is None:
        raise FileError(
            f"'{path}' cannot be written: {suffix_of(path)} can only be read.",
            hint=registered.instead,
        )
    return registered


# Formats that microagg does not read, but that often have the suffix of one that it does.
_FOREIGN = {
    b"FEA1": "a Feather file of version 1",
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF document",
    b"SQLite format 3\x00": "an SQLite database",
}


def identify(head: bytes) -> tuple[str | None, str | None]:
    """Return what a file is by its first bytes, and its suffix, each None when unknown.

    Examples
    --------
    >>> identify(b"PAR1....")
    ('a Parquet file', '.parquet')
    >>> identify(b"age,income")
    (None, None)
    """
    import_all("microagg.data.formats")
    for registered in _FORMATS.values():
        for mark, suffix in registered.signatures.items():
            if head.startswith(mark):
                return registered.name, suffix
    for mark, name in _FOREIGN.items():
        if head.startswith(mark):
            return name, None
    for packing in PACKINGS:
        if head.startswith(packing.mark):
            return packing.words, f".csv{packing.suffix}"
    return None, None


def wrong_format(path: FilePath, head: bytes, expected: str) -> FileError:
    """Return the error for a file whose content does not match its suffix.

    Examples
    --------
    >>> print(wrong_format(Path("a.csv"), b"PAR1....", "delimited text"))
    'a.csv' is not delimited text: it is a Parquet file.
    Hint: Rename it to end in .parquet.
    """
    name, suffix = identify(head)
    if name is None:
        return FileError(
            f"'{path}' is not {expected}, although its suffix suggests it.",
            hint="Check that the file is complete, or correct its suffix.",
        )
    if name == expected:
        return damaged(path, expected)
    hint = f"Rename it to end in {suffix}." if suffix else "Export it as CSV first."
    return FileError(f"'{path}' is not {expected}: it is {name}.", hint=hint)


def damaged(path: FilePath, name: str) -> FileError:
    """Return the error for a file that begins correctly but cannot be read to the end."""
    return FileError(
        f"'{path}' is damaged: it begins like {name} but cannot be read to the end.",
        hint="Copy or export it again.",
    )


def require_signature(path: FilePath, head: bytes, expected: str, marks: Sequence[bytes]) -> None:
    """Raise if a file does not start with one of `marks`."""
    if not head.startswith(tuple(marks)):
        raise wrong_format(path, head, expected)
