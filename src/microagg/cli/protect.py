"""`microagg protect`: from a file of records to a checked release."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.cli import console, options
from microagg.cli.columns import (
    OF_PROTECT,
    ROLES,
    arguments_of,
    categories_of,
    ordered_confidential,
    roles_of,
)
from microagg.cli.console import answer, say
from microagg.cli.tables import check_report, names, require_input, require_writable, text_form
from microagg.cli.words import OPTIONS
from microagg.errors import FileError, ParameterError

if TYPE_CHECKING:
    from microagg.release import Release

NAME = "protect"
ON_STOP = "Stopping; the best so far will be written. Press Ctrl-C again to write nothing."


def command(
    file: options.Input,
    k: options.K = None,
    qi: options.Qi = None,
    id: options.Id = None,
    confidential: options.Confidential = None,
    schema: options.SchemaFile = None,
    output: options.Output = None,
    method: options.MethodName = None,
    refine: options.Refine = None,
    columns: options.Columns = None,
    segments: options.Segments = None,
    settings: options.Settings = None,
    scale: options.Scale = None,
    kinds: options.Kinds = None,
    order: options.Orders = None,
    distance: options.Distance = None,
    column_weight: options.ColumnWeights = None,
    hierarchy: options.Hierarchies = None,
    distance_table: options.DistanceTables = None,
    aggregate: options.Aggregate = None,
    integers: options.Integers = None,
    round_to: options.RoundTo = None,
    missing: options.Missing = None,
    blank: options.Blank = None,
    weights: options.Weights = None,
    strata: options.StrataNames = None,
    small_strata: options.SmallStrata = None,
    l_diversity: options.LDiversity = None,
    t_closeness: options.TCloseness = None,
    p_sensitive: options.PSensitive = None,
    seed: options.Seed = None,
    repeat: options.Repeat = None,
    report: options.Report = None,
    face: options.Face = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    numeric_names: options.NumericNames = False,
    memory: options.Memory = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Protect the records of a file and check the release.

    Beside the release come its groups (NAME.groups.csv) and its provenance
    (NAME.provenance.json), which --repeat takes to make the same release again.
    """
    given = dict(locals())
    if memory is not None:
        from microagg.cli.protect_large import protect_large

        protect_large(given)
        return
    from microagg.data.source import read_source
    from microagg.provenance import difference, flat_arguments
    from microagg.report.stopping import not_repeatable
    from microagg.schema import Schema

    paths = _paths(file, output, overwrite=overwrite, json=json)
    if report is not None:
        paths["report"] = report
    check_report([file], report, face, overwrite=overwrite)
    form = text_form(separator, encoding, decimal, numeric_names)
    recorded = _recorded(repeat, given)
    blanks = recorded["input"].get("blank", []) if repeat is not None else list(blank or ())
    form = {**text_form(**recorded["input"].get("read_as", {})), **form}

    source = read_source(file, **form)
    if recorded["input"].get("file_sha256") not in (None, source.sha256):
        raise _other_records(repeat)
    known = source.table.column_names
    if repeat is not None:
        arguments = flat_arguments(recorded)
        if inexact := not_repeatable(recorded.get("result", {})):
            say(f"CAUTION: {inexact}")
    else:
        chosen = required_k({"k": k, "method": method, "refine": names(refine, ()) or None})
        chosen |= arguments_of(given, known)
        chosen |= _columns_and_segments(columns, segments, known)
        named = Schema(**roles_of(given, known)).as_dict()
        arguments = {"schema": named, **chosen, **_parameters(method, settings)}
    roles = arguments["schema"]
    table = source.typed_by_role(
        roles["quasi_identifiers"], categories=categories_of(roles), blanks=blanks
    )
    if source.dialect is not None and repeat is None and "t_closeness" in arguments:
        arguments["schema"] = ordered_confidential(table, roles)
    with console.progress(not quiet, ON_STOP) as progress:
        from microagg.protect import protect

        release = protect(table, progress=progress, **arguments)
    _require_same_records(recorded, release, repeat)
    if repeat is not None and (other := difference(recorded, release.provenance)):
        say(f"CAUTION: {other}")
    read = {"file": file.name, "file_sha256": source.sha256, "read_as": dict(source.read_as)}
    release.provenance["input"].update(read)
    if blanks:
        release.provenance["input"].update(blank=blanks)
    if paths:
        kept = {"original": table, "face": face or "internal"}
        release.write(paths, overwrite=overwrite, like=source.dialect, **kept)
    if output is None:
        _to_stdout(release, source.dialect)
    with console.afterwards():
        _report(release, paths, quiet=quiet, json=json)


def _paths(file: Path, output: Path | None, *, overwrite: bool, json: bool) -> dict[str, Path]:
    """Return where the release and what belongs to it go; nowhere when it goes to stdout."""
    from microagg.data.files import stem_of

    if output is None:
        if json:
            raise ParameterError(
                "The '--json' option needs '--output': the release itself goes to stdout.",
                hint="Give -o release.csv, say.",
            )
        return {}
    if str(output) == "-":
        raise FileError(
            "'-' is not a file.", hint="Leave --output out: the release goes to stdout."
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


def required_k(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given, or raise when k is none of them."""
    if given["k"] is None:
        raise ParameterError("The '-k' option is missing.", hint="Give -k 5, say.")
    return {name: value for name, value in given.items() if value is not None}


def _columns_and_segments(
    columns: list[str] | None, segments: list[str] | None, known: list[str]
) -> dict[str, Any]:
    """Turn ``--columns emad:3`` or ``--segments a,b --segments c,d`` into what `protect` takes."""
    found: dict[str, Any] = {}
    if columns is not None:
        listed = names(columns, known)
        rule = len(listed) == 1 and listed[0] not in known and ":" in listed[0]
        found["columns"] = listed[0] if rule else listed
    if segments is not None:
        counted = len(segments) == 1 and segments[0] not in known and segments[0].isdecimal()
        lists = [names([segment], known) for segment in segments]
        found["segments"] = int(segments[0]) if counted else lists
    return found


def _parameters(method: str | None, settings: list[str] | None) -> dict[str, Any]:
    """Turn ``--set name=value`` into the method's parameters."""
    from microagg.mask.registry import having, named

    found = named(method or "auto")
    given = options.settings_of(settings)
    parameters = {
        name: options.parsed(found.constraints.get(name), text) for name, text in given.items()
    }
    for name in given:
        if name not in found.parameters and (hint := having(name)) is not None:
            takes = ", ".join(found.parameters) or "none"
            raise ParameterError(
                f"{found.name} has no parameter '{name}'. It takes: {takes}.", hint=hint
            )
    found.check(parameters)
    return parameters


_CHOICES = ("k", "method", "refine", "columns", "segments", "settings", "blank", "schema")


def _recorded(path: Path | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a provenance file, once it is clear that nothing contradicts it; else nothing."""
    from microagg.provenance import read
    from microagg.schema import Schema

    if path is None:
        return {"input": {}}
    also = [name for name in (*_CHOICES, *ROLES, *OF_PROTECT) if given[name] is not None]
    if also:
        name = OF_PROTECT.get(also[0], also[0])
        option = "--set" if name == "settings" else OPTIONS.get(name, f"--{name}")
        raise ParameterError(
            f"--repeat takes every choice from the provenance file, but {option} is given too.",
            hint=f"Leave out {option}, or --repeat.",
        )
    recorded = read(path)
    recorded["arguments"]["schema"] = Schema.from_dict(recorded["arguments"]["schema"]).as_dict()
    return recorded


def _require_same_records(recorded: dict[str, Any], release: Release, path: Path | None) -> None:
    """Raise when a repeated release has other quasi-identifiers than the one before.

    A provenance file from Python knows no file, so this is all that can be compared.
    """
    key = "quasi_identifiers_sha256"
    found = release.provenance["input"][key]
    if path is not None and recorded["input"].get(key, found) != found:
        raise _other_records(path)


def _other_records(path: Path | None) -> ParameterError:
    return ParameterError(
        f"The records are not those that '{path}' was made from (their SHA-256 differs).",
        hint="Give the original file.",
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
        answer({**release.provenance, "files": {what: str(path) for what, path in paths.items()}})
    elif not quiet:
        say(release.summary())
        for what, path in paths.items():
            say(f"{what:<11} {path}")
