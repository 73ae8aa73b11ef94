"""The second step: the role and kind of each column, and the records that the choice singles out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from microagg.errors import MicroaggError
from microagg.schema import KINDS
from microagg.server.app import Server, to
from microagg.server.profile import categories_of
from microagg.server.project import ROLES, ColumnChoice, Project
from microagg.server.speech import PAGE

MEANINGS = {
    "identifier": "identifies a person by itself; removed",
    "quasi-identifier": "others could know it; replaced",
    "confidential": "the subject of the data; released unchanged",
    "other": "released unchanged",
}
"""The treatment of the columns of each role."""

MOST_FIELDS = 20_000


async def show(server: Server, request: Request) -> Response:
    """Show the roles."""
    project = server.project(request)
    if not project.is_read:
        return to(f"/projects/{project.id}/data")
    return server.page("roles.html", **await run_in_threadpool(_values, project, ""))


async def decide(server: Server, request: Request) -> Response:
    """Take the user's decisions, and go on."""
    project = server.project(request)
    try:
        await _take(request, project)
        _ = project.schema
    except MicroaggError as problem:
        problem.speech = PAGE
        values = await run_in_threadpool(_values, project, str(problem))
        return server.page("roles.html", 400, **values)
    return to(f"/projects/{project.id}/protection")


async def count(server: Server, request: Request) -> Response:
    """Count what the chosen roles single out."""
    project = server.project(request)
    await _take(request, project)
    return server.page("counted.html", **await run_in_threadpool(_counted, project))


async def _take(request: Request, project: Project) -> None:
    async with request.form(max_files=0, max_fields=MOST_FIELDS) as form:
        project.decide(_decisions(project, form))


def _decisions(project: Project, sent: FormData) -> dict[str, ColumnChoice]:
    """Return the submitted decisions about each column, by the number of the column."""
    return {
        column.name: replace(
            column,
            role=str(sent.get(f"role-{number}", column.role)),
            kind=str(sent.get(f"kind-{number}", column.kind)),
            order=tuple(
                line.strip()
                for line in str(sent.get(f"order-{number}", "")).splitlines()
                if line.strip()
            ),
        )
        for number, column in enumerate(project.columns)
    }


def _values(project: Project, error: str) -> dict[str, Any]:
    rows = [
        {
            "choice": column,
            "profile": profile,
            "order": "\n".join(column.order or categories_of(project.table, column.name))
            if profile.type == "text"
            else "",
        }
        for column, profile in zip(project.columns, project.profile(), strict=True)
    ]
    return {
        "step": "roles",
        "rows": rows,
        "roles": MEANINGS,
        "kinds": KINDS,
        "error": error,
        **_counted(project),
    }


def _counted(project: Project) -> dict[str, Any]:
    """Return the number of records that the chosen roles single out before protection."""
    k = entered_k(project)
    return {
        "project": project,
        "counted": project.count(k),
        "k": k,
        "by_role": {role: len(project.having(role)) for role in ROLES},
    }


def entered_k(project: Project) -> int:
    """Return the k that was entered last, or the default of the form."""
    text = project.options.get("k", ["5"])[0]
    return int(text) if text.isdecimal() and int(text) >= 2 else 5
