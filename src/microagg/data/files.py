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
    r"""Read a table; the suffix says the format.

    Parameters
    ----------
    path : str or PathLike
        The file, with the suffix of a registered format in lower or upper case.
    separator : str, optional
        What stands between the fields of delimited text; found in the header when not given.
    encoding : str
        A Python codec, for delimited, SPSS, Stata and SAS files. These three mostly say
        themselves what they are in; only another value than the default overrules that.
    decimal : str
        The decimal mark of delimited text, "." or ",".
    parse : iterable of str, optional
        The columns of delimited text to turn into int64 or else float64, empty fields into null.
        All others stay the very text they are. A named column that contains anything other than
        numbers stays text too. By default each column that is wholly numeric is parsed, except
        codes such as "007". Files with types of their own keep them.
    numeric_names : bool
        Whether column names of delimited text may be numbers or dates, such as 2019. By
        default a header with one is taken for a record, and the file is refused.
    date_format : str or mapping, optional
        The format of dates, such as "%d/%m/%Y". Text columns that are wholly in it become dates; a
        mapping of column names to formats is for those columns, whose every record must be in
        it or blank. By column, "excel" stands for the serial numbers of a spreadsheet. By
        default dates in delimited text stay the text they are.

    Returns
    -------
    pyarrow.Table
        At least one row; column names are not blank and differ.

    Raises
    ------
    FileError
        The file cannot be read, or is not what its suffix says.
    DataError
        There are no records, or column names are blank, double or look like a record.
    ParameterError
        An option is wrong, or does not apply to this format.

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
    """Write a table; the suffix says the format. The same table gives the same bytes.

    The file is written beside its place and renamed, so it is never there by half.

    Parameters
    ----------
    data : DataFrame
        What to write: pandas, polars or pyarrow. An index of pandas is not written.
    path : str or PathLike
        Where, with the suffix of a format that can be written.
    like : CsvDialect, optional
        The form of delimited text, mostly that of the input (`sniff_dialect`); by default commas,
        UTF-8 and Unix line endings. Other formats have no use for it, and .tsv is always with tabs.
    overwrite : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    FileError
        The file is there already, or cannot be written, or its encoding has no form for
        some text.
    DataError
        The format has no place for a column's type or name.

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
    """Write a table straight to its place, for callers that make several files appear at once."""
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
