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
    recorded_roles,
    require_k,
    values_of,
    with_ordered_confidential,
)
from microagg.cli.console import answer, name_files, say
from microagg.cli.repeat import other_records, recorded_release
from microagg.cli.tables import (
    check_report,
    refuse_folders,
    refuse_settings_files,
    require_input,
    require_writable,
)
from microagg.data.files import stem_of
from microagg.data.frames import Frame
from microagg.data.remote import not_too_long
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
    recorded_ending,
    recorded_reading,
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
    if any(value is not None for value in where.values()):
        check_report([], report, audience, overwrite=overwrite)
        where |= {"work": work, "report": report, "external_report": external_report}
        large.protect_large(
            texts,
            file=file,
            schema=schema,
            provenance=provenance,
            repeat=repeat,
            output=output,
            large={**where, "audience": audience},
            overwrite=overwrite,
            quiet=quiet,
            json=json,
            refused={
                "report_data": report_data,
                "target": target,
                "spend_again": spend_again or None,
            },
        )
        return
    if work is not None:
        raise ParameterError(
            Phrase("applies only to large files, which are read with {memory}.", memory=...),
            parameter="work",
            hint="Leave it out.",
        )
    reports = {"report": report, "external_report": external_report, "report_data": report_data}
    refuse_folders(file)
    paths = _paths(file, output, overwrite=overwrite, json=json)
    paths |= _report_paths(file, reports, audience, target, overwrite=overwrite)
    refuse_settings_files(paths.values(), texts, schema)
    # A release that is made again in its place has its provenance written anew.
    others = [path for what, path in paths.items() if what != "provenance"]
    refuse_settings_files(others, {}, provenance, repeat)
    recorded = recorded_release(repeat, {**texts, "schema": schema}, spend_again=spend_again)
    roles, form = recorded_roles(provenance, SCHEMA_OPTIONS, schema=schema, repeat=repeat)
    reading = _reading({**recorded_reading(recorded), **form}, texts)
    source = read_source(file, **reading.form())
    if repeat is None:
        method = named(texts.get("method") or "auto")
        settings = _settings(texts, schema, roles, source, method)
    else:
        method, settings = _repeated(recorded, source, repeat)
    if external_report is not None or audience == "external":
        refuse_external_report(str(settings.method))
    frame, settings = _typed(source, settings, reading, name_amounts=repeat is None)
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
        shown: dict[str, Any] = {"audience": audience or "internal", "target": target}
        with console.progress(not quiet) as progress:
            release.write(
                paths, overwrite=overwrite, like=source.dialect, progress=progress, **shown
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
    """Return the settings of the options, with roles from another release as defaults."""
    require_k(texts)
    values = values_of(texts, schema, source.table.column_names, method)
    return Settings.create("protect", table=Frame(source.table), **{**roles, **values})


def _repeated(
    recorded: dict[str, Any], source: Source, path: Path
) -> tuple[NamedMethod | Masking, Settings]:
    """Return the method and the settings of a recorded release after checking that the file is the same."""
    if recorded["input"].get("file_sha256") not in (None, source.sha256):
        raise other_records(path)
    arguments = flat_arguments(recorded)
    settings = Settings.create("protect", table=Frame(source.table), **arguments)
    if inexact := not_repeatable(recorded_ending(recorded)):
        say(f"CAUTION: {inexact}")
    return named(arguments.get("method", "auto")), settings


def _typed(
    source: Source, settings: Settings, reading: Reading, *, name_amounts: bool
) -> tuple[Frame, Settings]:
    """Return the records with the types that their roles require, and their settings.

    With `name_amounts`, confidential columns of amounts are declared as continuous if limits require it.
    """
    table = source.typed_by_role(
        settings.quasi_identifiers,
        categories=settings.schema.categories,
        declared=settings.declared,
        blanks=reading.blank,
    )
    limited = settings.l_diversity is not None or settings.t_closeness is not None
    if source.dialect is not None and name_amounts and limited:
        settings = with_ordered_confidential(settings, table)
    return Frame(table), settings


def _reading(before: Mapping[str, Any], texts: Mapping[str, Any]) -> Reading:
    """Return how to read the file: as before, unless options specify otherwise."""
    return Reading.create("protect", **{**before, **parsed(Reading, texts)})


def _paths(file: Path, output: Path | None, *, overwrite: bool, json: bool) -> dict[str, Path]:
    """Return the paths of the release and its files; none if the release goes to stdout."""
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
    if not not_too_long(output.parent).is_dir():
        raise FileError(
            f"'{output}' cannot be written: there is no folder '{output.parent}'.",
            hint="Create it first.",
        )
    require_input(file, paths.values(), overwrite=overwrite)
    return paths


def _report_paths(
    file: Path,
    reports: Mapping[str, Path | None],
    audience: str | None,
    target: str | None,
    *,
    overwrite: bool,
) -> dict[str, Path]:
    """Return the paths of the reports, or raise before any work if one cannot be written."""
    for what, path in reports.items():
        chosen = (audience, target) if what == "report" else (None, None)
        is_page = what != "report_data"
        check_report([file], path, *chosen, overwrite=overwrite, is_page=is_page)
    return {what: path for what, path in reports.items() if path is not None}


def _require_same_records(recorded: dict[str, Any], release: Release, path: Path) -> None:
    """Raise if the quasi-identifiers of a repeated release differ from the recorded ones.

    A provenance file from Python records no file, so only the quasi-identifiers can be compared.
    """
    key = "quasi_identifiers_sha256"
    now = release.outcome.source.fingerprint
    if recorded["input"].get(key, now) != now:
        raise other_records(path)


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
