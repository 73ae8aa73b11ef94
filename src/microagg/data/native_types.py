"""Columns of pandas, polars and pyarrow whose types other code has no place for."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from microagg.data.layouts import plain, plain_type
from microagg.data.nesting import refuse_deep_types
from microagg.errors import DataError


def usual(native: Any) -> Any:
    """Return a frame whose Arrow columns have the usual layout: no views, no runs.

    Examples
    --------
    >>> import pyarrow as pa
    >>> usual(pa.table({"town": pa.array(["a"], pa.string_view())})).schema.types
    [DataType(string)]
    """
    if nw.dependencies.is_pyarrow_table(native):
        return plain(native)
    if not nw.dependencies.is_pandas_dataframe(native):
        refuse_deep_types(native)
        return native
    import pandas as pd

    if not any(isinstance(kind, pd.ArrowDtype) for kind in native.dtypes):
        return native
    import pyarrow as pa

    for position, kind in enumerate(native.dtypes):
        if (
            not isinstance(kind, pd.ArrowDtype)
            or plain_type(kind.pyarrow_dtype) == kind.pyarrow_dtype
        ):
            continue
        array = pa.table({"x": pa.array(native.iloc[:, position].array)})
        fresh = pd.arrays.ArrowExtensionArray(plain(array)["x"])
        native = native.copy(deep=False)
        native.isetitem(position, pd.Series(fresh, index=native.index))
    return native


def for_arrow(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Return a frame that Arrow takes without a change of meaning, or raise.

    Periods and intervals of pandas become the text that they print as: Arrow would have them as
    numbers without their unit. Objects of polars would become addresses in memory.
    """
    if frame.implementation.is_polars():
        for name, kind in frame.schema.items():
            if kind == nw.Object():
                raise DataError(
                    f"Column '{name}' contains Python objects, which cannot be written to a file.",
                    hint="Convert it to text or numbers first.",
                )
        return frame
    if not frame.implementation.is_pandas():
        return frame
    native = frame.to_native()
    fresh = {name: text for name in native.columns if (text := _as_text(native[name])) is not None}
    return nw.from_native(native.assign(**fresh), eager_only=True) if fresh else frame


def _as_text(series: Any) -> Any:
    """Return periods and intervals as text, as categories where they were; None for all else."""
    import numpy as np
    import pandas as pd

    printed = pd.PeriodDtype | pd.IntervalDtype
    if isinstance(series.dtype, pd.CategoricalDtype):
        words = series.cat.categories
        return (
            series.cat.rename_categories(list(map(str, words)))
            if isinstance(words.dtype, printed)
            else None
        )
    if not isinstance(series.dtype, printed):
        return None
    codes, values = pd.factorize(series)
    words = np.array([*map(str, values), None], dtype=object)
    return pd.Series(words[codes], index=series.index, dtype=object, name=series.name)
