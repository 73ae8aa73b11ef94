"""Arrow types: which of them have a place in which files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def only_columnar(kind: pa.DataType) -> bool:
    """Return whether a type (lists, bytes, time spans) has a place in columnar files only.

    Examples
    --------
    >>> import pyarrow as pa
    >>> only_columnar(pa.list_(pa.int64())), only_columnar(pa.string())
    (True, False)
    """
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_nested(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_duration(kind)
        or types.is_interval(kind)
        or isinstance(kind, pa.BaseExtensionType)
    )


EXTENSION = b"ARROW:extension:"
"""The metadata of a field whose extension type Arrow does not know begins so: it is a part of the type."""


def extension_name(field: pa.Field) -> str:
    """Return the name of a field's extension type, of which Arrow may know the storage alone.

    Examples
    --------
    >>> import pyarrow as pa
    >>> month = pa.field("month", pa.int64(), metadata={EXTENSION + b"name": b"pandas.period"})
    >>> extension_name(month), extension_name(pa.field("age", pa.int64()))
    ('pandas.period', '')
    """
    import pyarrow as pa

    if isinstance(field.type, pa.BaseExtensionType):
        return str(field.type.extension_name)
    return str((field.metadata or {}).get(EXTENSION + b"name", b""), "utf-8", "replace")


def type_name(kind: pa.DataType) -> str:
    """Return the name of a type, without the names of its fields: keys of dictionaries are values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> type_name(pa.struct({"Ada Brandt": pa.int64()})), type_name(pa.timestamp("us"))
    ('struct', 'timestamp[us]')
    """
    import pyarrow as pa

    text = str(kind)
    inner = pa.types.is_nested(kind) or "struct<" in text or "union<" in text
    return text.partition("<")[0] if inner else text
