"""Labels of variables and values: they travel in the metadata of a table's fields.

The labels say what a column means and hold no record, so a replaced column keeps its own. Other
metadata is not known to be harmless, and a replaced column loses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from microagg.errors import DataError, Phrase

if TYPE_CHECKING:
    import pyarrow as pa

LABEL = b"microagg.label"
VALUE_LABELS = b"microagg.value_labels"


def has_value_labels(field: pa.Field) -> bool:
    """Tell whether the values of a column have labels: they are codes then, and not amounts.

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
        f"Column '{name}' has value labels, so it holds codes, which have no mean.",
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
