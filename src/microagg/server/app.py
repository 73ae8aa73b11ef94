"""The server: its state, and its routes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from microagg.errors import MicroaggError
from microagg.lazy import lazy
from microagg.server.runs import Run, RunLimits, Runs
from microagg.server.security import Access, Guard
from microagg.server.speech import PAGE
from microagg.server.workspace import Workspace

start = lazy("microagg.server.steps.start")
data = lazy("microagg.server.steps.data")
roles = lazy("microagg.server.steps.roles")
protection = lazy("microagg.server.steps.protection")
result = lazy("microagg.server.steps.result")

LATE = ("data", "roles", "protection", "result")
"""The steps that are imported after the first page, so that the first page appears immediately."""

Project = Any
"""A `microagg.server.project.Project`, which takes a while to import."""


@dataclass(frozen=True)
class Config:
    """The options with which a server was started.

    Attributes
    ----------
    file : Path, optional
        The file named on the command line.
    read_only : bool
        Whether only that file, or a practice data set with `demo`, may be protected.
    max_upload : int
        The maximum size of an upload in bytes.
    limits : RunLimits
        The limits of runs.
    demo : bool
        Whether a practice data set is opened.
    """

    file: Path | None = None
    read_only: bool = False
    max_upload: int = 2 * 10**9
    limits: RunLimits = field(default_factory=RunLimits)
    demo: bool = False


class Server:
    """The state of a server: its folder, its projects and their runs."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.workspace = Workspace()
        self.runs = Runs(config.limits)
        self.projects: dict[str, Project] = {}
        self.opened = False
        """Whether the first page was shown."""
        self._templates = Environment(
            loader=PackageLoader("microagg.server"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["count"] = "{:,}".format
        self._templates.filters["code"] = _with_code

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        values = {"project": None, "step": "", **values}
        return HTMLResponse(self._templates.get_template(template).render(values), status)

    def project(self, request: Request) -> Project:
        """Return the project of an address."""
        project = self.projects.get(request.path_params["project"])
        if project is None:
            raise HTTPException(404, "There is no such file. It may have been removed.")
        return project

    def run(self, request: Request) -> tuple[Project, Run]:
        """Return the run of an address, with its project."""
        project, id = self.project(request), request.path_params["run"]
        if id not in project.runs or id not in self.runs:
            raise HTTPException(404, "There is no such run. It may have been removed.")
        return project, self.runs[id]

    async def refuse(self, request: Request, error: Exception) -> Response:
        """Show what could not be answered."""
        if isinstance(error, MicroaggError):
            error.speech = PAGE
            return self.page("problem.html", 400, words=str(error))
        status = error.status_code if isinstance(error, HTTPException) else 500
        words = (
            error.detail if isinstance(error, HTTPException) else "The page could not be created."
        )
        return self.page("problem.html", status, words=words)

    async def close(self) -> None:
        """End all runs and delete everything."""
        await self.runs.close()
        self.workspace.remove()


def _with_code(words: str) -> Markup:
    """Return text in which backticks mark code."""
    return Markup(re.sub(r"`+([^`]+)`+", r"<code>\1</code>", str(escape(words))))


def to(path: str) -> Response:
    """Return a redirection after a form was submitted."""
    return RedirectResponse(path, 303)


def build(server: Server, access: Access) -> Callable[..., Any]:
    """Return the application of a server, protected by its guard."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        warming = asyncio.create_task(_import_late())
        try:
            yield
        finally:
            warming.cancel()
            await server.close()

    def route(path: str, step: Any, name: str, *methods: str) -> Route:
        async def answer(request: Request) -> Response:
            handler: Callable[[Server, Request], Awaitable[Response]] = getattr(step, name)
            return await handler(server, request)

        return Route(path, answer, methods=list(methods) or ["GET"])

    one, each = "/projects/{project}", "/projects/{project}/runs/{run}"
    routes = [
        route("/", start, "show"),
        route("/open", start, "open_named", "POST"),
        route("/upload", start, "upload", "POST"),
        route("/practice", start, "practise", "POST"),
        route(one + "/remove", start, "remove", "POST"),
        route(one + "/data", data, "show"),
        route(one + "/reading", data, "read_again", "POST"),
        route(one + "/roles", roles, "show"),
        route(one + "/roles", roles, "decide", "POST"),
        route(one + "/count", roles, "count", "POST"),
        route(one + "/protection", protection, "show"),
        route(one + "/runs", protection, "start_runs", "POST"),
        route(one + "/runs", result, "show_all"),
        route(one + "/events", result, "events"),
        route(each, result, "show"),
        route(each + "/events", result, "events_of_run"),
        route(each + "/cancel", result, "cancel", "POST"),
        route(each + "/remove", result, "remove", "POST"),
        route(each + "/files/{what}", result, "download"),
        Mount("/static", StaticFiles(directory=str(files("microagg.server") / "static"))),
    ]
    handlers: Mapping[Any, Any] = dict.fromkeys(
        (HTTPException, MicroaggError, Exception), server.refuse
    )
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=dict(handlers))
    return Guard(app, access)


async def _import_late() -> None:
    """Import the pages that were not needed for the first one."""
    await asyncio.sleep(1)
    for step in LATE:
        await asyncio.to_thread(import_module, f"microagg.server.steps.{step}")
