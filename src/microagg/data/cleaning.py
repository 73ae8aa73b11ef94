"""Take out of a frame what its rows do not show: unused categories, values beneath nulls, metadata.

A frame that was cut from a larger one still knows the categories of the rows that were left out, and a
value that became null may still be in memory. Columns of text share their memory with the frame that
they were cut from, and a pickle or a file of polars contains all of it. Metadata may describe anything.
None of them may reach a release.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from microagg.data import labels
from microagg.data.arrow_types import type_name
from microagg.data.layouts import with_columns
from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def cleaned(native: Any) -> Any:
    """Return a pandas, polars or pyarrow frame that contains only the data that its rows show.

    Examples
    --------
    >>> import pandas as pd
    >>> town = pd.Series(["a", "b", "a"], dtype="category")
    >>> list(cleaned(pd.DataFrame({"town": town}).iloc[:1])["town"].cat.categories)
    ['a']
    """
    if nw.dependencies.is_pandas_dataframe(native):
        return _cleaned_pandas(native)
    if nw.dependencies.is_polars_dataframe(native):
        return _cleaned_polars(native)
    if nw.dependencies.is_pyarrow_table(native):
        return cleaned_table(native)
    return native


def cleaned_table(table: pa.Table) -> pa.Table:
    """Return a pyarrow table that contains only the data that its rows show.

    Raises
    ------
    DataError
        A column nests categories in a type that cannot be cleaned.

    Examples
    --------
    >>> import pyarrow as pa
    >>> whole = pa.table({"town": pa.array(["a", "b", "a"]).dictionary_encode()})
    >>> cleaned_table(whole.slice(2))["town"].chunk(0).dictionary.to_pylist()
    ['a']
    """
    replaced = {}
    for position, field in enumerate(table.schema):
        column = _cleaned_column(table.column(position), field.name)
        replaced[position] = labels.for_release(field, column), column
    return with_columns(table, replaced).replace_schema_metadata(None)


def _cleaned_column(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_dictionary(kind):
        whole = column.unify_dictionaries().combine_chunks()
        if isinstance(whole, pa.ChunkedArray):
            whole = whole.chunk(0) if whole.num_chunks else pa.array([], kind)
        array = _cleaned_array(whole)
        if array is None:
            raise DataError(
                f"Column '{name}' ({type_name(kind)}) nests categories or metadata in a way that cannot be "
                "released: it would include those of other records.",
                hint="Convert the column to text, or leave it out.",
            )
        return pa.chunked_array([array])
    return _compact(column)


def _cleaned_array(array: pa.Array) -> pa.Array | None:
    """Return an array without unused categories and hidden values; None if that cannot be done."""
    import pyarrow as pa

    kind = array.type
    for applies, rebuilt in _REBUILT.items():
        if getattr(pa.types, applies)(kind):
            return rebuilt(array)
    if pa.types.is_nested(kind):
        return None if _holds_more(kind) else array
    return _compact(array)


def _compact(column: Any) -> Any:
    """Return an Arrow column without what lies beneath its nulls and outside of its rows."""
    if column.null_count or column.get_total_buffer_size() > column.nbytes:
        return column.take(np.arange(len(column)))  # which copies
    return column


def _dictionary(array: pa.DictionaryArray) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    used = array.cast(kind.value_type) if not _cannot_cast(kind) else None
    words = array.dictionary
    if used is not None:
        words = words.drop_null().unique()
        words = words.filter(pc.is_in(words, value_set=used.unique()))
        codes = pc.index_in(used, value_set=words, skip_nulls=True).cast(kind.index_type)
    else:
        numbers = pc.unique(array.indices.drop_null()).sort()
        codes = pc.index_in(array.indices, value_set=numbers).cast(kind.index_type)
        words = words.take(numbers)
    return pa.DictionaryArray.from_arrays(codes, words, ordered=kind.ordered)


def _cannot_cast(kind: pa.DictionaryType) -> bool:
    """Return whether the values of a dictionary have a type that Arrow cannot compare."""
    import pyarrow as pa

    value = kind.value_type
    return bool(isinstance(value, pa.BaseExtensionType) or pa.types.is_nested(value))


def _struct(array: pa.StructArray) -> pa.Array | None:
    import pyarrow as pa

    parts = [_cleaned_array(part) for part in array.flatten()]  # null where the struct is
    if any(part is None for part in parts):
        return None
    fields = [
        pa.field(array.type.field(i).name, part.type)
        for i, part in enumerate(parts)
        if part is not None
    ]
    if not fields:
        return array
    return pa.StructArray.from_arrays(parts, fields=fields, mask=array.is_null())


def _list(array: pa.ListArray | pa.LargeListArray) -> pa.Array | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    values = _cleaned_array(array.flatten())
    if values is None:
        return None
    large = pa.types.is_large_list(array.type)
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64 if large else np.int32)
    made = pa.LargeListArray if large else pa.ListArray
    item = pa.field(array.type.value_field.name, values.type)
    kind = pa.large_list(item) if large else pa.list_(item)
    mask = array.is_null() if array.null_count else None
    return made.from_arrays(pa.array(offsets), values, type=kind, mask=mask)


def _fixed_list(array: pa.FixedSizeListArray) -> pa.Array | None:
    import pyarrow as pa

    size, item = array.type.list_size, array.type.value_field
    rebuilt = _list(array.cast(pa.list_(item)))
    if rebuilt is None or array.null_count:
        return rebuilt  # a list that is null has no length, so they stay lists of any
    return rebuilt.cast(pa.list_(rebuilt.type.value_field, size))


def _map(array: pa.MapArray) -> pa.Array | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    entries = array.cast(pa.list_(pa.struct([array.type.key_field, array.type.item_field])))
    parts = [_cleaned_array(part) for part in pc.list_flatten(entries).flatten()]
    if any(part is None for part in parts):
        return None
    lengths = pc.fill_null(pc.list_value_length(entries), 0).to_numpy(zero_copy_only=False)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int32)
    null = np.append(array.is_null().to_numpy(zero_copy_only=False), False)
    return pa.MapArray.from_arrays(pa.array(offsets, mask=null), *parts)


_REBUILT: dict[str, Callable[[Any], Any]] = {
    "is_dictionary": _dictionary,
    "is_map": _map,
    "is_struct": _struct,
    "is_list": _list,
    "is_large_list": _list,
    "is_fixed_size_list": _fixed_list,
}
"""How arrays of each type are built anew, by the test for the type."""


def _holds_more(kind: pa.DataType) -> bool:
    """Return whether a type has categories or metadata inside, which may be of other records."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return True
    inner = [kind.field(i) for i in range(kind.num_fields)]
    return any(field.metadata or _holds_more(field.type) for field in inner)


def _cleaned_pandas(frame: Any) -> Any:
    fresh = {name: series for name in frame.columns if (series := _series(frame[name])) is not None}
    if fresh:
        frame = frame.copy(deep=False)
        for name, series in fresh.items():
            frame[name] = series
    index = _index(frame.index)
    return frame if index is frame.index else frame.set_axis(index)


def _index(index: Any) -> Any:
    """Return a pandas index with nothing hidden in its labels."""
    import pandas as pd

    if not isinstance(index, pd.MultiIndex):
        fresh = _series(index.to_series())
        return index if fresh is None else pd.Index(fresh.array, name=index.name)
    levels = [_index(index.get_level_values(number)) for number in range(index.nlevels)]
    return pd.MultiIndex.from_arrays(levels, names=index.names)


def _series(series: Any) -> Any:
    """Return a pandas column with nothing hidden in it; None when there was nothing."""
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.cat.remove_unused_categories()
    if isinstance(series.dtype, pd.ArrowDtype):
        column = _cleaned_column(_chunked(series), str(series.name))
        return pd.Series(pd.arrays.ArrowExtensionArray(column), series.index, name=series.name)
    if isinstance(series.dtype, pd.api.extensions.ExtensionDtype) and series.dtype.kind in "iufb":
        missing = series.isna().to_numpy()
        if missing.any() and hasattr(series.array, "_mask"):
            zero = series.dtype.type(0)
            values = series.to_numpy(dtype=series.dtype.numpy_dtype, na_value=zero)
            return pd.Series(type(series.array)(values, missing), series.index, name=series.name)
    if isinstance(series.dtype, pd.StringDtype):
        rows = np.arange(len(series))
        return pd.Series(series.array.take(rows), series.index, name=series.name)
    return None


def _chunked(series: Any) -> pa.ChunkedArray:
    import pyarrow as pa

    array = pa.array(series.array)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _cleaned_polars(frame: Any) -> Any:
    casts = {}
    for name, kind in frame.schema.items():
        fresh = _polars_type(kind, frame[name])
        if fresh != kind:
            casts[name] = fresh
    frame = frame.cast(casts) if casts else frame
    return frame.with_columns([_polars_copy(series) for series in frame.get_columns()])


def _polars_copy(series: Any) -> Any:
    """Return a polars column that shares no memory with the frame that it was cut from."""
    import polars as pl
    import pyarrow as pa

    if not (series.dtype.is_nested() or series.dtype in (pl.String, pl.Binary)):
        return series.gather(np.arange(len(series))) if series.null_count() else series
    array = series.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    column = _cleaned_column(pa.chunked_array([array]), series.name)
    return pl.Series(series.name, column).cast(series.dtype)


def _polars_type(kind: Any, series: Any) -> Any:
    """Return the type of a polars column without the categories of an Enum that no row has."""
    import polars as pl

    if isinstance(kind, pl.Enum):
        used = set(series.drop_nulls().unique().cast(pl.String).to_list())
        return pl.Enum([word for word in kind.categories.to_list() if word in used])
    return _without_enums(kind)


def _without_enums(kind: Any) -> Any:
    """Return a nested polars type with text in place of each Enum."""
    import polars as pl

    if isinstance(kind, pl.Enum):
        return pl.String()
    if isinstance(kind, pl.List):
        return pl.List(_without_enums(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_without_enums(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _without_enums(field.dtype) for field in kind.fields})
    return kind
