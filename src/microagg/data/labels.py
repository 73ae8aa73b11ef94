"""Labels of variables and values: they travel in the metadata of a table's fields.

The label of a variable says what a column means, and that of a value what a code means. They are
released, except the labels of codes that no released record has. Other metadata is not known to be
harmless and is removed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from microagg.data.arrow_types import EXTENSION
from microagg.errors import DataError, Phrase

if TYPE_CHECKING:
    import pyarrow as pa

LABEL = b"microagg.label"
VALUE_LABELS = b"microagg.value_labels"


def has_value_labels(field: pa.Field) -> bool:
    """Return whether the values of a column have labels: they are codes then, and not amounts.

    Examples
    --------
    >>> import pyarrow as pa
    >>> has_value_labels(pa.field("age", pa.int64()))
    False
    """
    return VALUE_LABELS in (field.metadata or {})


def coded(name: str) -> DataError:
    """Return the error for a quasi-identifier whose values have labels."""
    return DataError(
        f"Column '{name}' has value labels, so it contains codes, which have no mean.",
        hint=Phrase(
            "Declare it as nominal: {kinds}. If it contains amounts, remove its value labels first.",
            kinds={name: "nominal"},
        ),
    )


def kept(before: pa.Table, after: pa.Table, names: Iterable[str]) -> pa.Table:
    """Return `after`, in which the columns `names` are new, with the labels that they had before.

    Examples
    --------
    >>> import pyarrow as pa
    >>> field = pa.field("age", pa.int64(), metadata={LABEL: b"Age", b"other": b"x"})
    >>> before = pa.table([[30, 32]], schema=pa.schema([field]))
    >>> kept(before, pa.table({"age": [31.0, 31.0]}), ["age"]).schema.field("age").metadata
    {b'microagg.label': b'Age'}
    """
    schema = after.schema
    for name in names:
        metadata = before.schema.field(name).metadata or {}
        labels = {key: metadata[key] for key in (LABEL, VALUE_LABELS) if key in metadata}
        at = schema.get_field_index(name)
        schema = schema.set(at, schema.field(at).with_metadata(labels))
    return type(after).from_arrays(after.columns, schema=schema)


def value_labels(field: pa.Field) -> dict[Any, str]:
    """Return the value labels of a column, or raise if they are invalid.

    Examples
    --------
    >>> import pyarrow as pa
    >>> value_labels(pa.field("sex", pa.int64(), metadata={VALUE_LABELS: b'[[1, "m"], [2, "f"]]'}))
    {1: 'm', 2: 'f'}
    """
    try:
        return dict(json.loads((field.metadata or {}).get(VALUE_LABELS, b"[]")))
    except (ValueError, TypeError, RecursionError):  # not written by us
        raise unreadable(field.name) from None


def unreadable(name: str) -> DataError:
    """Return the error for labels that microagg did not write."""
    return DataError(f"The labels of column '{name}' cannot be read.", hint="Drop them first.")


def for_release(field: pa.Field, column: pa.ChunkedArray) -> pa.Field:
    """Return a field with its label, the labels of the values that its column has, and its type.

    Examples
    --------
    >>> import pyarrow as pa
    >>> labels = {VALUE_LABELS: b'[[1, "m"], [9, "the mayor"]]', b"note": b"seen by Ann"}
    >>> field = pa.field("who", pa.int64(), metadata=labels)
    >>> for_release(field, pa.chunked_array([[1, 1]])).metadata
    {b'microagg.value_labels': b'[[1, "m"]]'}
    """
    metadata = field.metadata or {}
    kept = {k: v for k, v in metadata.items() if k == LABEL or k.startswith(EXTENSION)}
    if VALUE_LABELS in metadata:
        labels = value_labels(field)
        present = set(column.unique().to_pylist()) if labels else set()
        used = [(code, label) for code, label in labels.items() if code in present]
        kept[VALUE_LABELS] = json.dumps(used).encode()
    return field.with_type(column.type).with_metadata(kept or None)


def without_value_labels(table: pa.Table) -> pa.Table:
    """Return a table without the labels of its values."""
    schema = table.schema
    for position, field in enumerate(schema):
        if has_value_labels(field):
            kept = {k: v for k, v in field.metadata.items() if k != VALUE_LABELS}
            schema = schema.set(position, field.with_metadata(kept or None))
    return type(table).from_arrays(table.columns, schema=schema)
