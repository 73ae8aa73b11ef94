"""Arrow types: which of them the package works with, and others turned into those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def only_columnar(kind: pa.DataType) -> bool:
    """Tell whether a type (lists, bytes, time spans) has a place in columnar files only.

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
        or types.is_interval(kind)
        or isinstance(kind, pa.BaseExtensionType)
    )


EXTENSION = b"ARROW:extension:"
"""The metadata of a field whose extension type Arrow does not know begins so: it is a part of the type."""


def extension_name(field: pa.Field) -> str:
    """Return the name of a field's extension type, of which Arrow may know the storage alone.

    Examples
    --------
    >>> import pyarrow as pa
    >>> month = pa.field("month", pa.int64(), metadata={EXTENSION + b"name": b"pandas.period"})
    >>> extension_name(month), extension_name(pa.field("age", pa.int64()))
    ('pandas.period', '')
    """
    import pyarrow as pa

    if isinstance(field.type, pa.BaseExtensionType):
        return str(field.type.extension_name)
    return str((field.metadata or {}).get(EXTENSION + b"name", b""), "utf-8", "replace")


def usable(table: pa.Table) -> pa.Table:
    """Return a table that was read from a file, checked and in types that all code can use.

    Raises
    ------
    pyarrow.ArrowInvalid
        Offsets or indices lead out of their buffers, or text is not UTF-8: to use such a table
        could end the process.
    UnicodeDecodeError
        A column name is not UTF-8.
    """
    table.validate(full=True)
    str(table.schema)  # names that are no text raise here, and not in other code
    return plain(table)


def plain(table: pa.Table) -> pa.Table:
    """Return a table with views and run-end encoded columns in the usual layout.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plain(pa.table({"town": pa.array(["a"], pa.string_view())})).schema.field("town").type
    DataType(string)
    """
    for position, field in enumerate(table.schema):
        kind = plain_type(field.type)
        if kind != field.type or _has_null_category(table.column(position)):
            column = _plain_column(table.column(position), kind)
            table = table.set_column(position, field.with_type(kind), column)
    return table


def plain_type(kind: pa.DataType) -> Any:
    """Return the type of the same values without views and runs."""
    import pyarrow as pa

    types = pa.types
    if types.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    if types.is_string_view(kind):
        return pa.string()
    if types.is_binary_view(kind):
        return pa.binary()
    if types.is_dictionary(kind) and (value := plain_type(kind.value_type)) != kind.value_type:
        return pa.dictionary(kind.index_type, value, kind.ordered)
    return kind


def _plain_column(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = []
    for chunk in column.chunks:
        while pa.types.is_run_end_encoded(chunk.type):
            chunk = pc.run_end_decode(chunk)
        if pa.types.is_dictionary(chunk.type):
            words = chunk.dictionary.cast(kind.value_type)
            chunk = pa.DictionaryArray.from_arrays(chunk.indices, words, ordered=kind.ordered)
            chunk = without_null_category(chunk)
        chunks.append(chunk if chunk.type == kind else chunk.cast(kind))
    return pa.chunked_array(chunks, type=kind)


def _has_null_category(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return False
    return any(chunk.dictionary.null_count for chunk in column.chunks)


def without_null_category(array: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return categories of which none is null; records that had it are null themselves.

    Examples
    --------
    >>> import pyarrow as pa
    >>> odd = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([None, "a"]))
    >>> without_null_category(odd).dictionary.to_pylist()
    ['a']
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    words = array.dictionary
    if not words.null_count:
        return array
    valid = words.is_valid().to_numpy(zero_copy_only=False)
    place = pa.array(np.cumsum(valid) - 1, mask=~valid)
    codes = place.take(pc.cast(array.indices, pa.int64())).cast(array.type.index_type)
    return pa.DictionaryArray.from_arrays(codes, words.drop_null(), ordered=array.type.ordered)
