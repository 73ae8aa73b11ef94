"""`microagg protect --memory`: files larger than memory, read piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.cli import console, options
from microagg.cli.columns import roles_of
from microagg.cli.console import answer, say
from microagg.cli.protect import required_k
from microagg.cli.tables import text_form
from microagg.constraints import IsInteger
from microagg.errors import ParameterError

TAKEN = {
    *("file", "k", "qi", "id", "confidential", "schema", "output", "method", "settings", "scale"),
    *("kinds", "order", "seed", "separator", "encoding", "decimal", "numeric_names", "overwrite"),
    *("memory", "quiet", "json"),
}
"""The options of `microagg protect` that a file of any size can have."""


def protect_large(given: Mapping[str, Any]) -> None:
    """Protect a file piece by piece; `given` are the options of `microagg protect` by name."""
    from microagg.data.streams import Stream
    from microagg.large.job import WORK
    from microagg.large.protect_file import protect_file

    _refuse(given)
    form = text_form(
        *(given[name] for name in ("separator", "encoding", "decimal", "numeric_names"))
    )
    roles = roles_of(given, Stream(given["file"], **form).names)
    own = ("method", "scale", "seed", "memory", "overwrite")
    arguments = {name: given[name] for name in own if given[name] is not None}
    arguments |= {"schema": roles, **form, **_settings(given["settings"])}
    file, output = given["file"], given["output"]
    try:
        with console.progress(not given["quiet"]) as progress:
            release = protect_file(file, output, given["k"], progress=progress, **arguments)
    except KeyboardInterrupt:
        say(
            f"What is done is kept in '{output / WORK}', records as they are among it. Start again with "
            "the same options to go on."
        )
        raise
    with console.afterwards():
        files = {what: str(path) for what, path in release.paths.items()}
        if given["json"]:
            answer({**release.provenance, "files": files})
        elif not given["quiet"]:
            say(release.summary())
            for what, path in files.items():
                say(f"{what:<11} {path}")


def _refuse(given: Mapping[str, Any]) -> None:
    """Raise for options that need the whole table, and for those that are missing."""
    for name, value in given.items():
        if name not in TAKEN and value not in (None, False):
            raise ParameterError(
                f"The '--{name.replace('_', '-')}' option cannot be used with '--memory': the file is "
                "read piece by piece.",
                hint="Leave one of them out.",
            )
    if given["output"] is None:
        raise ParameterError(
            "The '--memory' option needs '--output': the folder of the release.",
            hint="Give -o release, say.",
        )
    required_k(given)


def _settings(settings: list[str] | None) -> dict[str, Any]:
    """Turn ``--set block_size=20000`` into the one parameter that there is."""
    found = options.settings_of(settings)
    for name in found:
        if name != "block_size":
            raise ParameterError(
                "cannot be set with '--memory'. It takes: block_size.",
                parameter=name,
                hint="Leave it out.",
            )
    return {name: options.parsed(IsInteger(), text) for name, text in found.items()}
