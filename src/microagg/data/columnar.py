"""What Parquet and Arrow files have in common."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from microagg.data.arrow_types import type_name
from microagg.data.layouts import plain
from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def signs_of_damage() -> tuple[type[Exception], ...]:
    """Return what pyarrow raises when it reads a damaged file.

    Besides its own exceptions these are Python's for names that are no text, for sizes beyond all
    memory, for numbers outside of a message and for missing messages.
    """
    import pyarrow as pa

    of_python = (OSError, ValueError, MemoryError, OverflowError, EOFError)
    return (pa.ArrowException, *of_python, struct.error)


def usable(table: pa.Table) -> pa.Table:
    """Return a table that was read from a file, checked and in types that all code can use.

    Raises
    ------
    pyarrow.ArrowInvalid
        Offsets or indices lead out of their buffers, or text is not UTF-8: to use such a table
        could end the process.
    UnicodeDecodeError
        A column name is not UTF-8.
    """
    table.validate(full=True)
    str(table.schema)  # names that are no text raise here, and not in other code
    return plain(table)


def unwritable(table: pa.Table, kind: str) -> DataError:
    """Return the error for a table with columns that a columnar format has no place for."""
    types = sorted({type_name(field.type) for field in table.schema})
    return DataError(
        f"The table cannot be written as {kind}; its columns contain {', '.join(types)}.",
        hint="Convert columns of unusual types to text or numbers.",
    )
