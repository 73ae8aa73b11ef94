"""`microagg protect --memory`, `--workers` or `--cluster`: files larger than memory, in pieces."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from microagg.cli import console
from microagg.cli.columns import (
    options_in,
    recorded_roles,
    require_k,
    values_of,
)
from microagg.cli.console import answer, name_files, say
from microagg.cli.repeat import other_records, recorded_release
from microagg.data.remote import located
from microagg.declare import options_of, parsed
from microagg.errors import ParameterError, Phrase
from microagg.large.dataset import SourceFiles
from microagg.large.file_release import FileRelease
from microagg.large.job import WORK
from microagg.large.protect_file import protect_file
from microagg.large.refused import reason_for
from microagg.mask.registry import named
from microagg.provenance import difference, flat_arguments, recorded_reading
from microagg.reading import Reading
from microagg.schema import SCHEMA_OPTIONS
from microagg.settings import Settings


def protect_large(
    texts: Mapping[str, Any],
    *,
    file: Path,
    schema: Path | None,
    provenance: Path | None,
    repeat: Path | None,
    output: Path | None,
    large: Mapping[str, Any],
    overwrite: bool,
    quiet: bool,
    json: bool,
    refused: Mapping[str, Any],
) -> None:
    """Protect a file piece by piece; `refused` are options that need the whole table.

    `large` contains --memory, --workers and --cluster, of which at least one is set, --work and the
    reports.
    """
    large = {name: value for name, value in large.items() if value is not None}
    asked = next(name for name in large if name in ("memory", "workers", "cluster"))
    _refuse(texts, refused, asked)
    if output is None:
        raise ParameterError(
            Phrase("needs {output}: the folder of the release.", output=...),
            parameter=asked,
            hint=Phrase("Use {output}, for example.", output="release"),
        )
    recorded = recorded_release(repeat, {**texts, "schema": schema}, spend_again=False)
    roles, form = recorded_roles(provenance, SCHEMA_OPTIONS, schema=schema, repeat=repeat)
    form = {**recorded_reading(recorded), **form, **parsed(Reading, texts)}
    plain = {name: value for name, value in form.items() if name != "blank"}
    data = SourceFiles.listed(located(file), sys.maxsize, plain)
    if repeat is None:
        require_k(texts)
        values = {**roles, **values_of(texts, schema, data.names, named("blocks"))}
    else:
        values = flat_arguments(recorded)
        _refuse(values, {}, asked)
        _require_same_files(recorded, data, repeat)
    try:
        with console.progress(not quiet) as progress:
            release = protect_file(
                file,
                output,
                **large,
                overwrite=overwrite,
                progress=progress,
                **values,
                **form,
            )
    except KeyboardInterrupt:
        say(
            f"Finished work is kept in '{large.get('work', output) / WORK}', which contains original "
            "records. Start again with the same options to continue."
        )
        raise
    for caution in _differences(recorded, release):
        say(f"CAUTION: {caution}")
    with console.afterwards():
        reports = {what: large[what] for what in ("report", "external_report") if what in large}
        files = {what: str(path) for what, path in (*release.paths.items(), *reports.items())}
        if json:
            answer({**release.provenance, "files": files})
        elif not quiet:
            say(release.summary())
            name_files(files)


def _require_same_files(recorded: Mapping[str, Any], data: SourceFiles, path: Path) -> None:
    """Raise if the files are not those from which a recorded release was made."""
    before = recorded["input"].get("file_sha256")
    if before is None:
        raise ParameterError(
            "cannot be used with this provenance file, which contains no SHA-256 of the input: whether the "
            "records are the same could not be checked.",
            parameter="repeat",
            hint=Phrase("Repeat the release without {memory}.", memory=...),
        )
    hashes = map(data.sha256, range(len(data.files)))
    if data.sha256_of_all(list(hashes)) != before:
        raise other_records(path)


def _differences(recorded: Mapping[str, Any], release: FileRelease) -> Iterator[str]:
    """Yield in what a release differs from the one that it repeats."""
    if other := difference(recorded, release.outcome):
        yield other
    elif recorded.get("release", {}).get("sha256") not in (None, release.written.sha256):
        yield (
            "The bytes differ from those of the recorded release. They depend on the memory and on "
            "the versions of the software."
        )


def _refuse(texts: Mapping[str, Any], refused: Mapping[str, Any], asked: str) -> None:
    """Raise for options that require the whole table."""
    whole = [name for name in options_in(texts) if name not in options_of(Settings, "large")]
    for name in (*whole, *(name for name, value in refused.items() if value)):
        why = reason_for(name) or "the file is read piece by piece"
        raise ParameterError(
            Phrase(f"cannot be used with {{{asked}}}: {why}.", **{asked: ...}),
            parameter=name,
            hint="Leave one of them out.",
        )
