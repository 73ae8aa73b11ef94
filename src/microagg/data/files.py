"""Read and write tables by the suffix of the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.data.atomic import PathLike, refuse_overwrite, replacing
from microagg.data.columnar import read_arrow, read_parquet, write_arrow, write_parquet
from microagg.data.dates import with_dates
from microagg.data.delimited import check_names, read_delimited, sniff
from microagg.data.delimited_writer import write_delimited
from microagg.data.dialect import CsvDialect, check_separator, codec_name
from microagg.data.frames import Frame
from microagg.data.source import first_bytes, unreadable
from microagg.data.statistical import read_statistical, write_statistical
from microagg.errors import DataError, FileError, ParameterError, column_hint

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CsvDialect", "read_file", "sha256_of", "sniff_dialect", "write_file"]

DELIMITED = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET = (".parquet",)
ARROW = (".feather", ".arrow")
STATISTICAL = (".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
SUFFIXES = DELIMITED + PARQUET + ARROW + STATISTICAL


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
        The file, with one of `SUFFIXES` in lower or upper case.
    separator : str, optional
        What stands between the fields of delimited text; found in the header when not given.
    encoding : str
        A Python codec, for delimited, SPSS, Stata and SAS files. These three mostly say
        themselves what they are in; only another value than the default overrules that.
    decimal : str
        The decimal mark of delimited text, "." or ",".
    parse : iterable of str, optional
        The columns of delimited text to turn into int64 or else float64, empty fields into null.
        All others stay the very text they are. A named column that holds something else than
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
        An option is wrong, or means nothing for this format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("zip,age\n007,40\n080,41\n")
    ...     read_file(path, parse=["age"]).to_pydict()
    {'zip': ['007', '080'], 'age': [40, 41]}
    """
    file = Path(path)
    suffix = suffix_of(file)
    _check_options(suffix, separator, encoding, decimal, numeric_names)
    names = _names_to_parse(parse)
    if suffix in DELIMITED:
        table = read_delimited(
            file,
            separator=separator,
            encoding=encoding,
            decimal=decimal,
            parse=names,
            numeric_names=numeric_names,
        )
    elif suffix in PARQUET:
        table = read_parquet(file)
    elif suffix in ARROW:
        table = read_arrow(file)
    else:
        other = encoding if codec_name(encoding) != "utf-8" else None
        table = read_statistical(file, encoding=other)
    _check_table(table, file, names)
    return with_dates(table, date_format)


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
    file = Path(path)
    suffix = suffix_of(file)
    _check_options(suffix, separator, encoding, decimal)
    if suffix not in DELIMITED:
        return None
    return sniff(file, separator=separator, encoding=encoding, decimal=decimal)


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
        Where, with one of `SUFFIXES` other than .sas7bdat.
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
    suffix = suffix_of(file)
    frame = Frame(data)
    table = frame.select(frame.names)
    refuse_overwrite([file], overwrite)
    with replacing(file) as (beside,):
        if suffix in DELIMITED:
            write_delimited(table, beside, _dialect_for(suffix, like))
        elif suffix in PARQUET:
            write_parquet(table, beside)
        elif suffix in ARROW:
            write_arrow(table, beside)
        else:
            write_statistical(table, beside)


def sha256_of(path: PathLike) -> str:
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
    file = Path(path)
    first_bytes(file)
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(file, error) from None


def suffix_of(path: Path) -> str:
    """Return which of `SUFFIXES` a file has, or raise when it has none."""
    name = path.name.lower()
    # The longest first: .csv.gz before what .gz alone would be.
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if name.endswith(suffix) and name != suffix:
            return suffix
    hint = (
        "Export it as CSV." if name.endswith(SPREADSHEETS) else f"Known are {', '.join(SUFFIXES)}."
    )
    raise FileError(f"The suffix of '{path}' is not a known one.", hint=hint)


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
    suffix = suffix_of(Path(path))
    return _dialect_for(suffix, like) if suffix in DELIMITED else None


def _dialect_for(suffix: str, like: CsvDialect | None) -> CsvDialect:
    form = like or CsvDialect()
    if suffix not in (".tsv", ".tsv.gz"):
        return form
    return CsvDialect("\t", form.encoding, form.decimal, form.newline, form.bom)


def _check_options(
    suffix: str, separator: str | None, encoding: str, decimal: str, numeric_names: bool = False
) -> None:
    codec = codec_name(encoding)
    check_separator(separator or (";" if decimal == "," else ","), decimal)
    given = []
    if suffix not in DELIMITED:
        given += ["separator"] if separator is not None else []
        given += ["decimal"] if decimal != "." else []
        given += ["numeric_names"] if numeric_names else []
    if suffix in PARQUET + ARROW and codec != "utf-8":
        given.append("encoding")
    if given:
        raise ParameterError(
            f"The '{given[0]}' parameter means nothing for {suffix} files.", hint="Leave it out."
        )


def _names_to_parse(parse: Iterable[str] | None) -> list[str] | None:
    if isinstance(parse, str):
        raise ParameterError(
            "The 'parse' parameter must be a list of column names. Got one name.",
            hint=f"Write parse=['{parse}'].",
        )
    return None if parse is None else list(parse)


def _check_table(table: pa.Table, path: Path, parse: list[str] | None) -> None:
    check_names(table.column_names, path)
    if table.num_rows == 0 or table.num_columns == 0:
        raise DataError(f"'{path}' has no records.", hint="Give a file with at least one record.")
    for name in parse or []:
        if name not in table.column_names:
            raise ParameterError(
                f"The 'parse' parameter names a column '{name}' that '{path}' does not have.",
                hint=column_hint(name, table.column_names),
            )
