"""The files of a run, and what the page shows of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.responses import FileResponse, Response

from microagg.server import handover
from microagg.server.form import values_of
from microagg.server.project import Project
from microagg.server.runs import Run, Runs
from microagg.server.workspace import Workspace, safe_suffix

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
"""The content policy of a report: it has styles of its own, and no script."""


@dataclass(frozen=True)
class Row:
    """A run among others: what was asked for, and the main figures where it has finished.

    `counted` is k on the quasi-identifiers; `unique` counts the records that are unique on these
    together with unchanged columns that are not confidential, None where that was not counted.
    """

    id: str
    title: str
    state: str
    seconds: float
    k: str
    promised: bool = False
    counted: int | None = None
    loss: float | None = None
    unique: int | None = None
    records: int | None = None


async def start(
    runs: Runs, workspace: Workspace, project: Project, texts: Mapping[str, str]
) -> Run:
    """Start a run of a project with the options as they were entered."""
    folder = workspace.new_folder()
    (folder / "schema.toml").write_text(project.schema.to_toml(), encoding="utf-8")
    (folder / "options.json").write_text(json.dumps(dict(texts)), encoding="utf-8")
    suffix = safe_suffix(project.name) or ".csv"
    arguments = handover.arguments_of(str(project.path), suffix, texts, project.reading)
    method = texts.get("method", "auto")
    return await runs.start(arguments, folder, f"{method}, k = {texts.get('k', '')}")


def _texts(run: Run) -> dict[str, str]:
    """Return the options of a run as they were entered."""
    texts: dict[str, str] = json.loads((run.folder / "options.json").read_text(encoding="utf-8"))
    return texts


def _release(run: Run) -> Path | None:
    """Return the released file of a run."""
    others = (".groups.csv", ".provenance.json")
    paths = [p for p in run.folder.glob("release.*") if not p.name.endswith(others)]
    return paths[0] if paths else None


def provenance(run: Run) -> dict[str, Any]:
    """Return what is recorded of a finished run."""
    path = run.folder / "release.provenance.json"
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def row(run: Run) -> Row:
    """Return a run among others."""
    k = _texts(run).get("k", "")
    if run.state != "finished":
        return Row(run.id, run.title, run.state, run.facts()["seconds"], k)
    result = provenance(run)["result"]
    return Row(
        id=run.id,
        title=run.title,
        state=run.state,
        seconds=round(run.seconds, 1),
        k=k,
        loss=float(result["il"]),
        promised=bool(result["promises"]),
        counted=int(result["k"]),
        unique=None if result["exposure"] is None else result["exposure"]["records_unique"],
        records=int(result["records"]),
    )


def result(run: Run) -> dict[str, Any]:
    """Return what the page shows of a finished run."""
    recorded = provenance(run)
    return {
        "recorded": recorded["result"],
        "confidential": recorded["arguments"].get("confidential", []),
        "summary": "\n".join(run.messages),
        "files": [name for name in FILES if _content(None, run, name) is not None],
    }


FILES = {
    "release": "The release",
    "report": "The report, for inside",
    "external-report": "The report, for outside",
    "groups": "The groups, for audit",
    "provenance": "The provenance",
    "schema": "The schema",
    "command": "The command line",
    "script": "A Python script",
    "notebook": "A Jupyter notebook",
}
"""What can be downloaded, and what the page calls it."""


def download(project: Project, run: Run, what: str) -> Response | None:
    """Return one of the files of a finished run, or None where there is no such file."""
    if what not in FILES or run.state != "finished":
        return None
    content = _content(project, run, what)
    if content is None:
        return None
    if isinstance(content, Path):
        report = content.suffix == ".html"
        kind = "text/html" if report else "application/octet-stream"
        disposition = "inline" if report else "attachment"
        response: Response = FileResponse(
            content, media_type=kind, filename=content.name, content_disposition_type=disposition
        )
        if report:
            response.headers["Content-Security-Policy"] = REPORT_POLICY
        return response
    name, text = content
    return Response(
        text,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _content(project: Project | None, run: Run, what: str) -> Path | tuple[str, str] | None:
    """Return a file of a run, or its name and text where it is made on demand."""
    release = _release(run)
    paths = {
        "release": release,
        "report": run.folder / "report.html",
        "external-report": run.folder / "external.html",
        "groups": run.folder / "release.groups.csv",
        "provenance": run.folder / "release.provenance.json",
        "schema": run.folder / "schema.toml",
    }
    if what in paths:
        path = paths[what]
        return path if path is not None and path.exists() else None
    if project is None:
        return (what, "")
    if what == "command":
        return ("protect.sh", command_of(project, run))
    names = [column.name for column in project.columns]
    suffix = "" if release is None else "".join(release.suffixes)
    values = values_of(_texts(run), names)
    categories = [column.name for column in project.columns if column.kind == "nominal"]
    code = handover.cells(project.name, suffix, values, project.reading, categories)
    return (
        ("protect.py", handover.script(code))
        if what == "script"
        else (
            "protect.ipynb",
            handover.notebook(code),
        )
    )


def command_of(project: Project, run: Run) -> str:
    """Return the command that repeats a run, with the file as the user calls it."""
    arguments = [project.name if a == str(project.path) else a for a in run.command]
    return handover.command(arguments)
