"""Checks of files that several commands share: readable inputs, and writable outputs and reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from microagg.constraints import OneOf, check
from microagg.data.atomic import refuse_overwrite, refuse_same_file, same_file
from microagg.data.content import first_bytes
from microagg.data.formats.registry import suffixes
from microagg.data.remote import not_too_long
from microagg.errors import FileError, ParameterError, Phrase
from microagg.report.html import require_html_name


def text_form(
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    numeric_names: bool = False,
) -> dict[str, Any]:
    """Return the arguments of `read_file` for the options that were specified."""
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


def refuse_settings_files(
    outputs: Iterable[Path], texts: Mapping[str, Any], *files: Path | None
) -> None:
    """Raise if an output would replace a file that the command reads besides the records.

    These are schemas, provenance files, and the hierarchies and distance tables among the options.
    """
    named = [
        Path(text[place + 1 :])
        for option in ("hierarchies", "distance_tables")
        for text in texts.get(option) or ()
        for place, character in enumerate(text)
        if character == "="  # which the name of a column may contain, too
    ]
    read = [*named, *(file for file in files if file is not None)]
    for output in outputs:
        if any(same_file(file, output) for file in read):
            raise FileError(
                f"The output '{output}' is a file that this command reads.",
                hint="Name another output.",
            )


def refuse_folders(*files: Path) -> None:
    """Raise for a folder where files are read whole."""
    for file in files:
        if not_too_long(file).is_dir():
            raise FileError(
                f"'{file}' is a folder, and folders are read piece by piece.",
                hint=Phrase("Set {memory}, for example, or name a file inside it.", memory="2GB"),
            )


def require_writable(output: Path) -> None:
    """Raise for a suffix that cannot be written, and name those that can."""
    written = suffixes(written=True)
    if not output.name.lower().endswith(written):
        raise FileError(
            f"The suffix of '{output}' is not supported for output.",
            hint=f"Supported suffixes: {', '.join(written)}.",
        )


def is_delimited(file: Path, blanks: Sequence[str]) -> bool:
    """Return whether a file is delimited text; raise if it is not and `blanks` are specified."""
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
    is_page: bool = True,
) -> None:
    """Raise before any work if a report cannot be written as requested."""
    for name, value in (("audience", audience), ("target", target)):
        if value is not None and report is None:
            raise ParameterError(
                Phrase("needs {report}.", report=...), parameter=name, hint="Name a file for it."
            )
    check("audience", audience or "internal", OneOf(("internal", "external")), "report")
    if report is None:
        return
    if is_page:
        require_html_name(report)
    if not not_too_long(report.parent).is_dir():
        raise FileError(
            f"'{report}' cannot be written: there is no folder '{report.parent}'.",
            hint="Create it first.",
        )
    for file in inputs:
        refuse_same_file(file, report)
    refuse_overwrite([report], overwrite)
