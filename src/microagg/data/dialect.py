"""How a delimited text file is written down: its separator, encoding, decimal mark, line ending."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from microagg.data.packing import packed_suffixes
from microagg.data.remote import FilePath
from microagg.errors import Either, FileError, ParameterError, Phrase, did_you_mean

SEPARATORS = (",", ";", "\t", "|")
SAMPLE = 1 << 20  # bytes; the header of ten thousand columns fits

_BOMS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
# Codecs that choose by the mark: on writing the choice must be explicit, not the machine's.
_CHOOSING = {
    "utf-8-sig": ("utf-8",),
    "utf-16": ("utf-16-le", "utf-16-be"),
    "utf-32": ("utf-32-le", "utf-32-be"),
}
# Codecs for names of hosts and for source code, not for files.
_NOT_FOR_FILES = {"idna", "punycode", "unicode-escape", "raw-unicode-escape"}
_COMMON = ("utf-8", "utf-16", "latin-1", "iso8859-1", "iso8859-15", "cp1252", "cp850", "ascii")


@dataclass(frozen=True)
class CsvDialect:
    r"""The form of a delimited text file.

    Parameters
    ----------
    separator : str
        One ASCII character between fields.
    encoding : str
        A Python codec.
    decimal : str
        "." or ",".
    newline : str
        The line ending: "\n", "\r\n" or "\r".
    bom : bool
        Whether a byte order mark opens the file.

    Examples
    --------
    >>> CsvDialect(separator=";", decimal=",").encoding
    'utf-8'
    """

    separator: str = ","
    encoding: str = "utf-8"
    decimal: str = "."
    newline: str = "\n"
    bom: bool = False

    def __post_init__(self) -> None:
        check_separator(self.separator, self.decimal)
        if self.newline not in ("\n", "\r\n", "\r"):
            raise ParameterError(
                r"must be '\n', '\r\n' or '\r'. "
                f"Got {self.newline!r}.",
                parameter="newline",
            )
        codec = codec_name(self.encoding)
        if codec in _CHOOSING:
            codec = _CHOOSING[codec][0]
            object.__setattr__(self, "bom", True)
        object.__setattr__(self, "encoding", codec)
        if self.bom and codec not in _BOMS:
            raise ParameterError(f"must be False for the encoding {codec}.", parameter="bom")

    def with_suffix_of(self, path: FilePath) -> CsvDialect:
        r"""Return the dialect that a file gets by its name: .tsv is always with tabs.

        Examples
        --------
        >>> from pathlib import Path
        >>> CsvDialect().with_suffix_of(Path("a.tsv")).separator
        '\t'
        """
        return replace(self, separator="\t") if has_tabs(path) else self

    @property
    def mark(self) -> bytes:
        """The bytes of the byte order mark, or none."""
        return _BOMS[self.encoding] if self.bom else b""


def has_tabs(path: FilePath) -> bool:
    """Return whether the name of a file says that tabs separate its fields."""
    return path.name.lower().endswith(packed_suffixes(".tsv"))


def check_separator(separator: str, decimal: str) -> None:
    """Raise ParameterError unless the two marks can tell fields and numbers apart."""
    if decimal not in (".", ","):
        raise ParameterError(f"must be '.' or ','. Got {decimal!r}.", parameter="decimal")
    usable = isinstance(separator, str) and len(separator) == 1 and separator.isascii()
    if not usable or separator.isalnum() or separator in '+-."\r\n\0':
        raise ParameterError(
            "must be one ASCII character other than a letter, digit, "
            f"sign, quote or line ending. Got {separator!r}.",
            parameter="separator",
            hint=r"Common separators are ',', ';', '\t' and '|'.",
        )
    if separator == decimal:
        raise ParameterError(
            f"must differ. Both are {decimal!r}.",
            parameter=("separator", "decimal"),
            hint=Phrase("Files with decimal commas usually use {separator}.", separator=";"),
        )


def codec_name(encoding: str) -> str:
    """Return Python's own name of an encoding.

    Examples
    --------
    >>> codec_name("latin-1")
    'iso8859-1'
    """
    try:
        "".encode(encoding)  # refuses codecs that are not for text, which lookup() finds
        name = codecs.lookup(encoding).name
        if name not in _NOT_FOR_FILES:
            return name
        suggestion = None
    except (LookupError, TypeError, ValueError):
        suggestion = did_you_mean(encoding, _COMMON)
    raise ParameterError(
        f"must be a text encoding of Python. Got {encoding!r}.",
        parameter="encoding",
        hint=suggestion or "Common encodings are utf-8, utf-16, latin-1 and cp1252.",
    )


def resolve_encoding(encoding: str, head: bytes) -> tuple[str, bool]:
    r"""Return the explicit codec of a file and whether it starts with a byte order mark.

    Examples
    --------
    >>> resolve_encoding("utf-16", b"\xfe\xff\x00a")
    ('utf-16-be', True)
    """
    codec = codec_name(encoding)
    choices = _CHOOSING.get(codec, (codec,))
    for choice in choices:
        if choice in _BOMS and head.startswith(_BOMS[choice]):
            return choice, True
    return choices[0], False


def decode(data: bytes, codec: str, path: FilePath, *, whole: bool = True) -> str:
    """Decode the bytes of a file; with `whole` false they may end inside a character."""
    try:
        # An incremental decoder only for the sample: bytes.decode is many times faster.
        if whole:
            return data.decode(codec)
        return codecs.getincrementaldecoder(codec)().decode(data)
    except UnicodeError:
        pass  # raised below, because the caught error carries the file's bytes
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        hint = Phrase("Try {encoding}.", encoding="utf-16")
    else:
        hint = Phrase("Try {encoding}.", encoding=Either("latin-1", "cp1252"))
    raise FileError(f"'{path}' is not valid {codec} text.", hint=hint)


def sniff_text(text: str, *, separator: str | None, decimal: str) -> tuple[str, str]:
    r"""Return the separator and the line ending of a text by its first records.

    Parameters
    ----------
    text : str
        The start of the file.
    separator : str or None
        None to find it.
    decimal : str
        The decimal mark, which is never the separator.

    Examples
    --------
    >>> sniff_text('a;"b,c,d"\r\n1;2\r\n', separator=None, decimal=".")
    (';', '\r\n')
    """
    marks = [mark for mark in SEPARATORS if mark != decimal] if separator is None else [separator]
    records = list(islice(_records(text.lstrip("\r\n"), "".join(marks)), 5))
    newline = records[0][1] if records else ""
    bare = [record for record, _ in records if record]

    def fitness(mark: str) -> tuple[bool, int]:
        counts = [record.count(mark) for record in bare]
        # The header decides, but a mark found equally often in each record beats one that is not.
        return bool(counts) and counts[0] > 0 and len(set(counts)) == 1, sum(counts[:1])

    return max(marks, key=fitness), newline or "\n"


def _records(text: str, separators: str) -> Iterator[tuple[str, str]]:
    """Yield each record less what is quoted, with its line ending."""
    kept: list[str] = []
    quoted = False
    before = "\n"
    for position, mark in enumerate(text):
        # A quote opens only at the start of a field, or again after its own end (a doubled one).
        if mark == '"' and (quoted or before in f'"\r\n{separators}'):
            quoted = not quoted
        elif not quoted and mark in "\r\n":
            if before + mark != "\r\n":
                ending = "\r\n" if text.startswith("\r\n", position) else mark
                yield "".join(kept), ending
                kept = []
        elif not quoted:
            kept.append(mark)
        before = mark
    if kept:
        yield "".join(kept), ""
