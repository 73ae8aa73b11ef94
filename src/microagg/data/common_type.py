"""One Arrow type for the parts of a column that files store in different types.

Equal values must be equal in the common type, and different values different. Types without such a
common type have none here: text and numbers, dates and times, decimal and other numbers,
floating-point numbers of two widths (0.1 is not the same number in both), and times of two zones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

UNITS = ("s", "ms", "us", "ns")
"""Units of time, the coarsest first."""


def common_type(kinds: Sequence[pa.DataType]) -> pa.DataType | None:
    """Return the type in which the values of all types can be compared; None if there is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> common_type([pa.int64(), pa.float64()]), common_type([pa.string(), pa.large_string()])
    (DataType(double), DataType(string))
    >>> common_type([pa.int64(), pa.string()]) is None
    True
    """
    import pyarrow as pa

    kinds = [kind for kind in kinds if not pa.types.is_null(kind)] or list(kinds)
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0]
    for rule in (_categories, _text, _numbers, _times):
        if (kind := rule(kinds)) is not None:
            return kind
    return None


def _categories(kinds: Sequence[pa.DataType]) -> Any:
    """Return the type of categories that differ only in how many there can be."""
    import pyarrow as pa

    if not all(map(pa.types.is_dictionary, kinds)):
        return None
    value, ordered = kinds[0].value_type, kinds[0].ordered
    if any((kind.value_type, kind.ordered) != (value, ordered) for kind in kinds):
        return None
    return pa.dictionary(pa.int32(), value, ordered)


def _text(kinds: Sequence[pa.DataType]) -> Any:
    """Return the type of text; an order of categories would be lost."""
    import pyarrow as pa

    if any(pa.types.is_dictionary(kind) and kind.ordered for kind in kinds):
        return None
    values = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in kinds]
    text = all(pa.types.is_string(kind) or pa.types.is_large_string(kind) for kind in values)
    return pa.string() if text else None


def _numbers(kinds: Sequence[pa.DataType]) -> Any:
    """Return the type of integers, of integers and floating-point numbers, or of decimal numbers."""
    import pyarrow as pa

    others = {kind for kind in kinds if not pa.types.is_integer(kind)}
    if len(others) == 1 and all(map(pa.types.is_floating, others)):
        return pa.float64()
    if others and not all(map(pa.types.is_decimal, kinds)):
        return None
    try:
        schemas = [pa.schema([("column", kind)]) for kind in kinds]
        return pa.unify_schemas(schemas, promote_options="permissive").types[0]
    except pa.ArrowException:  # more digits than a decimal number has
        return None


def _times(kinds: Sequence[pa.DataType]) -> Any:
    """Return the type of times of one zone in the finest of their units."""
    import pyarrow as pa

    if not all(map(pa.types.is_timestamp, kinds)) or len({kind.tz for kind in kinds}) > 1:
        return None
    return pa.timestamp(max((kind.unit for kind in kinds), key=UNITS.index), kinds[0].tz)


def cast_exactly(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    """Return the same values in another type; None if it cannot represent all of them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cast_exactly(pa.chunked_array([[7]]), pa.float64()).to_pylist()
    [7.0]
    >>> cast_exactly(pa.chunked_array([[2**53 + 1]]), pa.float64()) is None
    True
    """
    import pyarrow as pa

    try:
        return column.cast(kind)
    except pa.ArrowException:  # its message would show a value
        return None
