"""Parquet: columns with types of their own, kept exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from microagg.data.columnar import signs_of_damage, unwritable, usable
from microagg.data.content import Content, first_bytes
from microagg.data.dialect import CsvDialect
from microagg.data.formats.registry import (
    Parsed,
    ReadOptions,
    damaged,
    format,
    require_signature,
)
from microagg.data.parquet_sizes import (
    PIECE,
    decoded,
    page_sizes,
    require_file_in_proportion,
    require_room,
    text_paths,
)
from microagg.data.remote import FilePath
from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "a Parquet file"
MARK = b"PAR1"

GROUP, LEAST_GROUP, GROUP_BYTES = 1 << 16, 1 << 6, 1 << 25
"""Records of a row group that is written; at least, where records are large; and its bytes, about."""

BATCH = 1 << 12
"""Records that are decoded at a time: texts that are stored for each of them may be of any length."""


class ParquetPieces:
    """A Parquet file that is read batch by batch."""

    dialect = None

    def __init__(self, path: FilePath) -> None:
        self._path = path
        with self._opened() as file:
            self.schema = file.schema_arrow
            self._text = self._text_as_categories(file.metadata)
        self.names = list(self.schema.names)

    def _text_as_categories(self, metadata: Any) -> list[str]:
        """Return the columns of text that pyarrow can read as categories."""
        try:
            with page_sizes(self._path, metadata) as sizes:
                return [path for path in text_paths(metadata) if path not in sizes.delta_text]
        except signs_of_damage():
            pass
        raise damaged(self._path, NAME)

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
        tables = self._decoded(rows, columns, size, groups)
        while True:
            table = None
            try:
                table = next(tables, None)
                if table is None:
                    return
                table = usable(table)
            except DataError:
                raise
            except signs_of_damage():
                table = None  # raised below, because the caught error may show a record
            if table is None:
                raise damaged(self._path, NAME)
            yield table.select(columns)

    def _decoded(
        self, rows: int, columns: list[str], size: int, groups: list[int] | None
    ) -> Iterator[pa.Table]:
        """Yield the records; text is decoded as categories first, so that memory is bounded.

        Many long texts that differ would need more memory as categories. They are decoded a few at a time.
        """
        with (
            self._opened() as plain,
            self._opened(self._text) as file,
            page_sizes(self._path, file.metadata) as sizes,
        ):
            rows = min(rows, BATCH, max(size // 8 // _row_bytes(file.metadata), 1))
            numbers = range(file.num_row_groups) if groups is None else groups
            for number in numbers:  # which have dictionaries of their own
                require_room(self._path, sizes, number, columns, size)
                is_long = sizes.text_bytes(number, columns) > size // 8
                at_a_time = sizes.rows_at_a_time(
                    number, columns, max(size // 8, PIECE), every=is_long
                )
                for batch in (plain if is_long else file).iter_batches(
                    min(rows, at_a_time), row_groups=[number], columns=columns, use_threads=False
                ):
                    yield from decoded(batch, self.schema, size // 8)

    def _opened(self, categories: list[str] | None = None) -> Any:
        import pyarrow.parquet as pq

        require_signature(self._path, first_bytes(self._path), NAME, [MARK])
        try:
            # With a buffer and without reading ahead, a large row group is not held whole.
            source = str(self._path) if isinstance(self._path, Path) else self._path.open()
            return pq.ParquetFile(
                source, read_dictionary=categories, buffer_size=1 << 20, pre_buffer=False
            )
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
            if not content.own:
                require_file_in_proportion(data, file.metadata, content.path)
            return Parsed(usable(_whole(file)))
    except DataError:  # a column is nested too deep
        raise
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
