"""The third step: the options, with error messages at their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from microagg.data.frames import Frame
from microagg.errors import MicroaggError
from microagg.mask.registry import check_parameters, maskings, named
from microagg.partition.constrain.limits import Limits
from microagg.partition.registry import FAMILIES, methods
from microagg.partition.search.auto.auto import Effort
from microagg.pipeline.prepare import prepare_for_grouping
from microagg.pipeline.read import read_records
from microagg.server import form, results
from microagg.server.app import Server, to
from microagg.server.project import Project, Texts
from microagg.server.speech import PAGE
from microagg.settings import Settings

TRY_K = (3, 5, 10)
"""The group sizes that are tried with one click."""

EFFORTS = get_args(Effort)
EFFORT = "effort="
"""The prefix of the effort among the parameters of the method auto."""

FAMILY_TITLES = {
    "fixed": "Groups of k",
    "variable": "Groups of k to 2k-1",
    "univariate": "For one column",
    "graph": "By graphs",
    "learning": "By learning",
    "search": "By search",
}


async def show(server: Server, request: Request) -> Response:
    """Show the options; with ?run=, those of a run that failed, and why."""
    project = server.project(request)
    if not project.is_read:
        return to(f"/projects/{project.id}/data")
    id = request.query_params.get("run", "")
    errors: Mapping[str, str] = {}
    if id in project.runs:
        run = server.runs[id]
        project.options = results.texts_of(run)
        errors = _at_field(run.error, run.parameters) if run.error else {}
    return server.page("protection.html", **await run_in_threadpool(_values, project, errors))


async def start_runs(server: Server, request: Request) -> Response:
    """Start a run, or several for different k; or show what is wrong at its field."""
    project = server.project(request)
    async with request.form(max_files=0, max_fields=20_000) as sent:
        of = str(sent.get("of", ""))
        again = of in project.runs
        texts = results.texts_of(server.runs[of]) if again else _texts(sent, project)
        several = list(map(str, TRY_K)) if sent.get("several") else []
    project.options = {**texts}
    entered = [{**texts, "k": [k]} for k in several] or [texts]
    if again:
        entered = [each for each in entered if not results.has_run(server.runs, project, each)]
    errors = await run_in_threadpool(_problems, project, entered)
    if errors:
        return server.page("protection.html", 400, **_values(project, errors))
    started = [
        await results.start(server.runs, server.workspace, project, each) for each in entered
    ]
    last = "" if several else f"/{started[0].id}"
    return to(f"/projects/{project.id}/runs{last}")


def _texts(sent: FormData, project: Project) -> Texts:
    """Return the options of a submitted form; the effort is a parameter of the method auto."""
    texts = form.texts_from({name: list(map(str, sent.getlist(name))) for name in sent}, project)
    effort = str(sent.get("effort", ""))
    if effort in EFFORTS and effort != "normal" and "method" not in texts:
        others = [text for text in texts.get("parameters", []) if not text.startswith(EFFORT)]
        texts["parameters"] = [*others, EFFORT + effort]
    return texts


def _problems(project: Project, entered: list[Texts]) -> dict[str, str]:
    """Return the error messages by option; empty if all options are valid.

    The first stages of `protect`, which need no groups, are run, and their errors are shown immediately.
    """
    names = [column.name for column in project.columns]
    try:
        for texts in entered:
            settings = form.settings_of(texts, project.schema, names)
            _check(project, settings)
    except MicroaggError as error:
        error.speech = PAGE
        return _at_field(str(error), error.about)
    return {}


def _check(project: Project, settings: Settings) -> None:
    """Raise for errors that `protect` finds before it forms groups."""
    check_parameters(named(settings.method), settings.parameters)
    settings.require(Frame(project.table))
    frame = Frame(results.typed(project, settings))
    if not settings.schema.confidential:
        Limits.of(settings).require_columns(())
    prepare_for_grouping(read_records(frame, settings), settings)


def _at_field(words: str, names: tuple[str, ...]) -> dict[str, str]:
    """Return a message by the first field that it concerns, or by an empty name if there is no field."""
    fields = [name for name in names if name in form.offered()]
    return {fields[0] if fields else "": words}


def _values(project: Project, errors: Mapping[str, str]) -> dict[str, Any]:
    texts = {"k": ["5"], **({"missing": ["keep"]} if project.has_blanks() else {})}
    texts = project.options or texts
    parameters = texts.get("parameters", [])
    effort = next((p.removeprefix(EFFORT) for p in parameters if p.startswith(EFFORT)), "normal")
    shown = {**texts, "parameters": [p for p in parameters if not p.startswith(EFFORT)]}
    entries = form.entries(project, shown, errors)
    return {
        "step": "protection",
        "project": project,
        "cards": {title: entries[title] for title in form.CARDS},
        "folded": {title: each for title, each in entries.items() if title not in form.CARDS},
        "error": errors.get("", ""),
        "methods": _methods(),
        "effort": effort,
        "efforts": EFFORTS,
        "try_k": TRY_K,
        "quasi_identifiers": project.having("quasi-identifier"),
        "elsewhere": form.left_to_the_command_line(),
    }


def _methods() -> dict[str, list[dict[str, str]]]:
    """Return the methods and maskings by family, each with a description and its parameters."""
    families: dict[str, list[dict[str, str]]] = {}
    auto = next(each for each in methods() if each.name == "auto")
    families["Recommended"] = [_described(auto)]
    for family in FAMILIES:
        own = [each for each in methods() if each.family == family and each is not auto]
        families[FAMILY_TITLES[family]] = [_described(each) for each in own]
    families["Maskings, without groups of whole records"] = list(map(_described, maskings()))
    return families


def _described(method: Any) -> dict[str, str]:
    """Return the description of a method on the page."""
    takes = ", ".join(f"{name}={value}" for name, value in method.parameters.items())
    summary = f"{method.summary[0].upper()}{method.summary[1:]}."
    return {"name": method.name, "summary": summary, "parameters": takes}
