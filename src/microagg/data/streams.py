"""Tables that are read and written piece by piece: Parquet and delimited text larger than memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from microagg.data.columnar import damaged, without_unused_categories
from microagg.data.delimited import check_names
from microagg.data.delimited_stream import DelimitedStream
from microagg.data.delimited_writer import DelimitedWriter
from microagg.data.dialect import CsvDialect
from microagg.data.files import DELIMITED, PARQUET, sniff_dialect, suffix_of
from microagg.data.source import first_bytes, wrong_format
from microagg.errors import DataError, FileError

if TYPE_CHECKING:
    import pyarrow as pa


BATCH = 1 << 10
"""Records of Parquet that are decoded at a time: their texts may be of any length."""

LONG = 1 << 22
"""Bytes of one record that any memory has room for."""


class Stream:
    """A file of records that is read from its start as often as one likes, never held whole.

    Parameters
    ----------
    path : Path
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
        self, path: Path, *, numeric_names: bool = False, size: int = sys.maxsize, **form: Any
    ) -> None:
        self.path, self.suffix = path, suffix_of(path)
        self._size = size
        if self.suffix not in (*DELIMITED, *PARQUET):
            raise FileError(
                f"'{path}' cannot be read piece by piece: only Parquet and delimited text can.",
                hint="Convert it to Parquet first.",
            )
        self.dialect = sniff_dialect(path, **form)
        if self.dialect is not None:
            longest = max(size, LONG)
            self._text = DelimitedStream(path, self.dialect, longest, numeric_names=numeric_names)
            self.names = self._text.names
        else:
            with _parquet(path) as file:
                self.names = list(file.schema_arrow.names)
            check_names(self.names, path)

    @property
    def decimal(self) -> str:
        """The decimal mark of text; columns with types of their own have no use for it."""
        return "." if self.dialect is None else self.dialect.decimal

    @cached_property
    def expected(self) -> int:
        """About the number of records; exactly, where the file says it."""
        if self.dialect is not None:
            found = self._text.expected()
        else:
            with _parquet(self.path) as file:
                found = int(file.metadata.num_rows)
        if found == 0:
            raise DataError(
                f"'{self.path}' has no records.", hint="Give a file with at least one record."
            )
        return found

    def tables(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield tables of `rows` records each, the last of fewer, with some of the columns.

        Where such a table would be larger than the stream's `size`, it has fewer records.
        """
        wanted = self.names if columns is None else list(columns)
        if self.dialect is None:
            tables = self._batches(rows, wanted)
        else:
            tables = (table.select(wanted) for table in self._text.tables())
        return self._cut(tables, rows)

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
                f"Data row {before + 1} of '{self.path}' has {record.nbytes >> 20} MB, and the memory "
                f"has room for {max(self._size, LONG) >> 20} MB at a time.",
                hint="Give more memory.",
            )
        return record

    def _batches(self, rows: int, columns: list[str]) -> Iterator[pa.Table]:
        import pyarrow as pa

        with _parquet(self.path) as file:
            rows = min(rows, BATCH, max(self._size // 8 // _row_bytes(file.metadata), 1))
            batches = file.iter_batches(batch_size=rows, columns=columns, use_threads=False)
            while True:
                try:
                    batch = next(batches, None)
                except (pa.ArrowException, OSError):
                    batch = False
                if batch is None:
                    return
                if batch is False:
                    raise damaged(self.path, "Parquet")
                yield pa.Table.from_batches([batch]).select(columns)


def _parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    head = first_bytes(path)
    if not head.startswith(b"PAR1"):
        raise wrong_format(path, head, "a Parquet file")
    try:
        # With a buffer and without reading ahead, a large row group is not held whole.
        return pq.ParquetFile(str(path), buffer_size=1 << 20, pre_buffer=False)
    except (pa.ArrowException, OSError):
        pass
    raise damaged(path, "Parquet")


def _row_bytes(metadata: Any) -> int:
    """Return the bytes of a record, on average, in the row group where they are largest."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0) + 1


def _fitting(table: pa.Table, room: int) -> pa.Table:
    """Return the first records of a table, as many as have room, about; perhaps none."""
    while table.num_rows and table.nbytes > room:
        table = table.slice(0, table.num_rows // 2)
    return table


class TableWriter:
    """A Parquet or delimited file that is written table by table; the first says the columns.

    Parameters
    ----------
    path : Path
        Where; a half file stays when an exception comes, so write beside and rename.
    like : CsvDialect, optional
        The form of delimited text; None for Parquet.
    """

    def __init__(self, path: Path, like: CsvDialect | None) -> None:
        self._path, self._like = path, like
        self._files = ExitStack()
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failed: object) -> None:
        self._files.close()

    def write(self, table: pa.Table) -> None:
        """Add the rows of a table."""
        table = without_unused_categories(table)
        if self._writer is None:
            self._writer = self._files.enter_context(self._opened(table.schema))
        if self._like is None:
            self._writer.write_table(table, row_group_size=table.num_rows)
        else:
            self._writer.write(table)

    def _opened(self, schema: pa.Schema) -> Any:
        import pyarrow.parquet as pq

        if self._like is None:
            return pq.ParquetWriter(str(self._path), schema)
        return DelimitedWriter(self._path, schema.names, self._like)
