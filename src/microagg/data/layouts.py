"""The usual layout of Arrow columns: without views and runs, in nested columns as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.data.nesting import refuse_deep_types

if TYPE_CHECKING:
    import pyarrow as pa


def plain(table: pa.Table) -> pa.Table:
    """Return a table with views and run-end encoded columns in the usual layout.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plain(pa.table({"town": pa.array(["a"], pa.string_view())})).schema.field("town").type
    DataType(string)
    """
    import pyarrow as pa

    refuse_deep_types(table)
    replaced = {}
    for position, field in enumerate(table.schema):
        kind = plain_type(field.type)
        if kind != field.type or _has_null_category(table.column(position)):
            chunks = [plain_array(chunk, kind) for chunk in table.column(position).chunks]
            replaced[position] = field.with_type(kind), pa.chunked_array(chunks, type=kind)
    return with_columns(table, replaced)


def with_columns(
    table: pa.Table, replaced: Mapping[int, tuple[pa.Field, pa.ChunkedArray]]
) -> pa.Table:
    """Return a table with other columns in some positions.

    `Table.set_column` copies the table for each of them, which takes minutes for many thousands.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table, ones = pa.table({"a": [7], "b": [8]}), pa.chunked_array([[1]])
    >>> with_columns(table, {0: (pa.field("one", pa.int64()), ones)}).to_pydict()
    {'one': [1], 'b': [8]}
    """
    import pyarrow as pa

    if not replaced:
        return table
    fields, columns = list(table.schema), list(table.columns)
    for position, (field, column) in replaced.items():
        fields[position], columns[position] = field, column
    return pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=table.schema.metadata))


def plain_type(kind: pa.DataType) -> Any:
    """Return the type of the same values without views and runs.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plain_type(pa.list_(pa.field("item", pa.string_view())))
    ListType(list<item: string>)
    """
    import pyarrow as pa

    types = pa.types
    if types.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    if types.is_string_view(kind):
        return pa.string()
    if types.is_binary_view(kind):
        return pa.binary()
    if types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, plain_type(kind.value_type), kind.ordered)
    return _plain_nested_type(kind)


def _plain_nested_type(kind: pa.DataType) -> Any:
    """Return the same for structures, maps and lists of any kind."""
    import pyarrow as pa

    def inner(field: pa.Field) -> pa.Field:
        return field.with_type(plain_type(field.type))

    types = pa.types
    if types.is_struct(kind):
        return pa.struct([inner(kind.field(i)) for i in range(kind.num_fields)])
    if types.is_map(kind):
        return pa.map_(inner(kind.key_field), inner(kind.item_field), kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(inner(kind.value_field), kind.list_size)
    if types.is_list(kind) or is_list_view(kind):
        return pa.list_(inner(kind.value_field))
    if types.is_large_list(kind) or is_large_list_view(kind):
        return pa.large_list(inner(kind.value_field))
    return kind


def plain_array(array: Any, kind: pa.DataType) -> Any:
    """Return the values of an array in another layout: that of `plain_type`, or without categories."""
    import pyarrow as pa

    types, own = pa.types, array.type
    if types.is_run_end_encoded(own):
        return plain_array(array.values, kind).take(pa.array(_runs_of(array)))
    if types.is_dictionary(own):
        words = plain_array(array.dictionary, getattr(kind, "value_type", kind))
        if not types.is_dictionary(kind):
            return words.take(array.indices)
        codes = array.indices.cast(kind.index_type)
        fresh = pa.DictionaryArray.from_arrays(codes, words, ordered=kind.ordered)
        return without_null_category(fresh)
    if own == kind and not types.is_nested(kind):
        return array
    if types.is_nested(own) and not types.is_union(own):
        return _plain_nested(array, kind)
    return array if own == kind else array.cast(kind)


def _plain_nested(array: Any, kind: Any) -> Any:
    """Return a structure, a map or lists with other values inside."""
    import pyarrow as pa

    types = pa.types
    blank = array.is_null() if array.null_count else None
    if types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        parts = [plain_array(array.field(i), own.type) for i, own in enumerate(fields)]
        return pa.StructArray.from_arrays(parts, fields=fields, mask=blank) if fields else array
    if types.is_fixed_size_list(kind):
        width = kind.list_size
        inner = array.values.slice(array.offset * width, len(array) * width)
        values = plain_array(inner, kind.value_type)
        return pa.FixedSizeListArray.from_arrays(values, type=kind, mask=blank)
    if types.is_map(kind):
        return _plain_map(array, kind)
    values = plain_array(array.values, kind.value_type)
    offsets = pa.array(array.offsets.to_numpy())  # without an offset of its own, as masks need
    if is_list_view(array.type) or is_large_list_view(array.type):
        lengths = list_lengths(array)
        ends = np.cumsum(lengths)
        places = np.arange(lengths.sum()) + np.repeat(offsets.to_numpy() - ends + lengths, lengths)
        values = values.take(pa.array(places))
        offsets = pa.array(np.append(0, ends), offsets.type)
    maker = pa.LargeListArray if types.is_large_list(kind) else pa.ListArray
    return maker.from_arrays(offsets, values, type=kind, mask=blank)


def _plain_map(array: Any, kind: Any) -> Any:
    import pyarrow as pa

    keys, items = plain_array(array.keys, kind.key_type), plain_array(array.items, kind.item_type)
    entries = pa.StructArray.from_arrays([keys, items], fields=[kind.key_field, kind.item_field])
    valid, offsets = array.is_valid().buffers()[1], pa.array(array.offsets.to_numpy())
    if not array.null_count:
        valid = None
    return pa.Array.from_buffers(
        kind, len(array), [valid, offsets.buffers()[1]], children=[entries]
    )


def list_lengths(array: Any) -> np.ndarray:
    """Return the length of each list view; that of a null, which may be anything, is 0."""
    lengths = np.asarray(array.sizes.to_numpy(zero_copy_only=False), dtype=np.int64)
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return np.where(valid, lengths, 0)


def _runs_of(array: Any) -> np.ndarray:
    """Return the number of the run of each record."""
    ends = array.run_ends.to_numpy(zero_copy_only=False).astype(np.int64) - array.offset
    lengths = np.diff(np.clip(ends, 0, len(array)), prepend=0)
    return np.repeat(np.arange(len(ends)), lengths)


def is_list_view(kind: pa.DataType) -> bool:
    """Return whether a type is a list view, with offsets of 32 bits."""
    import pyarrow as pa

    return bool(getattr(pa.types, "is_list_view", _no)(kind))  # pyarrow 16 has none


def is_large_list_view(kind: pa.DataType) -> bool:
    """Return whether a type is a list view with offsets of 64 bits."""
    import pyarrow as pa

    return bool(getattr(pa.types, "is_large_list_view", _no)(kind))


def _no(kind: object) -> bool:
    return False


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
