"""`microagg protect`: from a file of records to a checked release."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from json import loads
from pathlib import Path
from typing import Any

from microagg.cli import console, options
from microagg.cli.columns import (
    options_in,
    recorded_roles,
    require_k,
    values_of,
    with_ordered_confidential,
)
from microagg.cli.console import answer, name_files, say
from microagg.cli.tables import check_report, require_input, require_writable
from microagg.data.files import stem_of
from microagg.data.frames import Frame
from microagg.data.source import Source, read_source
from microagg.declare import parsed
from microagg.errors import FileError, ParameterError, Phrase
from microagg.lazy import lazy
from microagg.mask.registry import Masking, named, refuse_external_report
from microagg.partition.names import NamedMethod
from microagg.protect import release_by
from microagg.provenance import (
    difference,
    flat_arguments,
    not_repeatable,
    read,
    recorded_ending,
    recorded_reading,
    refuse_to_spend_again,
)
from microagg.reading import Reading
from microagg.release import Release
from microagg.schema import SCHEMA_OPTIONS
from microagg.settings import Settings

large = lazy("microagg.cli.protect_large")

ON_STOP = "Stopping; the best so far will be written. Press Ctrl-C again to write nothing."


@options.with_flags("memory", without=["index"])  # files are written without one
def command(
    file: options.Input,
    *,
    schema: options.SchemaFile = None,
    provenance: options.RolesFrom = None,
    output: options.Output = None,
    report: options.Report = None,
    audience: options.Audience = None,
    target: options.Target = None,
    external_report: options.ExternalReport = None,
    report_data: options.ReportData = None,
    repeat: options.Repeat = None,
    spend_again: options.SpendAgain = False,
    memory: options.Memory = None,
    workers: options.Workers = None,
    cluster: options.ClusterAddress = None,
    work: options.WorkFolder = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **texts: Any,
) -> None:
    """Protect the records of a file and check the release.

    The groups (NAME.groups.csv) and the provenance (NAME.provenance.json) are written next to the
    release. Use --repeat with the provenance to reproduce the release.
    """
    where: dict[str, Any] = {"memory": memory, "workers": workers, "cluster": cluster}
    if all(value is None for value in where.values()) and work is not None:
        raise ParameterError(
            Phrase("applies only to large files, which are read with {memory}.", memory=...),
            parameter="work",
            hint="Leave it out.",
        )
    if any(value is not None for value in where.values()):
        check_report([], report, audience, overwrite=overwrite)
        where |= {"work": work, "report": report, "external_report": external_report}
        where |= {"audience": audience}
        large.protect_large(
            texts,
            file=file,
            schema=schema,
            provenance=provenance,
            output=output,
            large=where,
            overwrite=overwrite,
            quiet=quiet,
            json=json,
            refused={
                "report_data": report_data,
                "target": target,
                "repeat": repeat,
                "spend_again": spend_again or None,
            },
        )
        return
    paths = _paths(file, output, overwrite=overwrite, json=json)
    if report is not None:
        paths["report"] = report
    check_report([file], report, audience, target, overwrite=overwrite)
    for what, path in (("external_report", external_report), ("report_data", report_data)):
        if path is not None:
            check_report([file], path, None, overwrite=overwrite)
            paths[what] = path
    recorded = _recorded(repeat, {**texts, "schema": schema}, spend_again=spend_again)
    roles, form = recorded_roles(provenance, SCHEMA_OPTIONS, schema=schema, repeat=repeat)
    reading = _reading({**recorded_reading(recorded), **form}, texts)
    source = read_source(file, **reading.form())
    if recorded["input"].get("file_sha256") not in (None, source.sha256):
        raise _other_records(repeat)
    if repeat is None:
        method = named(texts.get("method") or "auto")
        settings = _settings(texts, schema, roles, source, method)
    else:
        arguments = flat_arguments(recorded)
        method = named(arguments.get("method", "auto"))
        settings = Settings.create("protect", table=Frame(source.table), **arguments)
        if inexact := not_repeatable(recorded_ending(recorded)):
            say(f"CAUTION: {inexact}")
    if external_report is not None or audience == "external":
        refuse_external_report(str(settings.method))
    table = source.typed_by_role(
        settings.quasi_identifiers, categories=settings.schema.categories, blanks=reading.blank
    )
    limited = settings.l_diversity is not None or settings.t_closeness is not None
    if source.dialect is not None and repeat is None and limited:
        settings = with_ordered_confidential(settings, table)
    frame = Frame(table)
    if target is not None:
        frame.require([target], "target")
    with console.progress(not quiet, ON_STOP) as progress:
        release = release_by(frame, settings, method, progress)
    if repeat is not None:
        _require_same_records(recorded, release, repeat)
        if other := difference(recorded, release.outcome):
            say(f"CAUTION: {other}")
    release = release.with_source(source, reading.blank)
    if paths:
        shown = audience or "internal"
        with console.progress(not quiet) as progress:
            release.write(
                paths,
                overwrite=overwrite,
                like=source.dialect,
                audience=shown,
                target=target,
                progress=progress,
            )
    if output is None:
        _to_stdout(release, source.dialect)
    with console.afterwards():
        _report(release, paths, quiet=quiet, json=json)


def _settings(
    texts: Mapping[str, Any],
    schema: Path | None,
    roles: Mapping[str, Any],
    source: Source,
    method: NamedMethod | Masking,
) -> Settings:
    """Return the settings that the options make, with the roles of another release beneath."""
    require_k(texts)
    values = values_of(texts, schema, source.table.column_names, method)
    return Settings.create("protect", table=Frame(source.table), **{**roles, **values})


def _reading(before: Mapping[str, Any], texts: Mapping[str, Any]) -> Reading:
    """Return how to read the file: as it was read before, unless options say otherwise."""
    return Reading.create("protect", **{**before, **parsed(Reading, texts)})


def _paths(file: Path, output: Path | None, *, overwrite: bool, json: bool) -> dict[str, Path]:
    """Return where the release and what belongs to it go; nowhere when it goes to stdout."""
    if output is None:
        if "stdout" in console.CLOSED:
            raise FileError(
                "The release goes to stdout, which is closed.",
                hint=Phrase("Use {output}, for example.", output="release.csv"),
            )
        if json:
            raise ParameterError(
                Phrase("needs {output}: the release itself goes to stdout.", output=...),
                parameter="json",
                hint=Phrase("Use {output}, for example.", output="release.csv"),
            )
        return {}
    if str(output) == "-":
        raise FileError(
            "'-' is not a file.",
            hint=Phrase("Leave {output} out: the release goes to stdout.", output=...),
        )
    require_writable(output)
    stem = stem_of(output)
    paths = {
        "data": output,
        "groups": output.with_name(f"{stem}.groups.csv"),
        "provenance": output.with_name(f"{stem}.provenance.json"),
    }
    if not output.parent.is_dir():
        raise FileError(
            f"'{output}' cannot be written: there is no folder '{output.parent}'.",
            hint="Create it first.",
        )
    require_input(file, paths.values(), overwrite=overwrite)
    return paths


def _recorded(path: Path | None, texts: Mapping[str, Any], *, spend_again: bool) -> dict[str, Any]:
    """Return a provenance file, which no option may contradict; nothing when none is named."""
    if path is None:
        if spend_again:
            raise ParameterError(
                "applies only with --repeat.", parameter="spend_again", hint="Leave it out."
            )
        return {"input": {}}
    also = [*options_in(texts), *(name for name in ("schema", "blank") if texts.get(name))]
    if also:
        raise ParameterError(
            Phrase(
                f"takes every option from the provenance file, but {{{also[0]}}} is also set.",
                **{also[0]: ...},
            ),
            parameter="repeat",
            hint="Leave one of them out.",
        )
    recorded = read(path)
    refuse_to_spend_again(recorded, allowed=spend_again)
    return recorded


def _require_same_records(recorded: dict[str, Any], release: Release, path: Path) -> None:
    """Raise when a repeated release has other quasi-identifiers than the one before.

    A provenance file from Python knows no file, so this is all that can be compared.
    """
    key = "quasi_identifiers_sha256"
    now = release.outcome.source.fingerprint
    if recorded["input"].get(key, now) != now:
        raise _other_records(path)


def _other_records(path: Path | None) -> ParameterError:
    return ParameterError(
        f"The records are not those that '{path}' was made from (their SHA-256 differs).",
        hint="Use the original file.",
    )


def _to_stdout(release: Release, dialect: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        release.write({"data": path}, like=dialect)
        with path.open("rb") as stream:
            shutil.copyfileobj(stream, sys.stdout.buffer)
        sys.stdout.flush()


def _report(release: Release, paths: dict[str, Path], *, quiet: bool, json: bool) -> None:
    if json and paths:
        recorded = loads(paths["provenance"].read_text(encoding="utf-8"))
        answer({**recorded, "files": {what: str(path) for what, path in paths.items()}})
    elif not quiet:
        say(release.summary())
        name_files(paths)
