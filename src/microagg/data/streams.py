"""Tables that are read and written piece by piece: Parquet and delimited text larger than memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from microagg.data.cleaning import cleaned_table
from microagg.data.delimited import check_names
from microagg.data.dialect import CsvDialect
from microagg.data.formats.registry import PieceWriter, suffix_of, suffixes, writable_format
from microagg.data.remote import FilePath
from microagg.data.source import options_for
from microagg.errors import DataError, FileError

if TYPE_CHECKING:
    import pyarrow as pa


LONG = 1 << 22
"""Bytes of one record that any memory has room for."""


class Stream:
    """A file of records that is read from its start as often as one likes, never held whole.

    Parameters
    ----------
    path : path
        Parquet or delimited text, by its suffix.
    numeric_names : bool
        Whether column names of delimited text may be numbers.
    size : int, optional
        Bytes of a table that is read, at most.
    **form
        `separator`, `encoding` and `decimal` of delimited text, as `read_file` takes them.

    Attributes
    ----------
    suffix : str
        The suffix, in lower case.
    dialect : CsvDialect or None
        The form of delimited text.
    names : list of str
        Column names in order.
    """

    def __init__(
        self, path: FilePath, *, numeric_names: bool = False, size: int = sys.maxsize, **form: Any
    ) -> None:
        self.path, self.suffix = path, suffix_of(path)
        self._size = size
        registered, options = options_for(path, numeric_names=numeric_names, **form)
        if registered.stream is None:
            raise FileError(
                f"'{path}' cannot be read piece by piece: only "
                f"{', '.join(suffixes(streamed=True))} can.",
                hint="Convert it to Parquet first.",
            )
        self._pieces = registered.stream(path, options, size)
        self.dialect = self._pieces.dialect
        self.names = self._pieces.names
        check_names(self.names, path)

    @property
    def decimal(self) -> str:
        """The decimal mark of text; columns with types of their own have no use for it."""
        return "." if self.dialect is None else self.dialect.decimal

    @cached_property
    def expected(self) -> int:
        """About the number of records; exactly, where the file says it."""
        expected = self._pieces.expected()
        if expected == 0:
            raise DataError(
                f"'{self.path}' has no records.", hint="Use a file with at least one record."
            )
        return expected

    @property
    def schema(self) -> pa.Schema | None:
        """The types of the columns; None for text, whose tables are all text."""
        return getattr(self._pieces, "schema", None)

    @property
    def stretches(self) -> list[int] | None:
        """The records of each stretch that can be read on its own; None if there is but one way."""
        return getattr(self._pieces, "stretches", None)

    def tables(
        self,
        rows: int,
        columns: Sequence[str] | None = None,
        stretches: Sequence[int] | None = None,
    ) -> Iterator[pa.Table]:
        """Yield tables of `rows` records each, the last of fewer, with some of the columns.

        Where such a table would be larger than the stream's `size`, it has fewer records. `stretches`
        are the numbers of those to read, where not all are wanted.
        """
        wanted = self.names if columns is None else list(columns)
        if stretches is None:
            return self._cut(self._pieces.tables(rows, wanted, self._size), rows)
        pieces: Any = self._pieces
        return self._cut(pieces.tables(rows, wanted, self._size, list(stretches)), rows)

    def _cut(self, tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
        """Yield the same records in tables of one length, or shorter ones where they are large."""
        import pyarrow as pa

        waiting: list[pa.Table] = []
        done, missing, room = 0, rows, self._size
        for table in tables:
            while table.num_rows:
                part = _fitting(table.slice(0, missing), room)
                if part.num_rows == 0 and not waiting:
                    part = self._long(table.slice(0, 1), done)
                table = table.slice(part.num_rows)
                waiting.append(part)
                done, missing = done + part.num_rows, missing - part.num_rows
                room -= part.nbytes
                if missing == 0 or (table.num_rows and table.slice(0, 1).nbytes > room):
                    yield pa.concat_tables(waiting)
                    waiting, missing, room = [], rows, self._size
                    pa.default_memory_pool().release_unused()  # else Arrow holds twice as much
        if waiting:
            yield pa.concat_tables(waiting)

    def _long(self, record: pa.Table, before: int) -> pa.Table:
        """Return a record that is larger than a table may be, or raise where it is far too large."""
        if record.nbytes > LONG:
            raise FileError(
                f"Data row {before + 1} of '{self.path}' has {record.nbytes >> 20} MB, but the memory "
                f"limit allows {max(self._size, LONG) >> 20} MB at a time.",
                hint="Allow more memory.",
            )
        return record


def _fitting(table: pa.Table, room: int) -> pa.Table:
    """Return the first records of a table, as many as have room, about; perhaps none."""
    while table.num_rows and table.nbytes > room:
        table = table.slice(0, table.num_rows // 2)
    return table


class TableWriter:
    """A file that is written table by table; the first says the columns.

    Parameters
    ----------
    path : Path
        Where; a half file stays when an exception comes, so write beside and rename.
    like : CsvDialect, optional
        The form of delimited text.
    """

    def __init__(self, path: Path, like: CsvDialect | None) -> None:
        self._path, self._like = path, like or CsvDialect()
        self._files = ExitStack()
        self._writer: PieceWriter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failed: object) -> None:
        self._files.__exit__(*failed)  # type: ignore[arg-type]

    def write(self, table: pa.Table) -> None:
        """Add the rows of a table."""
        table = cleaned_table(table)
        if self._writer is None:
            self._writer = self._opened(table.schema)
        self._writer.write(table)

    def _opened(self, schema: pa.Schema) -> PieceWriter:
        append = writable_format(self._path).append
        if append is None:
            raise FileError(f"'{self._path}' cannot be written piece by piece.")
        return self._files.enter_context(append(self._path, schema, self._like))
