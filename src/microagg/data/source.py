"""Open an input file: every way in which that fails, and what a file is by its first bytes."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from microagg.errors import FileError, did_you_mean

# Only formats that start with a fixed mark; the suffix is what the file should have been called.
SIGNATURES = {
    b"PAR1": ("a Parquet file", ".parquet"),
    b"ARROW1": ("an Arrow file", ".arrow"),
    b"FEA1": ("a Feather file of version 1", None),
    b"\x1f\x8b": ("compressed with gzip", ".csv.gz"),
    b"$FL2": ("an SPSS file", ".sav"),
    b"$FL3": ("an SPSS file", ".zsav"),
    b"<stata_dta>": ("a Stata file", ".dta"),
    b"HEADER RECORD*******LIB": ("a SAS transport file", ".xpt"),
    b"PK\x03\x04": ("an Excel workbook or a zip archive", None),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", None),
    b"%PDF": ("a PDF document", None),
    b"SQLite format 3\x00": ("an SQLite database", None),
}


def first_bytes(path: Path, size: int = 64) -> bytes:
    """Return the first bytes of a file.

    Parameters
    ----------
    path : Path
        The file.
    size : int
        How many bytes at most.

    Raises
    ------
    FileError
        The file is missing, a folder, not readable, or empty.
    """
    if path.is_dir():
        raise FileError(f"'{path}' is a folder.", hint="Name a file inside it.")
    try:
        with path.open("rb") as stream:
            head = stream.read(size)
    except OSError as error:
        raise unreadable(path, error) from None
    if not head:
        raise FileError(
            f"'{path}' is empty (0 bytes).", hint="Give a file with a header and records."
        )
    return head


def unreadable(path: Path, error: OSError) -> FileError:
    """Return the error for a file that the system will not let us read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return _missing(path)
    if isinstance(error, PermissionError):
        return FileError(
            f"There is no right to read '{path}'.", hint="Ask its owner, or copy it to your folder."
        )
    return FileError(f"'{path}' cannot be read: {error.strerror or 'input/output error'}.")


def _missing(path: Path) -> FileError:
    if str(path) == "-":
        return FileError(
            "Records cannot be read from stdin: '-' is taken for the name of a file.",
            hint="Write them to a file first; its suffix says the format.",
        )
    folder = path.parent
    try:
        names = [entry.name for entry in folder.iterdir() if entry.is_file()]
    except OSError:
        return FileError(f"There is no file '{path}': the folder '{folder}' does not exist.")
    return FileError(f"There is no file '{path}'.", hint=did_you_mean(path.name, names))


def load(path: Path, *, gzipped: bool, size: int = -1) -> bytes:
    """Return the bytes of a file, unpacked when `gzipped`; only the first `size` when given.

    Raises
    ------
    FileError
        As `first_bytes`, and when the file is not whole gzip although it must be.
    """
    head = first_bytes(path)
    if gzipped and not head.startswith(b"\x1f\x8b"):
        raise wrong_format(path, head, "compressed with gzip")
    broken = False
    data = b""
    try:
        with path.open("rb") as raw:
            if gzipped:
                with gzip.GzipFile(fileobj=raw) as stream:
                    data = stream.read(size)
            else:
                data = raw.read(size)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        broken = True
    except OSError as error:
        raise unreadable(path, error) from None
    if broken:
        raise FileError(f"'{path}' is damaged: its gzip data break off.", hint="Copy it again.")
    if not data:
        raise FileError(
            f"'{path}' is empty once unpacked.", hint="Give a file with a header and records."
        )
    return data


def wrong_format(path: Path, head: bytes, expected: str) -> FileError:
    """Return the error for a file that is not what its suffix says.

    Examples
    --------
    >>> print(wrong_format(Path("a.csv"), b"PAR1....", "delimited text"))
    'a.csv' is not delimited text: it is a Parquet file.
    Hint: Rename it to end in .parquet.
    """
    kind, suffix = identify(head)
    if kind is None:
        return FileError(
            f"'{path}' is not {expected}, although its name says so.",
            hint="Check that the file is whole, or give it the suffix of what it is.",
        )
    hint = f"Rename it to end in {suffix}." if suffix else "Export it as CSV first."
    return FileError(f"'{path}' is not {expected}: it is {kind}.", hint=hint)


def identify(head: bytes) -> tuple[str | None, str | None]:
    """Return what a file is by its first bytes, and its suffix, each None when not known.

    Examples
    --------
    >>> identify(b"PAR1....")
    ('a Parquet file', '.parquet')
    >>> identify(b"age,income")
    (None, None)
    """
    for mark, found in SIGNATURES.items():
        if head.startswith(mark):
            return found
    return None, None
