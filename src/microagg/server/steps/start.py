"""The first page: the file of the command line, an upload, or a practice data set."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from microagg.errors import MicroaggError
from microagg.lazy import lazy
from microagg.server import practice, uploads
from microagg.server.app import Server, to
from microagg.server.workspace import Upload

data = lazy("microagg.server.steps.data")
projects = lazy("microagg.server.project")


async def show(server: Server, request: Request) -> Response:
    """Show the first page; at first go on to the file that was named, or to a practice data set."""
    if not server.opened:
        server.opened = True
        if server.config.file is not None:
            return await open_named(server, request)
        if server.config.demo:
            return await _practise(server, practice.TOWN)
    return _page(server)


def _page(server: Server, error: str = "", status: int = 200) -> Response:
    config = server.config
    return server.page(
        "start.html",
        status,
        projects=list(server.projects.values()),
        practice=[] if config.read_only else practice.available(),
        named=None if config.file is None else config.file.name,
        read_only=config.read_only,
        limit=config.max_upload,
        limit_words=uploads.in_words(config.max_upload),
        error=error,
    )


async def open_named(server: Server, request: Request) -> Response:
    """Open the file named on the command line."""
    if server.config.file is None:
        raise HTTPException(404)
    return await _open(server, Upload(server.config.file.resolve(), server.config.file.name))


async def upload(server: Server, request: Request) -> Response:
    """Receive a file."""
    if server.config.read_only:
        raise HTTPException(403, "This server does not accept uploads.")
    try:
        received = await uploads.receive(request, server.workspace, server.config.max_upload)
    except uploads.TooLarge as error:
        return _page(server, str(error), 413)
    except uploads.NoUpload as error:
        return _page(server, str(error), 400)
    return await _open(server, received)


async def practise(server: Server, request: Request) -> Response:
    """Open a practice data set."""
    async with request.form(max_files=0, max_fields=5) as form:
        name = str(form.get("name", ""))
    offered = () if server.config.read_only else practice.available()
    if name not in {each.name for each in offered}:
        raise HTTPException(404, "There is no such data set.")
    return await _practise(server, name)


async def _practise(server: Server, name: str) -> Response:
    path = server.workspace.new_folder() / f"{name}.csv"
    await run_in_threadpool(practice.write, name, path)
    return await _open(server, Upload(path, path.name))


async def _open(server: Server, file: Upload) -> Response:
    """Make a project of a file, and read it."""
    project = projects.Project(file.path, file.name)
    server.projects[project.id] = project
    try:
        await run_in_threadpool(project.read, project.reading)
    except MicroaggError as error:
        return data.unread(server, project, error, {})  # type: ignore[no-any-return]
    return to(f"/projects/{project.id}/data")


async def remove(server: Server, request: Request) -> Response:
    """Delete a file with all its runs."""
    project = server.project(request)
    del server.projects[project.id]  # first, because other requests are answered meanwhile
    for id in project.runs:
        await server.runs.remove(id, server.workspace)
    server.workspace.discard(project.path.parent)
    return to("/")
