"""Tables that are read and written piece by piece: Parquet and delimited text larger than memory."""

from __future__ import annotations

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


_PROBE = 1_000  # records that are read to guess how large records are


class Stream:
    """A file of records that is read from its start as often as one likes, never held whole.

    Parameters
    ----------
    path : Path
        Parquet or delimited text, by its suffix.
    numeric_names : bool
        Whether column names of delimited text may be numbers.
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

    def __init__(self, path: Path, *, numeric_names: bool = False, **form: Any) -> None:
        self.path, self.suffix = path, suffix_of(path)
        if self.suffix not in (*DELIMITED, *PARQUET):
            raise FileError(
                f"'{path}' cannot be read piece by piece: only Parquet and delimited text can.",
                hint="Convert it to Parquet first.",
            )
        self.dialect = sniff_dialect(path, **form)
        if self.dialect is not None:
            self._text = DelimitedStream(path, self.dialect, numeric_names=numeric_names)
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
    def row_bytes(self) -> float:
        """About the bytes that a record takes in memory."""
        first = next(self.tables(_PROBE), None)
        if first is None or first.num_rows == 0:
            raise DataError(
                f"'{self.path}' has no records.", hint="Give a file with at least one record."
            )
        return float(first.nbytes / first.num_rows)

    @cached_property
    def expected(self) -> int:
        """About the number of records; exactly, where the file says it."""
        if self.dialect is not None:
            return max(int(self.path.stat().st_size / self.row_bytes), 1)
        with _parquet(self.path) as file:
            return int(file.metadata.num_rows)

    def tables(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield tables of `rows` records each, the last of fewer, with some of the columns."""
        if self.dialect is None:
            return _of_length(self._batches(rows, columns), rows)
        wanted = self.names if columns is None else list(columns)
        return _of_length((table.select(wanted) for table in self._text.tables()), rows)

    def _batches(self, rows: int, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        import pyarrow as pa

        wanted = None if columns is None else list(columns)
        with _parquet(self.path) as file:
            batches = file.iter_batches(batch_size=rows, columns=wanted, use_threads=False)
            while True:
                try:
                    batch = next(batches, None)
                except (pa.ArrowException, OSError):
                    batch = False
                if batch is None:
                    return
                if batch is False:
                    raise damaged(self.path, "Parquet")
                table = pa.Table.from_batches([batch])
                yield table if wanted is None else table.select(wanted)


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


def _of_length(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Yield the same rows in tables of one length."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    missing = rows
    for table in tables:
        while table.num_rows:
            part, table = table.slice(0, missing), table.slice(missing)
            waiting.append(part)
            missing -= part.num_rows
            if missing == 0:
                yield pa.concat_tables(waiting)
                waiting, missing = [], rows
    if waiting:
        yield pa.concat_tables(waiting)


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
