"""Parquet: columns with types of their own, kept exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from microagg.data.arrow_types import usable
from microagg.data.columnar import signs_of_damage, unwritable
from microagg.data.content import (
    Content,
    beyond_proportion,
    first_bytes,
    require_proportion,
)
from microagg.data.dialect import CsvDialect
from microagg.data.formats.registry import (
    Parsed,
    ReadOptions,
    damaged,
    format,
    require_signature,
)
from microagg.data.remote import FilePath

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "a Parquet file"
MARK = b"PAR1"

GROUP, LEAST_GROUP, GROUP_BYTES = 1 << 16, 1 << 6, 1 << 25
"""Records of a row group that is written; at least, where records are large; and its bytes, about."""

BATCH = 1 << 10
"""Records that are decoded at a time: their texts may be of any length."""


class ParquetPieces:
    """A Parquet file that is read batch by batch."""

    dialect = None

    def __init__(self, path: FilePath) -> None:
        self._path = path
        with self._opened() as file:
            self.schema = file.schema_arrow
        self.names = list(self.schema.names)

    def expected(self) -> int:
        """Return the number of records that the file says it has."""
        with self._opened() as file:
            return int(file.metadata.num_rows)

    @property
    def stretches(self) -> list[int]:
        """The records of each row group."""
        with self._opened() as file:
            metadata = file.metadata
            return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]

    def tables(
        self, rows: int, columns: list[str], size: int, groups: list[int] | None = None
    ) -> Iterator[pa.Table]:
        """Yield the records in tables of at most `rows`, fewer where they are large.

        `groups` are the numbers of the row groups to read, where not all are wanted.
        """
        import pyarrow as pa

        with self._opened() as file:
            rows = min(rows, BATCH, max(size // 8 // _row_bytes(file.metadata), 1))
            batches = file.iter_batches(
                batch_size=rows, row_groups=groups, columns=columns, use_threads=False
            )
            while True:
                table = None
                try:
                    batch = next(batches, None)
                    if batch is None:
                        return
                    table = usable(pa.Table.from_batches([batch]))
                except signs_of_damage():
                    pass  # raised below, because the caught error may show a record
                if table is None:
                    raise damaged(self._path, NAME)
                yield table.select(columns)

    def _opened(self) -> Any:
        import pyarrow.parquet as pq

        require_signature(self._path, first_bytes(self._path), NAME, [MARK])
        try:
            # With a buffer and without reading ahead, a large row group is not held whole.
            source = str(self._path) if isinstance(self._path, Path) else self._path.open()
            return pq.ParquetFile(source, buffer_size=1 << 20, pre_buffer=False)
        except signs_of_damage():
            pass
        raise damaged(self._path, NAME)


def _row_bytes(metadata: Any) -> int:
    """Return the bytes of a record, on average, in the row group where they are largest."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0) + 1


class ParquetAppender:
    """A Parquet file that is written table by table, in row groups of equal length.

    A row group for each table would tell how many records were left out, and where.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq

        self._schema = _readable(schema)
        self._writer = pq.ParquetWriter(str(path), self._schema)
        self._waiting: list[pa.Table] = []
        self._rows = self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if failed is None:
            self._flush(self._rows)
        self._writer.close()

    def write(self, table: pa.Table) -> None:
        """Append the rows of a table, as whole row groups."""
        if not table.num_rows:  # none of a piece whose records were all left out
            return
        self._waiting.append(table.cast(self._schema))
        self._rows, self._bytes = self._rows + table.num_rows, self._bytes + table.nbytes
        length = GROUP
        while length > LEAST_GROUP and self._bytes * length > GROUP_BYTES * self._rows:
            length //= 2  # where records are large
        self._flush(self._rows - self._rows % length, length)

    def _flush(self, rows: int, length: int = GROUP) -> None:
        """Write the first rows that wait, in row groups of `length`."""
        import pyarrow as pa

        if not rows:
            return
        table = pa.concat_tables(self._waiting)
        self._waiting = [table.slice(rows)] if rows < table.num_rows else []
        for first in range(0, rows, length):
            part = table.slice(first, min(length, rows - first))
            self._writer.write_table(part, row_group_size=part.num_rows)
        self._rows -= rows
        self._bytes = sum(each.nbytes for each in self._waiting)


def _readable(schema: pa.Schema) -> pa.Schema:
    """Return a schema with the values in place of nested categories.

    Parquet's readers cannot read these where a file has several row groups.
    """
    for position, field in enumerate(schema):
        schema = schema.set(position, field.with_type(_without_nested_categories(field.type)))
    return schema


def _without_nested_categories(kind: pa.DataType, *, nested: bool = False) -> pa.DataType:
    import pyarrow as pa

    def inner(field: pa.Field) -> pa.Field:
        return field.with_type(_without_nested_categories(field.type, nested=True))

    if nested and pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_struct(kind):
        return pa.struct([inner(kind.field(i)) for i in range(kind.num_fields)])
    if pa.types.is_large_list(kind):
        return pa.large_list(inner(kind.value_field))
    if pa.types.is_list(kind):
        return pa.list_(inner(kind.value_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(inner(kind.value_field), kind.list_size)
    return kind


def _stream(path: FilePath, options: ReadOptions, size: int) -> ParquetPieces:
    return ParquetPieces(path)


def _append(path: Path, schema: pa.Schema, dialect: CsvDialect) -> ParquetAppender:
    return ParquetAppender(path, schema)


def _write(table: pa.Table, path: Path, dialect: CsvDialect) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("wb") as stream:
            pq.write_table(table.cast(_readable(table.schema)), stream)
            return
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        pass  # raised below, because the caught error may show a record
    raise unwritable(table, "Parquet")


@format(
    NAME,
    suffixes=(".parquet",),
    write=_write,
    stream=_stream,
    append=_append,
    signatures={MARK: ".parquet"},
)
def read(content: Content, options: ReadOptions) -> Parsed:
    """Read a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    require_signature(content.path, content.head(), NAME, [MARK])
    data = content.buffer()
    try:
        # Not pq.read_table, which takes folder names such as year=2019 for columns.
        with pq.ParquetFile(pa.BufferReader(data)) as file:
            require_proportion(content.path, _unpacked_bytes(file.metadata), data.size)
            _refuse_repeated_text(file, content.path, data.size)
            return Parsed(usable(_whole(file)))
    except signs_of_damage():
        pass  # raised below, because the caught error may show a record
    raise damaged(content.path, NAME)


def _whole(file: Any) -> pa.Table:
    """Return all records, row group by row group where there are nested categories."""
    import pyarrow as pa

    try:
        return file.read()
    except pa.ArrowNotImplementedError:
        groups = [file.read_row_group(number) for number in range(file.num_row_groups)]
        return pa.concat_tables([group.cast(_readable(group.schema)) for group in groups])


def _refuse_repeated_text(file: Any, path: FilePath, packed: int) -> None:
    """Raise if text, stored once for many records, expands out of all proportion.

    The footer does not say how long it is. The first records of each row group give an estimate. Only if
    that is too large is all text counted, piece by piece.
    """
    import pyarrow as pa

    kinds = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
    text = [own.name for own in file.schema_arrow if own.type in kinds]
    if not text or max(file.metadata.num_rows, 1) * len(text) < BATCH:
        return
    estimate = 0
    for number in range(file.metadata.num_row_groups):
        batches = file.iter_batches(BATCH, row_groups=[number], columns=text, use_threads=False)
        first = next(batches, None)
        if first is not None and first.num_rows:
            rows = file.metadata.row_group(number).num_rows
            estimate += first.nbytes * rows // first.num_rows
    if not beyond_proportion(estimate, packed):
        return
    total = 0
    for batch in file.iter_batches(BATCH, columns=text, use_threads=False):
        total += batch.nbytes
        require_proportion(path, total, packed)


def _unpacked_bytes(metadata: Any) -> int:
    """Return about the bytes of the table: what the file says, or one for each value."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    size = int(sum(group.total_byte_size for group in groups))
    return max(size, int(metadata.num_rows * metadata.num_columns))
