"""Read delimited text (CSV, TSV) with every field as the exact text of the file.

pyarrow splits the fields, because it is fast; but it lets broken quotes pass and its messages show
records. So quotes are checked here, and whatever it refuses is looked for again with the standard
library's reader, only to name the line.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from microagg.data.column_labels import alike
from microagg.data.content import Content, first_bytes, sample, unpacked
from microagg.data.dialect import SAMPLE, CsvDialect, decode, has_tabs, resolve_encoding, sniff_text
from microagg.data.expansion import require_columns_in_proportion
from microagg.data.formats.registry import (
    Parsed,
    ReadOptions,
    identify,
    require_signature,
    wrong_format,
)
from microagg.data.packing import packing_of
from microagg.data.remote import FilePath
from microagg.errors import DataError, FileError, Phrase, looks_like_a_record

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "delimited text"

_BLOCK = 1 << 22  # bytes a thread splits at a time
_LARGEST_BLOCK = (1 << 31) - 1

COLUMN = 1 << 14
"""Bytes that Arrow takes for each column, even of few records; it aborts the process without them."""


def sniff(path: FilePath, options: ReadOptions) -> CsvDialect:
    """Return the form of a delimited text file by its first megabyte."""
    if (packing := packing_of(path)) is not None:
        require_signature(path, first_bytes(path), packing.words, [packing.mark])
    return _sniff(sample(path, SAMPLE), path, options)


def _sniff(data: bytes, path: FilePath, options: ReadOptions) -> CsvDialect:
    head = data[:SAMPLE]
    if identify(head)[0] is not None:
        raise wrong_format(path, head, NAME)
    codec, bom = resolve_encoding(options.encoding, head)
    text = decode(head, codec, path, whole=False).removeprefix("\ufeff")
    if "\0" in text:
        raise not_text(path, codec)
    separator = options.separator
    if separator is None and has_tabs(path):
        separator = "\t"
    separator, newline = sniff_text(text, separator=separator, decimal=options.decimal)
    return CsvDialect(separator, codec, options.decimal, newline, bom)


def not_text(path: FilePath, codec: str) -> FileError:
    """Return the error for a text file with zero bytes in it."""
    return FileError(
        f"'{path}' contains NUL bytes, so it is not {codec} text.",
        hint=Phrase(
            "Try {encoding}, or give the file the suffix of its format.", encoding="utf-16"
        ),
    )


def read_delimited(content: Content, options: ReadOptions) -> Parsed:
    """Read delimited text, every field as the text it is."""
    path = content.path
    if (packing := packing_of(path)) is not None:
        require_signature(path, content.head(), packing.words, [packing.mark])
    raw = content.bytes()
    if packing is not None:
        raw = unpacked(path, raw, own=content.own)
    dialect = _sniff(raw, path, options)
    data = _as_utf8(raw, dialect, path)
    del raw
    names, start = split_header(data, dialect.separator, path)
    if not options.numeric_names:
        refuse_record(names, path)
    check_names(names, path)
    require_columns_in_proportion(path, COLUMN * len(names), len(data))
    body = data[start:]
    if not body.strip(b"\r\n"):
        raise DataError(
            f"'{path}' has a header but no records.", hint="Use a file with at least one record."
        )
    check_quotes(data, dialect.separator, len(names), path)
    return Parsed(split_records(body, data, dialect.separator, names, path), dialect)


def _as_utf8(raw: bytes, dialect: CsvDialect, path: FilePath) -> bytes:
    text = decode(raw, dialect.encoding, path)
    if "\0" in text:
        raise not_text(path, dialect.encoding)
    if dialect.encoding == "utf-8":
        return raw.removeprefix(dialect.mark)
    return text.removeprefix("\ufeff").encode()


def _lines(data: bytes) -> Iterator[str]:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def split_header(data: bytes, separator: str, path: FilePath) -> tuple[list[str], int]:
    """Return the column names and where the records start."""
    used = 0

    def counted() -> Iterator[str]:
        nonlocal used
        for line in _lines(data):
            used += len(line.encode())
            yield line

    try:
        for names in csv.reader(counted(), delimiter=separator, strict=True):
            if names:
                return names, used
    except csv.Error:
        pass  # its message may show the header's neighbours
    else:
        raise FileError(f"'{path}' contains only blank lines.", hint="Use a file with records.")
    raise FileError(
        f"The header of '{path}' has a quoted name that does not end correctly.",
        hint="Double a quote inside a quoted name, and put a separator after the closing quote.",
    )


def refuse_record(names: list[str], path: FilePath) -> None:
    """Raise DataError when the first line holds a number, which no message may show then."""
    # A single name may be a whole line that was to be split at another separator.
    fields = names if len(names) > 1 else re.split(r"[,;|\t]", names[0])
    if any(map(looks_like_a_record, fields)):
        raise DataError(
            f"The first line of '{path}' looks like a record, not column names.",
            hint=Phrase(
                "Add a first line with column names. If the names are numbers, such as 2019, use "
                "{numeric_names}.",
                numeric_names=True,
            ),
        )


def check_names(names: list[str], path: FilePath) -> None:
    """Raise DataError unless each column has a name of its own."""
    for number, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(
                f"Column {number} of '{path}' has no name.",
                hint="Name it in the header. If these are row numbers of pandas or R, write the file "
                "without them (index=False, row.names=FALSE).",
            )
    # By number: what stands in the first line may be a record.
    if same := alike(names):
        raise DataError(
            f"'{path}' has more than one column of the same name: {same}.", hint="Rename them."
        )


def check_quotes(data: bytes, separator: str, width: int, path: FilePath, line: int = 1) -> None:
    """Raise FileError if a quoted field is not terminated correctly; pyarrow would guess.

    `data` starts at the given `line` of the file.
    """
    import numpy as np

    if b'"' not in data:
        return
    # A line end at both sides spares the tests for the first and the last byte.
    content = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(content == ord('"'))
    legal = np.frombuffer(f'"\r\n{separator}'.encode(), dtype=np.uint8)
    opened = np.isin(content[quotes[0::2] - 1], legal)
    closed = np.isin(content[quotes[1::2] + 1], legal)
    if len(quotes) % 2 == 0 and opened.all() and closed.all():
        return
    # A lone quote inside an unquoted field (5" pipe) is harmless, but only the slow way can tell.
    problem = _first_problem(data, separator, width, path, line)
    if problem:
        raise problem


def split_records(
    body: bytes, data: bytes, separator: str, names: list[str], path: FilePath, line: int = 1
) -> pa.Table:
    """Return records as a table of text; `data`, which ends in `body`, is for messages alone."""
    import pyarrow as pa

    single = len(names) == 1
    if single:
        # Here a blank line is a record with an empty field, but not so at the end of the file.
        body = body.rstrip(b"\r\n")
    for block in (_BLOCK, _LARGEST_BLOCK):
        try:
            return _split_blocks(body, separator, len(names), block).rename_columns(names)
        except pa.ArrowInvalid:
            problem = _first_problem(data, separator, len(names), path, line)
        if problem:
            raise problem
        # No line is wrong: a record was longer than a block. Take the file as one.
    raise FileError(f"'{path}' cannot be split into fields by {separator!r}.")


def _split_blocks(body: bytes, separator: str, width: int, block: int) -> pa.Table:
    import pyarrow as pa
    import pyarrow.csv

    if body.startswith(codecs.BOM_UTF8):
        # pyarrow would skip one as a mark, but past the header it is a character of a record.
        body = codecs.BOM_UTF8 + body
    keys = [str(number) for number in range(width)]
    # In memory of Arrow's own: its threads may let go of the bytes when Python is already ending,
    # and to let go of Python's bytes then would abort the process.
    owned = pa.BufferOutputStream()
    owned.write(body)
    return read_apart(
        pa.BufferReader(owned.getvalue()),
        read_options=pa.csv.ReadOptions(
            column_names=keys, block_size=max(1, min(block, len(body) + 1))
        ),
        parse_options=pa.csv.ParseOptions(
            delimiter=separator,
            newlines_in_values=b'"' in body,
            ignore_empty_lines=width > 1,
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(keys, pa.string()),
            strings_can_be_null=False,
            check_utf8=False,  # decoded already
        ),
    )


def read_apart(content: pa.BufferReader, **options: Any) -> pa.Table:
    """Return `pyarrow.csv.read_csv` of some bytes, called in a thread of its own.

    In the main thread, pyarrow would take over the signals meanwhile, and lose one in twenty of those
    that arrive: Ctrl-C would have no effect.
    """
    import pyarrow.csv

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(pyarrow.csv.read_csv, content, **options).result()


def _first_problem(
    data: bytes, separator: str, width: int, path: FilePath, first: int
) -> FileError | None:
    """Return the error for the first line that is wrong, by number and without its content."""
    reader = csv.reader(_lines(data), delimiter=separator, strict=True)
    line = first
    try:
        for record in reader:
            if record and len(record) != width:
                return FileError(
                    f"Line {line} of '{path}' has {len(record)} fields where the header has "
                    f"{width}, with {separator!r} between fields.",
                    hint="Name another separator, or quote the fields that contain it.",
                )
            line = first + reader.line_num
    except csv.Error as error:
        too_long = "field limit" in str(error)
    else:
        return None
    if too_long:
        return FileError(f"Line {line} of '{path}' has a field that is too long, or an open quote.")
    return FileError(
        f"A quoted field that starts on line {line} of '{path}' is not terminated correctly.",
        hint="Double a quote inside a quoted field, and put a separator after the closing quote.",
    )
