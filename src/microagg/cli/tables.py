"""What commands share about files: inputs that can be read, outputs and reports that can be written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from microagg.constraints import OneOf, check
from microagg.data.atomic import refuse_overwrite, refuse_same_file
from microagg.data.content import first_bytes
from microagg.data.formats.registry import suffixes
from microagg.errors import FileError, ParameterError, Phrase


def text_form(
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    numeric_names: bool = False,
) -> dict[str, Any]:
    """Return the arguments of `read_file` for the options that were given."""
    form = {"separator": separator, "encoding": encoding, "decimal": decimal}
    chosen: dict[str, Any] = {name: value for name, value in form.items() if value is not None}
    return {**chosen, "numeric_names": True} if numeric_names else chosen


def require_input(file: Path, outputs: Iterable[Path], *, overwrite: bool) -> None:
    """Raise for an input that cannot be read, and then for outputs that cannot be written."""
    first_bytes(file)
    places = list(outputs)
    for path in places:
        refuse_same_file(file, path)
    refuse_overwrite(places, overwrite)


def require_writable(output: Path) -> None:
    """Raise for a suffix that cannot be written, and name those that can."""
    written = suffixes(written=True)
    if not output.name.lower().endswith(written):
        raise FileError(
            f"The suffix of '{output}' is not supported for output.",
            hint=f"Supported suffixes: {', '.join(written)}.",
        )


def is_delimited(file: Path, blanks: Sequence[str]) -> bool:
    """Tell whether a file is delimited text; raise if it is not and texts stand for blanks."""
    delimited = file.name.lower().endswith(suffixes(text=True))
    if blanks and not delimited:
        raise ParameterError("applies to delimited text.", parameter="blank", hint="Leave it out.")
    return delimited


def check_report(
    inputs: Iterable[Path],
    report: Path | None,
    audience: str | None,
    target: str | None = None,
    *,
    overwrite: bool,
) -> None:
    """Raise before any work when a report cannot be written as asked."""
    for name, value in (("audience", audience), ("target", target)):
        if value is not None and report is None:
            raise ParameterError(
                Phrase("needs {report}.", report=...), parameter=name, hint="Name a file for it."
            )
    check("audience", audience or "internal", OneOf(("internal", "external")), "report")
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
