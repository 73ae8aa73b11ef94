"""The columns that options name, and whether they hold numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def names(options: Iterable[str] | None, columns: Sequence[str]) -> list[str]:
    """Return the column names in options such as ``--qi age,income --qi zip``.

    An option that is a column's name as a whole is not split, so names may hold commas.
    """
    found: list[str] = []
    for option in options or ():
        parts = [option] if option in columns else [part.strip() for part in option.split(",")]
        found += [part for part in parts if part]
    return found


def text_form(
    separator: str | None = None, encoding: str | None = None, decimal: str | None = None
) -> dict[str, Any]:
    """Return the arguments of `read_file` for the options that were given."""
    form = {"separator": separator, "encoding": encoding, "decimal": decimal}
    return {option: value for option, value in form.items() if value is not None}


def with_numbers(table: pa.Table, columns: Sequence[str], decimal: str) -> pa.Table:
    """Turn the columns to be averaged into numbers, or raise a DataError that says why not."""
    from microagg.data.delimited import parse_columns
    from microagg.data.numerals import rows_with_text

    table = parse_columns(table, columns, decimal=decimal)
    for name in columns:
        if name not in table.column_names or not _is_text(table.schema.field(name).type):
            continue
        rows = rows_with_text(table[name], decimal=decimal)
        if rows:
            plural = "" if len(rows) == 1 else "s"
            raise DataError(
                f"Column '{name}' holds text in {len(rows)} record{plural}, the first in data row "
                f"{rows[0] + 1}, but a quasi-identifier must hold numbers.",
                hint="Leave it out of --qi, mend the file, or give --decimal or --separator.",
            )
    return table


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind))
