"""The routes of the web page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from microagg.data import datasets
from microagg.errors import MicroaggError
from microagg.server import results, views
from microagg.server.project import Project
from microagg.server.runs import Run, RunLimits, Runs
from microagg.server.security import Access, Guard
from microagg.server.workspace import Upload, Workspace

PRACTICE = ("diabetes", "adult", "census")
"""Data sets to practise with."""


@dataclass(frozen=True)
class Config:
    """How a server was started.

    Attributes
    ----------
    file : Path, optional
        The file named on the command line.
    read_only : bool
        Whether nothing but that file may be protected.
    max_upload : int
        The largest upload, in bytes.
    limits : RunLimits
        What a run may use.
    demo : bool
        Whether a practice data set is opened.
    """

    file: Path | None = None
    read_only: bool = False
    max_upload: int = 2 * 10**9
    limits: RunLimits = field(default_factory=RunLimits)
    demo: bool = False


class Server:
    """The state of a server, and a method for each page."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.workspace = Workspace(config.max_upload)
        self.runs = Runs(config.limits)
        self.projects: dict[str, Project] = {}
        self._templates = Environment(
            loader=PackageLoader("microagg.server"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        text = self._templates.get_template(template).render(values)
        return HTMLResponse(text, status)

    async def start(self, request: Request) -> Response:
        """Show the first page, or go on to a practice data set."""
        if self.config.demo and not self.projects:
            return await self._practise(PRACTICE[0])
        return self._start()

    def _start(self, error: str = "", status: int = 200) -> Response:
        available = [] if self.config.read_only else _practice()
        return self.page(
            "start.html",
            status,
            step="data",
            project=None,
            projects=list(self.projects.values()),
            practice=available,
            named=None if self.config.file is None else self.config.file.name,
            read_only=self.config.read_only,
            limit=f"{self.config.max_upload // 10**6:,} MB",
            error=error,
        )

    async def open_file(self, request: Request) -> Response:
        """Open the file named on the command line."""
        if self.config.file is None:
            raise HTTPException(404)
        return await self._open(Upload(self.config.file, self.config.file.name))

    async def upload(self, request: Request) -> Response:
        """Receive a file."""
        if self.config.read_only:
            raise HTTPException(403, "This server takes no uploads.")
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self.config.max_upload + 10**5:
            return self._start(
                f"The file is larger than {self.config.max_upload // 10**6:,} MB.", 413
            )
        async with request.form(max_files=1, max_fields=2) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                return self._start("Choose a file first.", 400)
            try:
                upload = await self.workspace.receive(file.filename, _chunks(file))
            except MicroaggError as error:
                return self._start(str(error), 413)
        return await self._open(upload)

    async def practise(self, request: Request) -> Response:
        """Open a practice data set."""
        async with request.form() as form:
            name = str(form.get("name", ""))
        if self.config.read_only or name not in dict(_practice()):
            raise HTTPException(404)
        return await self._practise(name)

    async def _practise(self, name: str) -> Response:
        path = self.workspace.new_folder() / f"{name}.csv"
        await run_in_threadpool(views.write_practice, name, path)
        return await self._open(Upload(path, path.name))

    async def _open(self, upload: Upload) -> Response:
        """Make a project of a file."""
        project = Project(upload.path, upload.name)
        try:
            await run_in_threadpool(project.read, project.reading)
        except MicroaggError as error:
            return self.page("unread.html", 400, **views.unread(project, str(error)))
        finally:
            self.projects[project.id] = project
        return _to(f"/projects/{project.id}/data")

    async def data(self, request: Request) -> Response:
        """Show the columns, and how the file was read."""
        project = self._project(request)
        return self.page("data.html", **await run_in_threadpool(views.data, project))

    async def reread(self, request: Request) -> Response:
        """Read the file again as the user corrected it."""
        project = self._project(request)
        async with request.form() as form:
            texts = {name: str(value) for name, value in form.items()}
        try:
            await run_in_threadpool(project.read, views.reading_of(texts))
        except MicroaggError as error:
            return self.page("unread.html", 400, **views.unread(project, str(error), texts))
        return _to(f"/projects/{project.id}/data")

    async def roles(self, request: Request) -> Response:
        """Show the roles, or take the user's decisions."""
        project = self._project(request)
        error = ""
        if request.method == "POST":
            await self._decide(request, project)
            try:
                _ = project.schema
                return _to(f"/projects/{project.id}/protection")
            except MicroaggError as problem:
                error = str(problem)
        values = await run_in_threadpool(views.roles, project, error)
        return self.page("roles.html", 400 if error else 200, **values)

    async def counted(self, request: Request) -> Response:
        """Count what the chosen roles single out, without saving anything but the roles."""
        project = self._project(request)
        await self._decide(request, project)
        values = await run_in_threadpool(views.counted, project)
        return self.page("counted.html", **values)

    async def _decide(self, request: Request, project: Project) -> None:
        async with request.form(max_fields=20_000) as form:
            decisions = views.decisions_of(project, form)
        project.decide(decisions)

    async def protection(self, request: Request) -> Response:
        """Show the options."""
        project = self._project(request)
        return self.page("protection.html", **views.protection(project, {}))

    async def start_run(self, request: Request) -> Response:
        """Start a run, or several for different k; or show what is wrong at its field."""
        project = self._project(request)
        async with request.form(max_fields=500) as form:
            project.options = views.options_from(form)
            several = [int(str(k)) for k in form.getlist("try_k") if str(k).isdecimal()]
        problem = await run_in_threadpool(views.problem_of, project, several)
        if problem:
            return self.page("protection.html", 400, **views.protection(project, problem))
        entered = [{**project.options, "k": str(k)} for k in several] or [project.options]
        for texts in entered:
            run = await results.start(self.runs, self.workspace, project, texts)
            project.runs.append(run.id)
        return _to(f"/projects/{project.id}/runs")

    async def all_runs(self, request: Request) -> Response:
        """Show every run of a project."""
        project = self._project(request)
        chosen = [self.runs[id] for id in project.runs]
        return self.page("runs.html", **await run_in_threadpool(views.runs, project, chosen))

    async def run(self, request: Request) -> Response:
        """Show one run."""
        project, run = self._run(request)
        return self.page("run.html", **await run_in_threadpool(views.run, project, run))

    async def events(self, request: Request) -> Response:
        """Stream the progress of a run."""
        _, run = self._run(request)
        return StreamingResponse(self.runs.events(run), media_type="text/event-stream")

    async def cancel(self, request: Request) -> Response:
        """Cancel a run."""
        project, run = self._run(request)
        self.runs.cancel(run)
        return _to(f"/projects/{project.id}/runs/{run.id}")

    async def download(self, request: Request) -> Response:
        """Send one of the files of a run."""
        project, run = self._run(request)
        response = await run_in_threadpool(
            results.download, project, run, request.path_params["what"]
        )
        if response is None:
            raise HTTPException(404)
        return response

    def _project(self, request: Request) -> Project:
        project = self.projects.get(request.path_params["project"])
        if project is None:
            raise HTTPException(404, "There is no such project.")
        return project

    def _run(self, request: Request) -> tuple[Project, Run]:
        project, id = self._project(request), request.path_params["run"]
        if id not in project.runs or id not in self.runs:
            raise HTTPException(404, "There is no such run.")
        return project, self.runs[id]

    async def refused(self, request: Request, error: Exception) -> Response:
        """Show what could not be answered."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        words = error.detail if isinstance(error, HTTPException) else "The page could not be made."
        return self.page("problem.html", status, step="data", project=None, words=words)

    async def close(self) -> None:
        """End all runs and delete everything."""
        await self.runs.close()
        self.workspace.remove()


def build(server: Server, access: Access) -> Callable[..., Any]:
    """Return the application of a server, behind its guard."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await server.close()

    one = "/projects/{project}"
    each = one + "/runs/{run}"
    post = ["POST"]
    routes = [
        Route("/", server.start),
        Route("/open", server.open_file, methods=post),
        Route("/upload", server.upload, methods=post),
        Route("/practice", server.practise, methods=post),
        Route(one + "/data", server.data),
        Route(one + "/reading", server.reread, methods=post),
        Route(one + "/roles", server.roles, methods=["GET", "POST"]),
        Route(one + "/count", server.counted, methods=post),
        Route(one + "/protection", server.protection),
        Route(one + "/runs", server.all_runs),
        Route(one + "/runs", server.start_run, methods=post),
        Route(each, server.run),
        Route(each + "/events", server.events),
        Route(each + "/cancel", server.cancel, methods=post),
        Route(each + "/files/{what}", server.download),
        Mount("/static", StaticFiles(directory=str(files("microagg.server") / "static"))),
    ]
    handlers: Mapping[Any, Any] = {HTTPException: server.refused, Exception: server.refused}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=dict(handlers))
    return Guard(app, access)


def _practice() -> list[tuple[str, str]]:
    """Return the practice data sets that are on this computer, each with its description."""
    available = {info.name: info for info in datasets.available()}
    return [
        (name, available[name].description)
        for name in PRACTICE
        if name in available and available[name].where not in ("download", "unavailable")
    ]


async def _chunks(file: UploadFile) -> AsyncIterator[bytes]:
    while chunk := await file.read(1 << 20):
        yield chunk


def _to(path: str) -> Response:
    return RedirectResponse(path, 303)
