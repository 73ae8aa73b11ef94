"""Categories of any type as numbers from 0; NaN if missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.arrow_types import type_name
from microagg.data.layouts import without_null_category
from microagg.data.values import values_of
from microagg.errors import DataError, ParameterError
from microagg.typing import Floats


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of categories.

    Attributes
    ----------
    codes : float64[n]
        The number of each record's category, from 0; NaN if missing.
    labels : tuple of str
        The categories as text, in the order of their numbers. Never shown in a message.
    """

    codes: Floats
    labels: tuple[str, ...] = field(repr=False)


def is_ordered(kind: Any) -> bool:
    """Return whether an Arrow type holds categories that have an order."""
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind) and kind.ordered)


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type holds text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def decoded(column: Any) -> Any:
    """Return an Arrow column of categories as the values that they stand for; others as they are."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def categories(column: Any, name: str, order: Sequence[object] | None = None) -> Categories:
    """Number the categories of an Arrow column, in `order` or in that of their values.

    Categories of a type that has an order keep it; all others are sorted, so that the order of
    the records does not matter.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = categories(pa.chunked_array([["b", None, "a"]]), "x")
    >>> found.codes, found.labels
    (array([ 1., nan,  0.]), ('a', 'b'))
    """
    import pyarrow as pa

    column = with_nulls(column)
    ordered = is_ordered(column.type)
    if not pa.types.is_dictionary(column.type):
        column = _encoded(column, name)
    column = column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # of no chunk or one
        column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
    column = without_null_category(column)
    dictionary = column.dictionary
    codes = np.asarray(column.indices.to_numpy(zero_copy_only=False), dtype=np.float64)
    if order is None and not ordered:
        dictionary, codes = _by_value(dictionary, codes)
    labels = values_of(dictionary)
    if not is_text(dictionary.type):
        labels = [text_of(value) for value in labels]
    if order is not None:
        ranks = _ranks(name, labels, [text_of(value) for value in order], np.unique(codes))
        return Categories(ranks[_safe(codes)] + 0 * codes, tuple(map(text_of, order)))
    return Categories(codes, tuple(labels))


def _by_value(dictionary: Any, codes: Floats) -> tuple[Any, Floats]:
    """Return the categories in the order of their values, and their numbers in this order.

    Labels that are made in this order also lie so in memory, which makes loops over them faster.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    is_temporal = pa.types.is_temporal(dictionary.type)
    if is_text(dictionary.type) or (is_temporal and not pa.types.is_interval(dictionary.type)):
        # Dates are not sorted as text: year 10000 comes after year 9999.
        order = pc.sort_indices(dictionary).to_numpy()
    else:
        values = values_of(dictionary)
        order = np.array(sorted(range(len(values)), key=values.__getitem__), dtype=np.int64)
    ranks = np.empty(max(order.size, 1))
    ranks[order] = np.arange(order.size)
    return dictionary.take(pa.array(order)), ranks[_safe(codes)] + 0 * codes


def _safe(codes: Floats) -> NDArray[np.int64]:
    return np.nan_to_num(codes).astype(np.int64)


def _encoded(column: Any, name: str) -> Any:
    import pyarrow as pa

    try:
        return column.dictionary_encode()
    except pa.ArrowNotImplementedError:
        pass  # raised below, because the caught error may show a record
    raise DataError(
        f"Column '{name}' contains {type_name(column.type)}, which cannot be compared.",
        hint="Convert it to text or numbers first, or leave it out.",
    )


def with_nulls(column: Any) -> Any:
    """Return the column with null for NaN and for empty text: blanks, not values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = pa.types
    if types.is_floating(column.type):
        column = column.cast(pa.float64())
        return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if is_text(column.type):
        return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    return column


def _ranks(name: str, labels: list[str], order: list[str], used: Floats) -> Floats:
    if len(set(order)) < len(order):
        raise ParameterError(f"The order of column {name!r} names a category more than once.")
    place = {label: rank for rank, label in enumerate(order)}
    missing = sum(labels[int(i)] not in place for i in used[~np.isnan(used)])
    if missing:
        raise ParameterError(
            f"The order of column {name!r} lacks {missing} "
            f"categor{'y' if missing == 1 else 'ies'} of the data.",
            hint="Name every category, from the lowest to the highest.",
        )
    return np.array([float(place.get(label, 0)) for label in labels] or [0.0])


def text_of(value: object) -> str:
    """Return a category as text, as a file would have it.

    Examples
    --------
    >>> text_of(True), text_of(3.0), text_of("x")
    ('true', '3', 'x')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
