"""What Parquet and Arrow files have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def signs_of_damage() -> tuple[type[Exception], ...]:
    """Return what pyarrow raises when it reads a damaged file.

    Besides its own exceptions these are Python's for names that are no text and for sizes beyond
    all memory.
    """
    import pyarrow as pa

    return pa.ArrowException, OSError, ValueError, MemoryError, OverflowError


def unwritable(table: pa.Table, kind: str) -> DataError:
    """Return the error for a table with columns that a columnar format has no place for."""
    types = sorted({str(field.type) for field in table.schema})
    return DataError(
        f"The table cannot be written as {kind}; its columns contain {', '.join(types)}.",
        hint="Convert columns of unusual types to text or numbers.",
    )
