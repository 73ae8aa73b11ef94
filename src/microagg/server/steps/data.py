"""The first step: the columns of a file, how it was read, and a form to correct that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from microagg.declare import options_of, parsed
from microagg.errors import MicroaggError
from microagg.reading import Reading
from microagg.server.app import Server, to
from microagg.server.project import Project
from microagg.server.speech import PAGE, label

SHOWN_COLUMNS = 500
"""The maximum number of columns that the page lists."""

SHOWN_RECORDS = 5
"""The number of records in the preview."""

SEPARATORS = {",": "comma ,", ";": "semicolon ;", "\t": "tab", "|": "vertical bar |", " ": "space"}
ENCODINGS = ("utf-8", "latin-1", "cp1252", "iso-8859-15", "utf-16", "cp1250", "cp1251", "shift_jis")
DECIMALS = {".": "point .", ",": "comma ,"}


async def show(server: Server, request: Request) -> Response:
    """Show the columns, and how the file was read."""
    project = server.project(request)
    if not project.is_read:
        return unread(server, project, None, {})
    return server.page("data.html", **await run_in_threadpool(_values, project))


def _values(project: Project) -> dict[str, Any]:
    columns, dialect = project.profile(), project.source.dialect
    facts = []
    if dialect is not None:
        facts = [
            ("Separator", SEPARATORS.get(dialect.separator, dialect.separator)),
            ("Encoding", dialect.encoding),
            ("Decimal mark", DECIMALS.get(dialect.decimal, dialect.decimal)),
        ]
    shown = project.source.table.slice(0, SHOWN_RECORDS).select(list(range(min(len(columns), 40))))
    blank = {mark for marks in project.marks.values() for mark in marks} - {*project.reading.blank}
    return {
        "step": "data",
        "project": project,
        "columns": columns[:SHOWN_COLUMNS],
        "hidden": max(len(columns) - SHOWN_COLUMNS, 0),
        "records": project.table.num_rows,
        "missing": sum(column.missing for column in columns),
        "facts": facts,
        "heads": shown.column_names,
        "first": [list(row.values()) for row in shown.to_pylist()],
        "marks": sorted(blank) if dialect is not None else [],
        "marked": [name for name in project.marks if blank & {*project.marks[name]}],
        "reading": reading_entries(project.reading, {}),
    }


def unread(
    server: Server, project: Project, error: MicroaggError | None, texts: Mapping[str, Any]
) -> Response:
    """Show that a file could not be read, with options to correct that."""
    words = "The file has not been read."
    if error is not None:
        error.speech = PAGE
        words = str(error)
    return server.page(
        "unread.html",
        400,
        step="data",
        project=project,
        error=words.replace(str(project.path), project.name),
        reading=reading_entries(project.reading, texts),
    )


async def read_again(server: Server, request: Request) -> Response:
    """Read the file again as the user corrected it."""
    project = server.project(request)
    async with request.form(max_files=0, max_fields=100) as form:
        texts = {name: str(value) for name, value in form.items()}
    try:
        await run_in_threadpool(project.read, _reading_of(texts))
    except MicroaggError as error:
        return unread(server, project, error, texts)
    return to(f"/projects/{project.id}/data")


def reading_entries(reading: Reading, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the options for reading as the form shows them."""
    offered = {
        "separator": SEPARATORS,
        "encoding": {name: name for name in ENCODINGS},
        "decimal": DECIMALS,
    }
    entries = []
    for name, option in options_of(Reading).items():
        value = getattr(reading, name)
        shown = "\n".join(value) if isinstance(value, tuple) else value
        entries.append(
            {
                "name": name,
                "label": label(name),
                "help": option.help,
                "control": _control(option.form.text_type, option.form.repeated, name in offered),
                "choices": offered.get(name, {}),
                "value": texts.get(name, "" if shown in (None, False) else shown),
            }
        )
    return entries


def _reading_of(texts: Mapping[str, str]) -> Reading:
    """Return the options for reading that the form specifies."""
    entered: dict[str, Any] = {}
    for name, option in options_of(Reading).items():
        text = texts.get(name, "")
        if not text:
            continue
        if option.form.text_type is bool:
            entered[name] = True
        else:
            entered[name] = _lines(text) if option.form.repeated else text
    return Reading.create(**parsed(Reading, entered))


def _control(kind: type, repeated: bool, choices: bool) -> str:
    if kind is bool:
        return "flag"
    return "lines" if repeated else "choice" if choices else "text"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
