"""How deep the types of columns are nested: deeper ones than any file has room for are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import narwhals as nw

from microagg.errors import DataError

DEEPEST = 30
"""Levels of lists, structures and maps that Arrow and Parquet files have room for; for some, it is more."""


def refuse_deep_types(native: Any) -> None:
    """Raise for a column of a pyarrow or polars frame that is nested too deep.

    Examples
    --------
    >>> import pyarrow as pa
    >>> refuse_deep_types(pa.table({"visits": [[1, 2], [3]]}))
    """
    if nw.dependencies.is_pyarrow_table(native):
        _refuse({field.name: field.type for field in native.schema}, _inside_arrow)
    elif nw.dependencies.is_polars_dataframe(native):
        _refuse(native.schema, _inside_polars)


def _refuse(types: Mapping[str, Any], inside: Callable[[Any], Iterable[Any]]) -> None:
    for name, kind in types.items():
        if _depth(kind, inside) > DEEPEST:
            raise DataError(
                f"Column '{name}' is nested more than {DEEPEST} levels deep.",
                hint="Flatten the column, or remove it.",
            )


def _depth(kind: Any, inside: Callable[[Any], Iterable[Any]]) -> int:
    """Return the levels of a type, without recursion, for which a type may be too deep."""
    depth, level = 0, list(inside(kind))
    while level and depth <= DEEPEST:
        depth, level = depth + 1, [inner for each in level for inner in inside(each)]
    return depth


def _inside_arrow(kind: Any) -> Iterable[Any]:
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return [kind.storage_type]
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return [kind.value_type]
    return [kind.field(i).type for i in range(kind.num_fields)]


def _inside_polars(kind: Any) -> Iterable[Any]:
    if hasattr(kind, "fields"):
        return [field.dtype for field in kind.fields]
    inner = getattr(kind, "inner", None)
    return [] if inner is None else [inner]
