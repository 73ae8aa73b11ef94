"""The files of a run: starting the run, displaying its results, and downloads."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.responses import FileResponse, Response

from microagg.data.codes import amounts_among
from microagg.data.formats.registry import suffixes
from microagg.provenance import not_repeatable, recorded_ending
from microagg.report.content import Page
from microagg.report.data import page_from
from microagg.schema import Schema
from microagg.server import handover
from microagg.server.form import values_of
from microagg.server.project import Project, Texts
from microagg.server.runs import Run, Runs
from microagg.server.workspace import Workspace, safe_suffix
from microagg.settings import Settings

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
"""The content policy of a report: it has styles of its own, and no script."""


@dataclass(frozen=True)
class Download:
    """A file that can be downloaded.

    Attributes
    ----------
    name : str
        Its name in the address.
    title, about : str
        Its label, and its purpose.
    public : bool
        Whether it may be published.
    """

    name: str
    title: str
    about: str
    public: bool = False


DOWNLOADS = (
    Download("release", "Release", "The protected records.", public=True),
    Download(
        "external-report",
        "External report",
        "Leaves out small cells and single records.",
        public=True,
    ),
    Download(
        "report",
        "Internal report",
        "Shows everything, including the row numbers of records at risk.",
    ),
    Download("groups", "Groups", "The group of each record, for audits."),
    Download("provenance", "Provenance", "Versions, options and checksums."),
    Download("schema", "Schema", "Roles and kinds, which the code below needs."),
    Download("command", "Command line", "A shell script of one command."),
    Download("script", "Python script", "Python code that reproduces the release."),
    Download("notebook", "Jupyter notebook", "The same code in the cells of a notebook."),
)


def downloads_of(run: Run) -> tuple[Download, ...]:
    """Return the files of a run that can be downloaded."""
    files = handover.files_of(texts_of(run).get("method", ["auto"])[0])
    missing = {name.replace("_", "-") for name in handover.FILES.keys() - files.keys()}
    return tuple(each for each in DOWNLOADS if each.name not in missing)


def release_name(name: str) -> str:
    """Return the name of the release of a file: in its format, or as CSV if that can only be read.

    Examples
    --------
    >>> release_name("people.csv.gz"), release_name("visits.sas7bdat")
    ('release.csv.gz', 'release.csv')
    """
    suffix = safe_suffix(name)
    return f"release{suffix if suffix in suffixes(written=True) else '.csv'}"


async def start(runs: Runs, workspace: Workspace, project: Project, texts: Texts) -> Run:
    """Start a run of a project with the options as they were entered."""
    folder = workspace.new_folder()
    (folder / handover.SCHEMA).write_text(_schema(project, texts).to_toml(), encoding="utf-8")
    (folder / "options.json").write_text(json.dumps(texts), encoding="utf-8")
    release = release_name(project.name)
    arguments = handover.arguments_of(str(project.path), release, texts, project.reading)
    project.started += 1
    title = f"{project.started}: {texts.get('method', ['auto'])[0]}, k = {texts['k'][0]}"
    run = await runs.start([*arguments, *handover.PRIVATE], folder, title)
    project.runs.append(run.id)
    return run


def _schema(project: Project, texts: Texts) -> Schema:
    """Return the schema of a run, with the additions of the command line.

    If there are limits, confidential columns of a text file with amounts are declared as continuous; here
    they are recorded, so that the script does the same.
    """
    schema = project.schema
    if project.source.dialect is None or not {"l_diversity", "t_closeness"} & texts.keys():
        return schema
    names = [name for name in schema.confidential if name not in {*schema.kinds, *schema.orders}]
    amounts = dict.fromkeys(amounts_among(project.source.table, names), "continuous")
    return replace(schema, kinds={**schema.kinds, **amounts})


def has_run(runs: Runs, project: Project, texts: Texts) -> bool:
    """Return whether a run with the same options and roles is in progress or has finished."""
    schema = _schema(project, texts)
    others = [runs[id] for id in project.runs if runs[id].active or runs[id].state == "finished"]
    return any(texts_of(run) == texts and schema_of(run) == schema for run in others)


def typed(project: Project, settings: Settings) -> Any:
    """Return the records as the command line would protect them."""
    return project.source.typed_by_role(
        settings.quasi_identifiers,
        categories=settings.schema.categories,
        declared=settings.declared,
        blanks=project.reading.blank,
    )


def texts_of(run: Run) -> Texts:
    """Return the options of a run as they were entered."""
    texts: Texts = json.loads((run.folder / "options.json").read_text(encoding="utf-8"))
    return texts


def schema_of(run: Run) -> Schema:
    """Return the roles that a run used."""
    return Schema.from_toml(run.folder / handover.SCHEMA)


@lru_cache(maxsize=100)
def provenance(path: Path) -> dict[str, Any]:
    """Return the provenance of a finished run in a folder."""
    text = (path / handover.FILES["provenance"]).read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


@lru_cache(maxsize=100)
def report(path: Path) -> Page:
    """Return the report of a finished run in a folder."""
    return page_from(json.loads((path / handover.PRIVATE[1]).read_text(encoding="utf-8")))


def inexact(run: Run) -> str:
    """Return why the command would not reproduce the release exactly, or an empty text."""
    return not_repeatable(recorded_ending(provenance(run.folder)))


def download(project: Project, run: Run, what: str) -> Response | None:
    """Return one of the files of a finished run, or None if there is no such file."""
    if run.state != "finished" or what not in {each.name for each in downloads_of(run)}:
        return None
    made: dict[str, Callable[[], tuple[str, str]]] = {
        "command": lambda: ("protect.sh", command_of(project, run)),
        "script": lambda: ("protect.py", handover.script(project.name, _code(project, run))),
        "notebook": lambda: ("protect.ipynb", handover.notebook(project.name, _code(project, run))),
    }
    if what in made:
        name, text = made[what]()
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="application/octet-stream", headers=headers)
    paths = {
        "release": release_name(project.name),
        "schema": handover.SCHEMA,
        **{name.replace("_", "-"): file for name, file in handover.FILES.items()},
    }
    return _file(run.folder / paths[what])


def _file(path: Path) -> Response:
    """Return a file to be saved, or a report to be shown."""
    if path.suffix != ".html":
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)
    response = FileResponse(
        path, media_type="text/html", filename=path.name, content_disposition_type="inline"
    )
    response.headers["Content-Security-Policy"] = REPORT_POLICY
    return response


def _code(project: Project, run: Run) -> list[str]:
    """Return the Python code that reproduces a run."""
    schema = schema_of(run)
    values = values_of(texts_of(run), [column.name for column in project.columns])
    release = release_name(project.name)
    return handover.cells(project.name, release, values, project.reading, schema)


def command_of(project: Project, run: Run) -> str:
    """Return the command that reproduces a run, with the name of the user's file."""
    own = len(handover.PRIVATE)
    name = f"./{project.name}" if project.name.startswith("-") else project.name
    arguments = [name if a == str(project.path) else a for a in run.command[:-own]]
    return handover.command(arguments)
