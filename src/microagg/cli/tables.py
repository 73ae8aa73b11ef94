"""What commands share about files: the columns that options name, numbers, and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from microagg.constraints import OneOf, check
from microagg.errors import FileError, ParameterError


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
    from microagg.data.content import first_bytes

    first_bytes(file)
    places = list(outputs)
    for path in places:
        refuse_same_file(file, path)
    refuse_overwrite(places, overwrite)


def require_writable(output: Path) -> None:
    """Raise for a suffix that cannot be written, and name those that can."""
    from microagg.data.formats.registry import suffixes

    written = suffixes(written=True)
    if not output.name.lower().endswith(written):
        raise FileError(
            f"The suffix of '{output}' is not a known one for output.",
            hint=f"Known are {', '.join(written)}.",
        )


def entries(options: Iterable[str] | None, option: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the columns and values in options such as ``--kinds age=ordinal,zip=nominal``."""
    found: dict[str, str] = {}
    for text in options or ():
        parts = text.split(",")
        # Commas within a value, or within a name, do not separate entries.
        parts = parts if all("=" in part for part in parts) else [text]
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals or not name.strip() or not value.strip():
                raise ParameterError(f"The '{option}' option must be column=value. Got {text!r}.")
            found[name if name in columns else name.strip()] = value.strip()
    return found


def numbers_of(given: dict[str, str], option: str) -> dict[str, float]:
    """Return values of `entries` as numbers."""
    try:
        return {name: float(value) for name, value in given.items()}
    except ValueError:
        raise ParameterError(
            f"The '{option}' option must give a number for each column.", hint="Write age=2."
        ) from None


def is_delimited(file: Path, blanks: Sequence[str]) -> bool:
    """Tell whether a file is delimited text; raise if it is not and texts stand for blanks."""
    from microagg.data.formats.registry import suffixes

    found = file.name.lower().endswith(suffixes(text=True))
    if blanks and not found:
        raise ParameterError("The '--blank' option is for delimited text.", hint="Leave it out.")
    return found


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
