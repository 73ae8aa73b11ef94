"""How much memory columns need once each record has its own value.

Arrow can store a value once for many records: in dictionaries, runs and views. A small file can thus stand
for more values than memory can hold. The sizes are computed without writing the values out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.data.content import require_proportion
from microagg.data.layouts import list_lengths
from microagg.data.remote import FilePath

if TYPE_CHECKING:
    import pyarrow as pa

ALWAYS_READ = 1 << 30
"""Bytes up to which a columnar file is read, however small it is itself."""


def require_columns_in_proportion(path: FilePath, size: int, packed: int) -> None:
    """Raise if the columns of a file need far more memory than the file has bytes."""
    require_proportion(path, size, packed, ALWAYS_READ)


def plain_bytes(table: pa.Table | pa.RecordBatch) -> int:
    """Return about the bytes of a table in which each record has its own values.

    Raises
    ------
    pyarrow.ArrowInvalid
        The table is damaged: the lengths of its buffers do not match.
    ValueError
        The table is damaged: indices or offsets are out of range.

    Examples
    --------
    >>> import pyarrow as pa
    >>> town = pa.DictionaryArray.from_arrays(pa.array([0] * 1000), ["a" * 96])
    >>> plain_bytes(pa.table({"town": town}))
    100000
    """
    table.validate()
    chunks = (chunk for column in table.columns for chunk in getattr(column, "chunks", [column]))
    try:
        return sum(_bytes(chunk) for chunk in chunks)
    except IndexError:
        raise ValueError("Indices or offsets are out of range.") from None


def _bytes(chunk: Any) -> int:
    if not _encoded(chunk.type):
        return int(chunk.nbytes)
    sizes = _sizes(chunk)
    return sizes * len(chunk) if isinstance(sizes, int) else int(sizes.sum())


def record_bytes(batch: pa.RecordBatch) -> np.ndarray:
    """Return the same for each record."""
    total = np.zeros(batch.num_rows, dtype=np.int64)
    for column in batch.columns:
        total += _sizes(column)
    return total


def _encoded(kind: pa.DataType) -> bool:
    """Return whether a type can store a value once for many records, or records in no bytes."""
    import pyarrow as pa

    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _encoded(kind.storage_type)
    if types.is_nested(kind):  # also runs; a list of lists of nothing takes no bytes
        return True
    return bool(types.is_dictionary(kind) or types.is_null(kind) or _is_view(kind))


def _is_view(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def _sizes(array: Any) -> np.ndarray | int:
    """Return the bytes of each value, or one number where all have the same or at most that."""
    import pyarrow as pa

    types, kind = pa.types, array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _sizes(array.storage)
    if types.is_dictionary(kind):
        return _taken(_sizes(array.dictionary), array.indices)
    if types.is_run_end_encoded(kind):
        return _of_runs(array)
    if types.is_struct(kind) or types.is_union(kind):
        inner: np.ndarray | int = 1
        for number in range(kind.num_fields):
            part = _sizes(array.field(number))
            dense = types.is_union(kind) and kind.mode == "dense"
            inner = inner + (_largest(part) if dense else part)
        return inner
    if types.is_fixed_size_list(kind):
        return _of_equal_lists(array)
    if types.is_nested(kind):
        return _of_lists(array)
    if _is_view(kind):
        return 16 + _lengths_of_views(array)
    if types.is_null(kind) or types.is_boolean(kind):
        return 1
    return _of_plain_values(array)


def _of_plain_values(array: Any) -> np.ndarray | int:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return int(array.type.bit_width + 7) // 8
    except ValueError:  # text and bytes of any length
        lengths = pc.cast(pc.fill_null(pc.binary_length(array), 0), pa.int64())
        sizes: np.ndarray = 4 + lengths.to_numpy(zero_copy_only=False)
        return sizes


def _largest(sizes: np.ndarray | int) -> int:
    return sizes if isinstance(sizes, int) else int(sizes.max(initial=0))


def _taken(sizes: np.ndarray | int, indices: Any) -> np.ndarray | int:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(sizes, int):
        return sizes
    places = pc.cast(pc.fill_null(indices, 0), pa.int64()).to_numpy(zero_copy_only=False)
    return sizes[places] if len(sizes) else 0


def _of_runs(array: Any) -> int:
    """Return the mean size of a value, rounded up: the values may be too many for an array."""
    sizes = _sizes(array.values)
    if isinstance(sizes, int) or not len(array):
        return _largest(sizes)
    ends = array.run_ends.to_numpy(zero_copy_only=False).astype(np.int64) - array.offset
    lengths = np.diff(np.clip(ends, 0, len(array)), prepend=0)
    return -int(-(lengths * sizes).sum() // len(array))


def _of_equal_lists(array: Any) -> np.ndarray | int:
    width = array.type.list_size
    inner = _sizes(array.values.slice(array.offset * width, len(array) * width))
    if isinstance(inner, int):
        return int(inner * width)
    sizes: np.ndarray = inner.reshape(-1, width).sum(axis=1)
    return sizes


def _of_lists(array: Any) -> np.ndarray | int:
    """Return the bytes of each list: its values lie between two offsets, or behind one."""
    starts = np.asarray(array.offsets.to_numpy(zero_copy_only=False), dtype=np.int64)
    if hasattr(array, "sizes"):
        lengths = list_lengths(array)
    else:
        starts, lengths = starts[:-1], np.diff(starts)
    inner = _sizes(array.values if hasattr(array, "values") else array.items)
    if isinstance(inner, int):
        return 4 + lengths * inner
    before = np.concatenate([[0], np.cumsum(inner)])
    starts = np.where(lengths > 0, starts, 0)  # that of an empty list may be anything
    sizes: np.ndarray = 4 + before[starts + lengths] - before[starts]
    return sizes


def _lengths_of_views(array: Any) -> np.ndarray:
    views = np.frombuffer(array.buffers()[1], dtype=np.int32)[::4]
    lengths = views[array.offset : array.offset + len(array)].astype(np.int64)
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return np.where(valid, lengths, 0)
