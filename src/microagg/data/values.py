"""The values of an Arrow column as Python objects, also where Python has no such object."""

from __future__ import annotations

from typing import Any


def values_of(column: Any) -> list[Any]:
    """Return the values of an Arrow array or column, None if missing.

    Dates beyond year 9999 and times in an unknown time zone come as text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> values_of(pa.array([0, 3700000], pa.date32()))
    ['1970-01-01', '12100-04-04']
    """
    import pyarrow as pa

    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):  # Arrow's own errors are among these
        pass
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        column = column.cast(pa.timestamp(kind.unit))
    return list(column.cast(pa.string()).to_pylist())
