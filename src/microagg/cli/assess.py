"""`microagg assess`: judge any masked file by comparing it with the original."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from microagg.cli import console, options
from microagg.cli.columns import arguments_of, roles_of
from microagg.cli.console import answer, say
from microagg.cli.tables import check_report, is_delimited, text_form

if TYPE_CHECKING:
    import pyarrow as pa

    from microagg.assess import Assessment

NAME = "assess"

Original = Annotated[Path, Argument(metavar="ORIGINAL", help="The original records.")]
Released = Annotated[Path, Argument(metavar="RELEASED", help="The masked records, of any tool.")]
Keys = Annotated[
    list[str] | None,
    Option(help="Columns that an intruder may know. Default: all that were changed."),
]
Key = Annotated[
    str | None, Option(help="A column that names each record, to match rows that were moved.")
]
Blank = Annotated[
    list[str] | None,
    Option(help="A text that stands for a blank in the keys of both files, such as ?"),
]


def command(
    original: Original,
    released: Released,
    qi: Keys = None,
    confidential: options.Confidential = None,
    schema: options.SchemaFile = None,
    key: Key = None,
    kinds: options.Kinds = None,
    order: options.Orders = None,
    weights: options.Weights = None,
    blank: Blank = None,
    scale: options.Scale = None,
    distance: options.Distance = None,
    column_weight: options.ColumnWeights = None,
    hierarchy: options.Hierarchies = None,
    distance_table: options.DistanceTables = None,
    weight: options.LossWeight = 0.5,
    report: options.Report = None,
    face: options.Face = None,
    overwrite: options.Overwrite = False,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    numeric_names: options.NumericNames = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Judge a masked file of any tool: what was lost, what is at risk, which records most.

    Rows are matched by position, or by --key. Row numbers are shown, never values.
    """
    given = locals()
    from microagg.assess import assess

    check_report([original, released], report, face, overwrite=overwrite)
    form = text_form(separator, encoding, decimal, numeric_names)
    tables = [_read(file, form, blank or []) for file in (original, released)]
    columns = tables[0].column_names
    named = roles_of(given, columns)
    del named["identifiers"]  # which the release lacks, or one of them is the key
    named["quasi_identifiers"] = named["quasi_identifiers"] or None
    if blank:
        others = {*named["confidential"], key, weights}
        keys = named["quasi_identifiers"] or [name for name in columns if name not in others]
        tables = [_without_codes(table, keys, blank, form) for table in tables]
    with console.progress(not quiet) as progress:
        found = assess(
            tables[0],
            tables[1],
            key=key,
            weight=weight,
            progress=progress,
            **named,
            **arguments_of(given, columns),
        )
    if report is not None:
        _write(found, report, {"original": original.name, "released": released.name}, face)
    with console.afterwards() if report is not None else nullcontext():
        _tell(found, report, face or "internal", quiet=quiet, json=json)


def _read(file: Path, form: dict[str, Any], blanks: list[str]) -> pa.Table:
    """Read a file, with numbers wherever a column holds nothing else if no code is for a blank."""
    from microagg.data.files import read_file

    as_text = is_delimited(file, blanks) and blanks
    return read_file(file, parse=[], **form) if as_text else read_file(file, **form)


def _without_codes(
    table: pa.Table, keys: list[str], blanks: list[str], form: dict[str, Any]
) -> pa.Table:
    """Return a table of text with blanks for codes in the keys alone, as in `protect`, and numbers."""
    from microagg.data.text_columns import parse_columns, without_codes

    table = without_codes(table, keys, blanks)
    return parse_columns(table, None, decimal=form.get("decimal", "."))


def _write(found: Assessment, report: Path, files: dict[str, str], face: str | None) -> None:
    from microagg.report.html import write_page
    from microagg.report.of_assessment import page_of_assessment

    write_page(page_of_assessment(found, files, face=face or "internal"), report)


def _tell(found: Assessment, report: Path | None, face: str, *, quiet: bool, json: bool) -> None:
    if json:
        numbers: dict[str, Any] = found.as_dict(face)
        answer({**numbers, "report": str(report)} if report else numbers)
        return
    if not quiet:
        say(found.summary(face))
    if report is not None and not quiet:
        say(f"report      {report}")
