"""What commands share about files: the columns that options name, numbers, and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.constraints import OneOf, check
from microagg.errors import DataError, FileError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

    from microagg.data.numerals import NotNumbers


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
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    numeric_names: bool = False,
) -> dict[str, Any]:
    """Return the arguments of `read_file` for the options that were given."""
    form = {"separator": separator, "encoding": encoding, "decimal": decimal}
    given: dict[str, Any] = {name: value for name, value in form.items() if value is not None}
    return {**given, "numeric_names": True} if numeric_names else given


def require_input(file: Path, outputs: Iterable[Path], *, overwrite: bool) -> None:
    """Raise for an input that cannot be read, and then for outputs that cannot be written."""
    from microagg.data.atomic import refuse_overwrite, refuse_same_file
    from microagg.data.source import first_bytes

    first_bytes(file)
    places = list(outputs)
    for path in places:
        refuse_same_file(file, path)
    refuse_overwrite(places, overwrite)


def with_numbers(table: pa.Table, columns: Sequence[str], decimal: str) -> pa.Table:
    """Turn the columns to be averaged into numbers, or raise a DataError that says why not."""
    from microagg.data.delimited import parse_columns
    from microagg.data.frames import missing_code
    from microagg.data.numerals import not_numbers

    table = parse_columns(table, columns, decimal=decimal)
    for name in columns:
        if name not in table.column_names or not _is_text(table.schema.field(name).type):
            continue
        found = not_numbers(table[name], decimal=decimal)
        if found.code is not None:
            raise missing_code(name, found)
        if found.rows:
            raise _text(name, found)
    return table


def _text(name: str, found: NotNumbers) -> DataError:
    plural = "" if len(found.rows) == 1 else "s"
    hint = "Leave it out of --qi, mend the file, or give --decimal or --separator."
    if found.decimal_commas:
        hint = "They look like decimal commas: give --decimal ,"
    return DataError(
        f"Column '{name}' holds text in {len(found.rows):,} record{plural}, the first in data row "
        f"{found.rows[0] + 1}, but a quasi-identifier must hold numbers.",
        hint=hint,
    )


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def check_report(
    inputs: Iterable[Path], report: Path | None, face: str | None, *, overwrite: bool
) -> None:
    """Raise before any work when a report cannot be written as asked."""
    from microagg.data.atomic import refuse_overwrite, refuse_same_file

    if face is not None and report is None:
        raise ParameterError("The '--face' option needs '--report'.", hint="Give --report FILE.")
    check("face", face or "internal", OneOf(("internal", "external")), "report")
    if report is None:
        return
    if not report.parent.is_dir():
        raise FileError(
            f"'{report}' cannot be written: there is no folder '{report.parent}'.",
            hint="Create it first.",
        )
    for file in inputs:
        refuse_same_file(file, report)
    refuse_overwrite([report], overwrite)
