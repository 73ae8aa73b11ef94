"""What each page shows: values for the templates, without markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pyarrow.csv
from starlette.datastructures import FormData

from microagg.data import datasets
from microagg.declare import options_of, parsed
from microagg.errors import MicroaggError, ParameterError
from microagg.mask.registry import maskings
from microagg.partition.registry import methods
from microagg.partition.search.auto.auto import Effort
from microagg.reading import Reading
from microagg.schema import KINDS
from microagg.server import form, results
from microagg.server.project import ROLES, Project
from microagg.server.runs import Run

SHOWN_COLUMNS = 500
"""Columns that a page lists at most."""

EFFORTS = get_args(Effort)
TRY_K = (3, 5, 10)


def data(project: Project) -> dict[str, Any]:
    """Return the columns, and how the file was read."""
    columns = project.profile()
    dialect = project.source.dialect
    facts = (
        []
        if dialect is None
        else [
            ("Separator", {"\t": "tab"}.get(dialect.separator, dialect.separator)),
            ("Encoding", dialect.encoding),
            ("Decimal mark", dialect.decimal),
        ]
    )
    return {
        "step": "data",
        "project": project,
        "columns": columns[:SHOWN_COLUMNS],
        "hidden": max(len(columns) - SHOWN_COLUMNS, 0),
        "rows": project.table.num_rows,
        "facts": facts,
        "reading": _reading_entries(project.reading, {}),
    }


def unread(project: Project, error: str, texts: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the page of a file that could not be read, with the options to correct that."""
    return {
        "step": "data",
        "project": project,
        "error": error,
        "reading": _reading_entries(project.reading, texts or {}),
    }


def _reading_entries(reading: Reading, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    entries = []
    for name, option in options_of(Reading).items():
        value = getattr(reading, name)
        shown = ",".join(value) if isinstance(value, tuple) else value
        entries.append(
            {
                "name": name,
                "label": name.replace("_", " "),
                "help": option.help,
                "flag": option.form.text_type is bool,
                "value": texts.get(name, "" if shown in (None, False) else shown),
            }
        )
    return entries


def reading_of(texts: Mapping[str, str]) -> Reading:
    """Return how the page's texts say that a file is to be read."""
    values: dict[str, Any] = {}
    for name, option in options_of(Reading).items():
        text = texts.get(name, "")
        if not text:
            continue
        if option.form.text_type is bool:
            values[name] = True
        else:
            values[name] = [text] if option.form.repeated else text
    return Reading.create(**parsed(Reading, values))


def write_practice(name: str, path: Path) -> None:
    """Write a practice data set as a CSV file."""
    pyarrow.csv.write_csv(datasets.load(name).frame, path)


def roles(project: Project, error: str) -> dict[str, Any]:
    """Return the columns with their roles, and what they single out."""
    return {
        "step": "roles",
        "columns": project.columns,
        "roles": ROLES,
        "kinds": KINDS,
        "error": error,
        **counted(project),
    }


def counted(project: Project) -> dict[str, Any]:
    """Return what the chosen roles single out before protection."""
    k = _entered_k(project)
    names, others = project.having("quasi-identifier"), project.having("other")
    return {
        "project": project,
        "counted": project.count(names, others, k) if names else None,
        "k": k,
        "others": others,
    }


def _entered_k(project: Project) -> int:
    text = project.options.get("k", "")
    return int(text) if text.isdecimal() and int(text) >= 2 else 5


def decisions_of(project: Project, sent: FormData) -> dict[str, tuple[str, str]]:
    """Return the role and kind of each column that a page sent, by the column's number."""
    return {
        column.name: (
            str(sent.get(f"role-{number}", column.role)),
            str(sent.get(f"kind-{number}", column.kind)),
        )
        for number, column in enumerate(project.columns)
    }


def options_from(sent: FormData) -> dict[str, str]:
    """Return the options that a page sent, as the texts that a command line would have."""
    values = {}
    for name in form.offered():
        texts = [str(value).strip() for value in sent.getlist(name) if str(value).strip()]
        if texts:
            values[name] = ",".join(texts)
    effort = str(sent.get("effort", ""))
    if effort in EFFORTS and effort != "normal" and values.get("method", "auto") == "auto":
        given = values.get("parameters", "")
        values["parameters"] = f"{given},effort={effort}" if given else f"effort={effort}"
    return values


def protection(project: Project, errors: Mapping[str, str]) -> dict[str, Any]:
    """Return the form of options."""
    names = [column.name for column in project.columns]
    common, folded = form.entries({"k": "5", **project.options}, names, errors)
    return {
        "step": "protection",
        "project": project,
        "common": common,
        "folded": folded,
        "errors": errors,
        "general": errors.get("", ""),
        "methods": [(m.name, m.summary) for m in methods() if m.name != "auto"],
        "maskings": [(m.name, m.summary) for m in maskings()],
        "efforts": EFFORTS,
        "try_k": TRY_K,
        "quasi_identifiers": project.having("quasi-identifier"),
    }


def problem_of(project: Project, several: Sequence[int]) -> dict[str, str]:
    """Return what is wrong with the options, by the option; nothing where all is right."""
    names = [column.name for column in project.columns]
    entered = [{**project.options, "k": str(k)} for k in several] or [project.options]
    try:
        for texts in entered:
            form.settings_of(texts, project.schema, names)
    except ParameterError as error:
        parameters = getattr(error, "parameters", ())
        offered = [name for name in parameters if name in form.offered()]
        return {offered[0] if offered else "": str(error)}
    except MicroaggError as error:
        return {"": str(error)}
    return {}


def runs(project: Project, chosen: Sequence[Run]) -> dict[str, Any]:
    """Return the runs side by side."""
    rows = [results.row(run) for run in chosen]
    return {
        "step": "runs",
        "project": project,
        "rows": rows,
        "running": any(row.state == "running" for row in rows),
    }


def run(project: Project, run: Run) -> dict[str, Any]:
    """Return one run: its progress, or its result."""
    return {
        "step": "result" if run.state == "finished" else "runs",
        "project": project,
        "run": run,
        "facts": run.facts(),
        "result": results.result(run) if run.state == "finished" else None,
        "command": results.command_of(project, run),
    }
