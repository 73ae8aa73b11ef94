"""Parquet, Arrow and Feather: columns with types of their own, kept exactly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from microagg.data.source import first_bytes, wrong_format
from microagg.errors import DataError, FileError

if TYPE_CHECKING:
    import pyarrow as pa


def read_parquet(path: Path) -> pa.Table:
    """Read a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    head = first_bytes(path)
    if not head.startswith(b"PAR1"):
        raise wrong_format(path, head, "a Parquet file")
    try:
        # Not pq.read_table, which takes folder names such as year=2019 for columns.
        # Not path.open either: Arrow's threads may still hold it when Python is already ending.
        with pa.OSFile(str(path), "rb") as stream, pq.ParquetFile(stream) as file:
            return file.read()
    except (pa.ArrowException, OSError):
        pass
    raise damaged(path, "Parquet")


def read_arrow(path: Path) -> pa.Table:
    """Read an Arrow file or stream (Feather version 2 is an Arrow file)."""
    import pyarrow as pa

    head = first_bytes(path)
    is_file = head.startswith(b"ARROW1")
    # A stream starts with a marker and the length of its schema.
    if not is_file and not head.startswith(b"\xff\xff\xff\xff"):
        raise wrong_format(path, head, "an Arrow file or stream")
    try:
        with pa.OSFile(str(path), "rb") as source:
            opened = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
            return opened.read_all()
    except (pa.ArrowException, OSError):
        pass
    raise damaged(path, "Arrow")


def damaged(path: Path, kind: str) -> FileError:
    """Return the error for a file that starts as it must and breaks off."""
    return FileError(
        f"'{path}' is damaged: it starts as {kind} but cannot be read to its end.",
        hint="Copy or export it again.",
    )


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("wb") as stream:
            pq.write_table(table, stream)
            return
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        pass
    raise _unwritable(table, "Parquet")


def write_arrow(table: pa.Table, path: Path) -> None:
    """Write an Arrow file, packed with LZ4 as Feather is."""
    import pyarrow as pa

    try:
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with path.open("wb") as stream, pa.ipc.new_file(stream, table.schema, options=options) as f:
            f.write_table(table)
            return
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        pass
    raise _unwritable(table, "Arrow")


def _unwritable(table: pa.Table, kind: str) -> DataError:
    types = sorted({str(field.type) for field in table.schema})
    return DataError(
        f"The table cannot be written as {kind}; its columns hold {', '.join(types)}.",
        hint="Turn columns of unusual types into text or numbers.",
    )


def only_columnar(kind: pa.DataType) -> bool:
    """Whether a type (lists, bytes, time spans) has a place in columnar files only.

    Examples
    --------
    >>> import pyarrow as pa
    >>> only_columnar(pa.list_(pa.int64())), only_columnar(pa.string())
    (True, False)
    """
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_nested(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_duration(kind)
    )


def without_unused_categories(table: pa.Table) -> pa.Table:
    """Return a table whose categories are only those of its own rows.

    A frame cut from a larger one still knows the categories of the rows that were left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> whole = pa.table({"town": pa.array(["a", "b", "a"]).dictionary_encode()})
    >>> without_unused_categories(whole.slice(2))["town"].chunk(0).dictionary.to_pylist()
    ['a']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and table.num_rows:
            values = table.column(i).cast(field.type.value_type).combine_chunks()
            known = table.column(i).unify_dictionaries().chunk(0).dictionary
            known = known.filter(pc.is_in(known, value_set=values.unique()))
            codes = pc.index_in(values, value_set=known).cast(field.type.index_type)
            compact = pa.DictionaryArray.from_arrays(codes, known, ordered=field.type.ordered)
            table = table.set_column(i, field, compact)
    return table
