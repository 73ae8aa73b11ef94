"""`microagg assess`: evaluate a masked file by comparing it with the original."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from microagg.assess import OF_TWO_FRAMES, assess
from microagg.assessment import Assessment
from microagg.cli import console, options
from microagg.cli.columns import recorded_roles, values_of
from microagg.cli.console import answer, say
from microagg.cli.groups_file import GroupsFile
from microagg.cli.parameters import Flag, Positional
from microagg.cli.tables import check_report, is_delimited, refuse_folders
from microagg.data.files import read_file
from microagg.data.remote import located
from microagg.data.text_columns import parse_columns, without_codes
from microagg.declare import options_of, parsed
from microagg.errors import DataError, ParameterError, Phrase
from microagg.lazy import lazy
from microagg.reading import Reading
from microagg.report.html import write_page
from microagg.report.of_assessment import page_of_assessment
from microagg.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

    from microagg.typing import Rows

large = lazy("microagg.large.assess.assess_file")
large_files = lazy("microagg.large.dataset")
refused = lazy("microagg.large.refused")

Original = Annotated[Path, Positional(metavar="ORIGINAL", help="The original records.")]
Released = Annotated[
    Path | None,
    Positional(
        metavar="RELEASED",
        help="The records masked by any tool. Without them, only anonymity is measured.",
    ),
]
MatchOn = Annotated[
    str | None,
    Flag(
        metavar="COLUMN",
        help="A column that identifies each record, to match rows in a different order.",
        topic="Roles",
    ),
]
Groups = Annotated[
    Path | None,
    Flag(
        metavar="FILE",
        help="The groups file of the release, NAME.groups.csv, to match rows if records were left out.",
        topic="Roles",
    ),
]


Memory = Annotated[
    str | None,
    Flag(
        metavar="SIZE",
        help="Read large files piece by piece within this memory, such as 2GB.",
        topic=options.FILES,
    ),
]
Work = Annotated[
    Path | None,
    Flag(
        "--work",
        metavar="FOLDER",
        help="The folder for temporary files of --memory; by default, that of the system.",
        topic=options.FILES,
    ),
]


@options.with_flags(
    "assess",
    quasi_identifiers="The columns that an intruder may know; by default, all that were changed.",
    blank="A code that means missing in the quasi-identifiers of both files, such as ?.",
)
def command(
    original: Original,
    released: Released = None,
    *,
    schema: options.SchemaFile = None,
    provenance: options.RolesFrom = None,
    match_on: MatchOn = None,
    groups: Groups = None,
    loss_weight: options.LossWeight = 0.5,
    memory: Memory = None,
    work: Work = None,
    report: options.Report = None,
    audience: options.Audience = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **texts: Any,
) -> None:
    """Evaluate a file masked by any tool: information loss, disclosure risk, records most at risk.

    Rows are matched by position, by --match-on, or by the groups file of a release of microagg (--groups).
    Row numbers are shown, never values.
    """
    files = (original,) if released is None else (original, released)
    if released is None:
        _refuse_for_one_file({"report": report, "memory": memory, "groups": groups})
    check_report(files, report, audience, overwrite=overwrite)
    roles, form_before = recorded_roles(provenance, options_of(Settings, "assess"), schema=schema)
    if released is None:  # how the release was made does not matter for the anonymity of a file
        roles = {name: value for name, value in roles.items() if name not in OF_TWO_FRAMES}
    about: dict[str, Any] = {"loss_weight": loss_weight, "quiet": quiet}
    reading = Reading.create("assess", **{**form_before, **parsed(Reading, texts)})
    if memory is None:
        if work is not None:
            raise ParameterError(
                Phrase("is for large files, read with {memory}.", memory=...),
                parameter="work",
                hint="Leave it out.",
            )
        if released is not None:
            refuse_folders(*files)
        result = _assessed(files, reading, roles, texts, schema, match_on, groups, **about)
    else:
        _refuse_whole(match_on, groups, texts)
        assert released is not None
        both, where = (original, released), {"memory": memory, "work": work}
        result = _assessed_in_pieces(both, reading, roles, texts, schema, where, **about)
    if report is not None and released is not None:
        _write(result, report, {"original": original.name, "released": released.name}, audience)
    with console.afterwards() if report is not None else nullcontext():
        _tell(result, report, audience or "internal", quiet=quiet, json=json)


def _refuse_for_one_file(values: dict[str, Any]) -> None:
    """Raise for an option that compares two files."""
    for name, value in values.items():
        if value is not None:
            raise ParameterError(
                "compares two files, but there is only one.",
                parameter=name,
                hint="Leave it out, or add the released file.",
            )


def _assessed(
    files: tuple[Path, ...],
    reading: Reading,
    roles: dict[str, Any],
    texts: dict[str, Any],
    schema: Path | None,
    match_on: str | None,
    groups: Path | None,
    *,
    loss_weight: float,
    quiet: bool,
) -> Assessment:
    """Read both files into memory, and compare them."""
    blanks, form = list(reading.blank), reading.form()
    tables = [_read(file, form, blanks) for file in files]
    columns = tables[0].column_names
    rows = _released_rows(groups, match_on, *tables)
    values = _values(roles, texts, schema, columns)
    if blanks:
        aside = (match_on, values.get("weights"), values.get("unit"))
        others = {*values["confidential"], *aside}
        keys = values["quasi_identifiers"] or [name for name in columns if name not in others]
        tables = [_without_codes(table, list(keys), blanks, form) for table in tables]
    with console.progress(not quiet) as progress:
        return assess(
            *tables,
            match_on=match_on,
            rows=rows,
            loss_weight=loss_weight,
            progress=progress,
            **values,
        )


def _released_rows(
    groups: Path | None, match_on: str | None, original: pa.Table, *released: pa.Table
) -> Rows | None:
    """Return which rows of the original were released, or raise if that cannot be known."""
    if groups is not None and match_on is not None:
        raise ParameterError(
            Phrase("cannot be combined with {match_on}.", match_on=...),
            parameter="groups",
            hint="Leave one of them out.",
        )
    if groups is not None:
        return GroupsFile.read(groups, len(original), *map(len, released)).rows
    n = [len(original), *map(len, released)]
    if match_on is None and n[0] > n[-1]:
        raise DataError(
            f"The original has {n[0]:,} records and the release {n[1]:,}.",
            hint=Phrase(
                "If microagg left records out, name the groups file of the release: {groups}. Otherwise, "
                "name the column that identifies each record: {match_on}.",
                groups="release.groups.csv",
                match_on="id",
            ),
        )
    return None


def _assessed_in_pieces(
    files: tuple[Path, Path],
    reading: Reading,
    roles: dict[str, Any],
    texts: dict[str, Any],
    schema: Path | None,
    where: dict[str, Any],
    *,
    loss_weight: float,
    quiet: bool,
) -> Assessment:
    """Compare both files piece by piece, within the memory and the folder that `where` names."""
    form = reading.form()
    columns = large_files.SourceFiles.listed(located(files[0]), sys.maxsize, form).names
    values = _values(roles, texts, schema, columns)
    options = {"loss_weight": loss_weight, "blank": reading.blank, **where, **values, **form}
    with console.progress(not quiet) as progress:
        result: Assessment = large.assess_file(*files, progress=progress, **options)
    return result


def _values(
    roles: dict[str, Any], texts: dict[str, Any], schema: Path | None, columns: list[str]
) -> dict[str, Any]:
    """Return the options as Python values, with separate roles."""
    values = {**roles, **values_of(texts, schema, columns)}
    settings = Settings.create("assess", **values)
    values |= {name: getattr(settings, name) for name in _ROLES}
    values.pop("schema", None)  # identifiers are not in the release, or one of them matches rows
    return values


def _refuse_whole(match_on: str | None, groups: Path | None, texts: dict[str, Any]) -> None:
    """Raise for options that require both files in memory."""
    reasons = {
        "match_on": (match_on, "rows of two files are matched in memory"),
        "groups": (groups, "rows of two files are matched in memory"),
        "target": (texts.get("target"), refused.reason_for("target")),
    }
    for name, (value, reason) in reasons.items():
        if value is not None:
            raise ParameterError(
                Phrase(f"cannot be used with {{memory}}: {reason}.", memory=...),
                parameter=name,
                hint="Leave one of them out.",
            )


_ROLES = ("quasi_identifiers", "confidential", "kinds", "orders")


def _read(file: Path, form: dict[str, Any], blanks: list[str]) -> pa.Table:
    """Read a file; without codes for missing values, purely numeric columns become numbers."""
    as_text = is_delimited(file, blanks) and blanks
    return read_file(file, parse=[], **form) if as_text else read_file(file, **form)


def _without_codes(
    table: pa.Table, keys: list[str], blanks: list[str], form: dict[str, Any]
) -> pa.Table:
    """Return a table of text with numbers, and without codes for missing values in the keys."""
    table = without_codes(table, keys, blanks)
    return parse_columns(table, None, decimal=form.get("decimal", "."))


def _write(result: Assessment, report: Path, files: dict[str, str], audience: str | None) -> None:
    write_page(page_of_assessment(result, files, audience=audience or "internal"), report)


def _tell(
    result: Assessment, report: Path | None, audience: str, *, quiet: bool, json: bool
) -> None:
    if json:
        numbers: dict[str, Any] = result.as_dict(audience)
        answer({**numbers, "report": str(report)} if report else numbers)
        return
    if not quiet:
        say(result.summary(audience))
    if report is not None and not quiet:
        say(f"report      {report}")
