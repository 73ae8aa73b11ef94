"""`microagg protect --memory`: files larger than memory, read piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from microagg.cli import console
from microagg.cli.columns import refuse_elsewhere, require_k, values_of
from microagg.cli.console import answer, say
from microagg.data.streams import Stream
from microagg.declare import parsed
from microagg.errors import ParameterError, Phrase
from microagg.large.job import WORK
from microagg.large.protect_file import protect_file
from microagg.reading import Reading


def protect_large(
    texts: Mapping[str, Any],
    *,
    file: Path,
    schema: Path | None,
    output: Path | None,
    memory: str,
    overwrite: bool,
    quiet: bool,
    json: bool,
    refused: Mapping[str, Any],
) -> None:
    """Protect a file piece by piece; `refused` are options that need the whole table."""
    _refuse(texts, refused)
    if output is None:
        raise ParameterError(
            Phrase("needs {output}: the folder of the release.", output=...),
            parameter="memory",
            hint=Phrase("Give {output}, say.", output="release"),
        )
    require_k(texts)
    form = parsed(Reading, texts)
    values = values_of(texts, schema, Stream(file, **form).names, "blocks")
    try:
        with console.progress(not quiet) as progress:
            release = protect_file(
                file,
                output,
                memory=memory,
                overwrite=overwrite,
                progress=progress,
                **values,
                **form,
            )
    except KeyboardInterrupt:
        say(
            f"What is done is kept in '{output / WORK}', records as they are among it. Start again with "
            "the same options to go on."
        )
        raise
    with console.afterwards():
        files = {what: str(path) for what, path in release.paths.items()}
        if json:
            answer({**release.provenance, "files": files})
        elif not quiet:
            say(release.summary())
            for what, path in files.items():
                say(f"{what:<11} {path}")


def _refuse(texts: Mapping[str, Any], refused: Mapping[str, Any]) -> None:
    """Raise for options that need the whole table."""
    problem = Phrase("cannot be used with {memory}: the file is read piece by piece.", memory=...)
    refuse_elsewhere(texts, "large", problem)
    for name, value in {**refused, "blank": texts.get("blank")}.items():
        if value:
            raise ParameterError(problem, parameter=name, hint="Leave one of them out.")
