"""How much memory a Parquet file needs once it is decoded.

The pages state how many values they have, but not how long texts are. Parquet stores a text once for all
records of a row group that have it. Such text is therefore read as categories and added up; it is never
written out for all records. Text that pyarrow cannot read as categories is read a few records at a time.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.data.expansion import plain_bytes, record_bytes, require_columns_in_proportion
from microagg.data.layouts import plain_array, plain_type
from microagg.data.parquet_pages import (
    DELTAS,
    PageHeader,
    ReadAt,
    chunks_of,
    pages,
)
from microagg.data.remote import FilePath
from microagg.errors import FileError

if TYPE_CHECKING:
    import pyarrow as pa

TEXT = "BYTE_ARRAY"
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8, TEXT: 4}
"""Bytes of a value by its physical type; of text, those of its length."""

COUNTED = 1 << 16
"""Records whose text is added up at a time."""

PIECE, LISTS = 1 << 26, 1 << 28
"""Bytes that any memory has room for: of records or a page, and of the lists of a row group."""


def text_paths(metadata: Any) -> list[str]:
    """Return the columns of text, including those in nested columns, by their paths in the file."""
    columns = (metadata.schema.column(i) for i in range(metadata.num_columns))
    return [column.path for column in columns if column.physical_type == TEXT]


class PageSizes:
    """The bytes of the pages of a file, as their headers state them.

    Parameters
    ----------
    read_at : callable
        Returns some bytes of the file.
    size : int
        The bytes of the file.
    metadata : pyarrow.parquet.FileMetaData
        The footer, for the types of the columns.
    local : bool
        False for a file in object storage, where each header would be a request of its own: none is read.

    Attributes
    ----------
    delta_text : set of str
        The paths of the columns of text that pyarrow cannot read as categories.
    """

    def __init__(self, read_at: ReadAt, size: int, metadata: Any, *, local: bool = True) -> None:
        self._read_at, self._local = read_at, local
        self._columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        self._chunks = chunks_of(read_at, size)
        if len(self._chunks) != metadata.num_row_groups:
            raise ValueError("The footer is damaged.")
        self.delta_text = {
            column.path
            for chunks in self._chunks
            for column, chunk in zip(self._columns, chunks, strict=True)
            if column.physical_type == TEXT and not DELTAS.isdisjoint(chunk.encodings)
        }

    def of(
        self, group: int, names: Collection[str] | None = None
    ) -> Iterator[tuple[Any, list[PageHeader]]]:
        """Yield each column of a row group, or those of some names, and its pages.

        Their sizes are at least those of their values. Text that is stored once for several records
        counts once, except in lists that cannot be read a few values at a time.
        """
        chunks = self._chunks[group] if self._local else []
        for column, chunk in zip(self._columns, chunks, strict=self._local):
            if names is not None and not _is_among(names, column.path):
                continue
            of_chunk = list(pages(self._read_at, chunk))
            width = WIDTHS.get(column.physical_type, column.length)
            if column.max_repetition_level and self._repeats(column, of_chunk):
                width = max(page.size for page in of_chunk)
            yield (
                column,
                [page._replace(size=max(page.size, page.values * width)) for page in of_chunk],
            )

    def _repeats(self, column: Any, of_chunk: list[PageHeader]) -> bool:
        """Return whether delta-encoded text of a column can be longer than its pages."""
        return column.path in self.delta_text and any(page.repeats for page in of_chunk)

    def text_bytes(self, group: int, names: Collection[str]) -> int:
        """Return the bytes of the pages of text of a row group."""
        chunks = (pages for column, pages in self.of(group, names) if column.physical_type == TEXT)
        return sum(page.size for pages in chunks for page in pages)

    def rows_at_a_time(
        self, group: int, names: Collection[str], size: int, *, every: bool = False
    ) -> int:
        """Return how many records of a row group have at most `size` bytes of delta-encoded text.

        With `every`, all text counts. No text is longer than a page.
        """
        largest = 1
        for column, of_chunk in self.of(group, names) if self.delta_text or every else ():
            if self._repeats(column, of_chunk) or (every and column.physical_type == TEXT):
                largest = max(largest, *(page.size for page in of_chunk))
        return max(size // largest, 1)


def _is_among(names: Collection[str], path: str) -> bool:
    """Return whether a column has one of some names, or is inside a nested column that has."""
    parts = path.split(".")
    return any(".".join(parts[:count]) in names for count in range(len(parts), 0, -1))


def require_file_in_proportion(data: pa.Buffer, metadata: Any, path: FilePath) -> None:
    """Raise if the columns of a file need far more memory than the file has bytes."""

    def read_at(start: int, size: int) -> bytes:
        if not 0 <= start < data.size:
            raise ValueError("A page lies outside of the file.")
        return bytes(data.slice(start, min(size, data.size - start)))

    total, sizes_of = metadata.num_rows, PageSizes(read_at, data.size, metadata)
    for number in range(metadata.num_row_groups):
        total += sum(page.size for _, of_chunk in sizes_of.of(number) for page in of_chunk)
        require_columns_in_proportion(path, total, data.size)
    _require_text_in_proportion(data, metadata, sizes_of, path)


def _require_text_in_proportion(
    data: pa.Buffer, metadata: Any, sizes_of: PageSizes, path: FilePath
) -> None:
    """Raise if the text of a file needs far more memory than the file has bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    delta = sorted(sizes_of.delta_text)
    coded = [path for path in text_paths(metadata) if path not in sizes_of.delta_text]
    total = 0
    for paths, categories in ((coded, coded), (delta, None)):
        with pq.ParquetFile(pa.BufferReader(data), read_dictionary=categories) as file:
            # Row groups have dictionaries of their own.
            for number in range(metadata.num_row_groups if paths else 0):
                rows = min(sizes_of.rows_at_a_time(number, paths, PIECE), COUNTED)
                for batch in file.iter_batches(
                    rows, row_groups=[number], columns=paths, use_threads=False
                ):
                    total += plain_bytes(batch)
                    require_columns_in_proportion(path, total, data.size)


@contextmanager
def page_sizes(path: FilePath, metadata: Any) -> Iterator[PageSizes]:
    """Open the pages of a file."""
    opened: Any = path.open("rb")
    with opened as stream:
        local = isinstance(path, Path)

        def read_at(start: int, length: int) -> bytes:
            if local:
                return os.pread(stream.fileno(), length, start)
            return bytes(stream.read_at(length, start))

        yield PageSizes(read_at, path.stat().st_size, metadata, local=local)


def require_room(
    path: FilePath, sizes_of: PageSizes, group: int, names: list[str], size: int
) -> None:
    """Raise if memory of `size` bytes has no room for a page, or for the lists of a row group.

    Pages are decompressed whole, and the values of a record may fill any part of a row group.
    """
    for column, of_chunk in sizes_of.of(group, set(names)):
        sizes = [page.size for page in of_chunk]
        needed = sum(sizes) if column.max_repetition_level else max(sizes, default=0)
        limit = max(size, LISTS if column.max_repetition_level else PIECE)
        if needed > limit:
            raise FileError(
                f"Column '{column.path.split('.')[0]}' of '{path}' needs {needed >> 20} MB at a "
                f"time, but the memory limit allows {limit >> 20} MB.",
                hint="Allow more memory, or write the file with smaller pages and row groups.",
            )


def decoded(batch: pa.RecordBatch, schema: pa.Schema, size: int) -> Iterator[pa.Table]:
    """Yield the records of a batch whose text was read as categories, about `size` bytes at a time."""
    import pyarrow as pa

    batch.validate(full=True)  # codes of a damaged file may be beyond their categories
    before = np.concatenate([[0], np.cumsum(record_bytes(batch))])
    fields = [schema.field(name) for name in batch.schema.names]
    wanted = pa.schema([field.with_type(plain_type(field.type)) for field in fields])
    room, first = min(size, PIECE), 0
    while first < batch.num_rows:
        end = int(np.searchsorted(before, before[first] + room, side="right")) - 1
        end = max(end, first + 1)
        part = batch.slice(first, end - first)
        columns = [
            plain_array(column, field.type)
            for column, field in zip(part.columns, wanted, strict=True)
        ]
        yield pa.Table.from_arrays(columns, schema=wanted)
        first = end
