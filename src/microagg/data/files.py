"""Read and write tables by the suffix of the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.data.atomic import PathLike, replacing
from microagg.data.cleaning import cleaned_table
from microagg.data.content import first_bytes, unreadable
from microagg.data.dates import with_dates
from microagg.data.dialect import CsvDialect
from microagg.data.formats.registry import format_of, suffix_of, writable_format
from microagg.data.frames import Frame
from microagg.data.remote import RemotePath
from microagg.data.source import options_for, read_source
from microagg.errors import ParameterError, Phrase, column_hint

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "CsvDialect",
    "read_file",
    "sha256_of",
    "sniff_dialect",
    "stem_of",
    "write_file",
    "write_table",
    "written_form",
]


def read_file(
    path: PathLike,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    parse: Iterable[str] | None = None,
    numeric_names: bool = False,
    date_format: str | Mapping[str, str] | None = None,
) -> pa.Table:
    r"""Read a table from a file, whose suffix determines the format.

    Parameters
    ----------
    path : str or PathLike
        The file, with the suffix of a registered format in lower or upper case.
    separator : str, optional
        The character between the fields of delimited text; detected in the header by default.
    encoding : str
        A Python codec, for delimited text, SPSS, Stata and SAS files. The last three usually declare
        their encoding; a value other than the default overrides it.
    decimal : str
        The decimal mark of delimited text, "." or ",".
    parse : iterable of str, optional
        The columns of delimited text to convert to int64 or, failing that, float64; empty fields
        become null. All other columns remain text, as does a named column that contains anything
        but numbers. By default, every numeric column is converted, except codes such as "007".
        Formats with column types keep them.
    numeric_names : bool
        Whether column names of delimited text may be numbers or dates, such as 2019. By
        default, a header with such a name is considered a record, and the file is refused.
    date_format : str or mapping, optional
        The format of dates, such as "%d/%m/%Y". Text columns whose values all have this format
        become dates. A mapping of column names to formats applies to these columns only, and each
        of their values must have the format or be blank. In a mapping, "excel" denotes the serial
        numbers of a spreadsheet. By default, dates in delimited text remain text.

    Returns
    -------
    pyarrow.Table
        A table with at least one row and unique column names, none of them blank.

    Raises
    ------
    FileError
        The file cannot be read, or its content does not match its suffix.
    DataError
        There are no records, or column names are blank, repeated or look like a record.
    ParameterError
        An option is invalid, or does not apply to this format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("zip,age\n007,40\n080,41\n")
    ...     read_file(path, parse=["age"]).to_pydict()
    {'zip': ['007', '080'], 'age': [40, 41]}
    """
    names = _names_to_parse(parse)
    source = read_source(
        path,
        separator=separator,
        encoding=encoding,
        decimal=decimal,
        numeric_names=numeric_names,
    )
    columns = source.table.column_names
    for name in names or []:
        if name not in columns:
            raise ParameterError(
                f"names a column '{name}' that '{path}' does not have.",
                parameter="parse",
                hint=column_hint(name, Frame(source.table).names_to_show(names or [])),
            )
    return with_dates(source.parsed(names), date_format)


def sniff_dialect(
    path: PathLike,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
) -> CsvDialect | None:
    """Return the form of a delimited text file, as `read_file` with the same options takes it.

    Parameters
    ----------
    path, separator, encoding, decimal
        As for `read_file`.

    Returns
    -------
    CsvDialect or None
        None when the file is not delimited text: there is no form to keep.

    Examples
    --------
    >>> sniff_dialect("people.parquet") is None
    True
    """
    registered, options = options_for(
        Path(path), separator=separator, encoding=encoding, decimal=decimal
    )
    return None if registered.sniff is None else registered.sniff(Path(path), options)


def write_file(
    data: Any, path: PathLike, *, like: CsvDialect | None = None, overwrite: bool = False
) -> None:
    """Write a table to a file, whose suffix determines the format.

    The same table gives the same bytes. The file is written under a temporary name and then renamed,
    so an incomplete file never appears under its final name.

    Parameters
    ----------
    data : DataFrame
        A pandas, polars or pyarrow frame. A pandas index is not written.
    path : str or PathLike
        The output file, with the suffix of a format that can be written.
    like : CsvDialect, optional
        The dialect of delimited text, usually that of the input (`read_source(path).dialect`); by default
        commas, UTF-8 and Unix line endings. Other formats ignore it, and .tsv files always use tabs.
    overwrite : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    FileError
        The file exists, cannot be written, or has an encoding that cannot represent some text.
    DataError
        The format cannot represent the type or the name of a column.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "release.csv")
    ...     write_file(pa.table({"age": [40.5, None], "job": ["a,b", "c"]}), path)
    ...     print(path.read_text())
    age,job
    40.5,"a,b"
    ,c
    """
    file = Path(path)
    frame = Frame(data)
    table = frame.select(frame.names)
    writable_format(file)
    with replacing(file, overwrite=overwrite) as (beside,):
        write_table(table, beside, like)


def write_table(table: pa.Table, path: Path, like: CsvDialect | None = None) -> None:
    """Write a table under its final name, for callers that replace several files at once."""
    registered = writable_format(path)
    if registered.write is not None:
        registered.write(cleaned_table(table), path, like or CsvDialect())


def sha256_of(path: PathLike | RemotePath) -> str:
    """Return the SHA-256 of a file in hexadecimal, read in pieces.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_bytes(b"abc")
    ...     sha256_of(path)[:8]
    'ba7816bf'
    """
    file = path if isinstance(path, RemotePath) else Path(path)
    first_bytes(file)
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(file, error) from None


def stem_of(path: PathLike) -> str:
    """Return the name of a file less its suffix, for the names of what belongs to it.

    Examples
    --------
    >>> stem_of("out/people.2024.csv.gz")
    'people.2024'
    """
    name = Path(path).name
    return name[: -len(suffix_of(Path(path)))]


def written_form(path: PathLike, like: CsvDialect | None = None) -> CsvDialect | None:
    """Return the form that `write_file` gives a file, or None when it is not delimited text."""
    is_text = format_of(Path(path)).is_text
    return (like or CsvDialect()).with_suffix_of(Path(path)) if is_text else None


def _names_to_parse(parse: Iterable[str] | None) -> list[str] | None:
    if isinstance(parse, str):
        raise ParameterError(
            "must be a list of column names. Got one name.",
            parameter="parse",
            hint=Phrase("Write {parse}.", parse=[parse]),
        )
    return None if parse is None else list(parse)
