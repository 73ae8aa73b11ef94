"""`Source`: a file that was read once, with all that provenance must know of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.data.atomic import PathLike
from microagg.data.content import Content
from microagg.data.delimited import check_names
from microagg.data.dialect import CsvDialect, check_separator, codec_name
from microagg.data.formats.registry import Format, ReadOptions, format_of, suffix_of
from microagg.data.remote import FilePath
from microagg.data.text_columns import parse_columns, typed_by_role
from microagg.errors import DataError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Source:
    """A table as it is in a file.

    Attributes
    ----------
    path : Path
        The file.
    table : pyarrow.Table
        Its records; every field of delimited text is the exact text of the file.
    dialect : CsvDialect or None
        The form of delimited text; None for files whose columns have types.
    sha256 : str
        The SHA-256 of the bytes that were parsed, in hexadecimal.
    read_as : mapping
        The options with which the file was read, to read it in the same way again.
    """

    path: Path
    table: pa.Table = field(repr=False)
    dialect: CsvDialect | None
    sha256: str
    read_as: Mapping[str, Any]

    @property
    def decimal(self) -> str:
        """The decimal mark of delimited text; "." for files whose columns have types."""
        return "." if self.dialect is None else self.dialect.decimal

    def parsed(self, columns: Iterable[str] | None = None) -> pa.Table:
        """Return the table with numbers in some text columns, or wherever there are only numbers.

        The `parse` parameter of `read_file` says which columns become numbers.
        """
        return (
            self.table
            if self.dialect is None
            else parse_columns(self.table, columns, decimal=self.decimal)
        )

    def typed_by_role(
        self,
        quasi_identifiers: Sequence[str],
        *,
        categories: Iterable[str] = (),
        declared: Iterable[str] = (),
        blanks: Sequence[str] = (),
    ) -> pa.Table:
        """Return the table with numbers where the quasi-identifiers have them, all else as it is.

        Parameters are those of `microagg.data.text_columns.typed_by_role`.
        """
        if self.dialect is None:
            if blanks:
                raise ParameterError(
                    "applies to delimited text.", parameter="blank", hint="Leave it out."
                )
            return self.table
        return typed_by_role(
            self.table,
            quasi_identifiers,
            categories=categories,
            declared=declared,
            blanks=blanks,
            decimal=self.decimal,
        )


def read_source(
    path: PathLike,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    numeric_names: bool = False,
    own: bool = False,
) -> Source:
    r"""Read a file once: its records, its form and the SHA-256 of the bytes that were parsed.

    Parameters
    ----------
    path, separator, encoding, decimal, numeric_names
        As for `microagg.read_file`.
    own : bool
        Whether this process has just written the file; then it may expand in any proportion.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("zip;age\n007;40\n080;41\n")
    ...     source = read_source(path)
    >>> source.dialect.separator, len(source.sha256), source.table.to_pydict()
    (';', 64, {'zip': ['007', '080'], 'age': ['40', '41']})
    >>> source.typed_by_role(["age"]).to_pydict()
    {'zip': ['007', '080'], 'age': [40, 41]}
    """
    file = Path(path)
    chosen: dict[str, Any] = {"separator": separator, "encoding": encoding, "decimal": decimal}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if numeric_names:
        chosen["numeric_names"] = True
    registered, options = options_for(file, **chosen)
    content = Content(file, own=own)
    parsed = registered.read(content, options)
    _check_table(parsed.table, file)
    sha256 = content.sha256
    if sha256 is None:
        raise AssertionError(f"The reader of {registered.name} did not read the content.")
    return Source(file, parsed.table, parsed.dialect, sha256, chosen)


def options_for(path: FilePath, **values: Any) -> tuple[Format, ReadOptions]:
    """Return the format of a file and the options to read it with, or raise for a wrong one."""
    registered, options = format_of(path), ReadOptions(**values)
    codec = codec_name(options.encoding)
    decimal = options.decimal
    check_separator(options.separator or (";" if decimal == "," else ","), decimal)
    unusual = {
        "separator": options.separator is not None,
        "decimal": decimal != ".",
        "numeric_names": options.numeric_names,
        "encoding": codec != "utf-8",
    }
    for name, is_set in unusual.items():
        if is_set and name not in registered.options:
            raise ParameterError(
                f"does not apply to {suffix_of(path)} files.",
                parameter=name,
                hint="Leave it out.",
            )
    return registered, options


def _check_table(table: pa.Table, path: Path) -> None:
    check_names(table.column_names, path)
    if table.num_rows == 0 or table.num_columns == 0:
        raise DataError(f"'{path}' has no records.", hint="Use a file with at least one record.")
