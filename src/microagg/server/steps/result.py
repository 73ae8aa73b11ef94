"""The last step: the progress of runs, their results, the map of all runs, and downloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from microagg.report.content import Page
from microagg.report.html import html_of
from microagg.server import overview, results
from microagg.server.app import Server, to
from microagg.server.project import Project
from microagg.server.runs import Run
from microagg.server.steps.protection import TRY_K

SHOWN = ("cautions", "utility", "columns", "groups", "correlations")
"""The sections of the report that the page shows; the report has all sections."""


async def show_all(server: Server, request: Request) -> Response:
    """Show every run of a project."""
    project = server.project(request)
    chosen = [server.runs[id] for id in project.runs]
    return server.page("runs.html", **await run_in_threadpool(_all, project, chosen))


def _all(project: Project, chosen: Sequence[Run]) -> dict[str, Any]:
    rows = [overview.row(run) for run in chosen]
    return {
        "step": "runs",
        "project": project,
        "rows": rows,
        "map": Markup(overview.risk_utility_map(rows)),
        "latest": chosen[-1] if chosen else None,
        "same_roles": overview.same_roles(rows),
        "active": any(run.active for run in chosen),
        "try_k": TRY_K,
    }


async def show(server: Server, request: Request) -> Response:
    """Show one run."""
    project, run = server.run(request)
    others = [server.runs[id] for id in project.runs]
    return server.page("run.html", **await run_in_threadpool(_one, project, run, others))


def _one(project: Project, run: Run, others: Sequence[Run]) -> dict[str, Any]:
    finished = run.state == "finished"
    rows = [overview.row(each) for each in others if each.state == "finished"]
    page = results.report(run.folder) if finished else None
    return {
        "step": "runs",
        "project": project,
        "run": run,
        "latest": run,
        "facts": run.facts(),
        "page": page,
        "sections": [] if page is None else _sections(page),
        "map": Markup(overview.risk_utility_map(rows)) if finished else "",
        "runs": len(rows),
        "try_k": TRY_K,
        "downloads": results.downloads_of(run),
        "inexact": results.inexact(run) if finished else "",
        "command": results.command_of(project, run),
    }


def _sections(page: Page) -> list[dict[str, Any]]:
    """Return the sections of a report that the page shows, as HTML."""
    return [
        {
            "name": section.name,
            "title": section.title,
            "content": Markup("".join(map(html_of, section.content))),
        }
        for name in SHOWN
        for section in page.sections
        if section.name == name
    ]


async def events(server: Server, request: Request) -> Response:
    """Stream the progress of all runs of a project."""
    project = server.project(request)
    # The project may be removed meanwhile, with its runs.
    stream = server.runs.events(
        lambda: [server.runs[id] for id in project.runs if id in server.runs]
    )
    return StreamingResponse(stream, media_type="text/event-stream")


async def events_of_run(server: Server, request: Request) -> Response:
    """Stream the progress of a run."""
    _, run = server.run(request)
    return StreamingResponse(server.runs.events(lambda: [run]), media_type="text/event-stream")


async def cancel(server: Server, request: Request) -> Response:
    """Stop a run."""
    project, run = server.run(request)
    server.runs.cancel(run)
    return to(f"/projects/{project.id}/runs/{run.id}")


async def remove(server: Server, request: Request) -> Response:
    """Delete a run with its files."""
    project, run = server.run(request)
    project.runs.remove(run.id)  # first, because other requests are answered meanwhile
    await server.runs.remove(run.id, server.workspace)
    return to(f"/projects/{project.id}/runs")


async def download(server: Server, request: Request) -> Response:
    """Send one of the files of a run."""
    project, run = server.run(request)
    what = request.path_params["what"]
    response = await run_in_threadpool(results.download, project, run, what)
    if response is None:
        raise HTTPException(404, "There is no such file.")
    return response
