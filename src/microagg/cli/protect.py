"""`microagg protect`: from a file of records to a checked release."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.cli import console, options
from microagg.cli.console import answer, say
from microagg.cli.tables import check_report, names, require_input, text_form, with_numbers
from microagg.errors import FileError, ParameterError

if TYPE_CHECKING:
    from microagg.release import Release

NAME = "protect"
SNIFFED = {"separator", "encoding", "decimal"}


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
    aggregate: options.Aggregate = None,
    integers: options.Integers = None,
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
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Protect the records of a file and check the release.

    Beside the release come its groups (NAME.groups.csv) and its provenance
    (NAME.provenance.json), which --repeat takes to make the same release again.
    """
    from microagg.data.files import read_file, sha256_of, sniff_dialect
    from microagg.provenance import flat_arguments

    paths = _paths(file, output, overwrite=overwrite, json=json)
    if report is not None:
        paths["report"] = report
    check_report([file], report, face, overwrite=overwrite)
    sha256 = sha256_of(file)
    form = text_form(separator, encoding, decimal, numeric_names)
    steps = names(refine, ()) or None
    plain: dict[str, Any] = {"k": k, "method": method, "refine": steps, "scale": scale}
    plain.update(aggregate=aggregate, integers=integers, seed=seed)
    plain.update(l_diversity=l_diversity, t_closeness=t_closeness, p_sensitive=p_sensitive)
    roles = {"schema": schema, "qi": qi, "id": id, "confidential": confidential}
    also = {"set": settings, "columns": columns, "segments": segments}
    recorded = _recorded(repeat, sha256, {**plain, **roles, **also})
    form = {**text_form(**recorded["input"].get("read_as", {})), **form}

    table = read_file(file, parse=[], **form)
    dialect = sniff_dialect(file, **{name: form[name] for name in form.keys() & SNIFFED})
    if repeat is not None:
        arguments = flat_arguments(recorded)
    else:
        given = {name: value for name, value in plain.items() if value is not None}
        named = _roles(schema, qi, id, confidential, table.column_names)
        given.update(_columns_and_segments(columns, segments, table.column_names))
        arguments = {"schema": named, **_required_k(given), **_parameters(method, settings)}
    if dialect is not None:
        to_average = arguments["schema"]["quasi_identifiers"]
        table = with_numbers(table, to_average, form.get("decimal", "."))
    with console.progress(not quiet) as progress:
        from microagg.protect import protect

        release = protect(table, progress=progress, **arguments)
    _require_same_records(recorded, release, repeat)
    if sha256_of(file) != sha256:
        raise FileError(f"'{file}' changed while it was read.", hint="Try again.")
    release.provenance["input"].update(file=file.name, file_sha256=sha256, read_as=form)
    if paths:
        kept = {"original": table, "face": face or "internal"}
        release.write(paths, overwrite=overwrite, like=dialect, **kept)
    if output is None:
        _to_stdout(release, dialect)
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


def _required_k(given: dict[str, Any]) -> dict[str, Any]:
    if "k" not in given:
        raise ParameterError("The '-k' option is missing.", hint="Give -k 5, say.")
    return given


def _roles(
    schema: Path | None,
    qi: list[str] | None,
    id: list[str] | None,
    confidential: list[str] | None,
    columns: list[str],
) -> dict[str, Any]:
    from microagg.schema import Schema

    if schema is not None and (qi or id or confidential):
        raise ParameterError(
            "Roles are given twice, by --schema and by --qi, --id or --confidential.",
            hint="Put them all in the schema file.",
        )
    if schema is not None:
        return Schema.from_toml(schema).as_dict()
    return Schema(
        names(qi, columns),
        identifiers=names(id, columns),
        confidential=names(confidential, columns),
    ).as_dict()


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
    from microagg.mask.registry import named

    found = named(method or "auto")
    parameters: dict[str, Any] = {}
    for setting in settings or ():
        name, equals, text = setting.partition("=")
        if not equals:
            raise ParameterError(f"The '--set' option must be name=value. Got {setting!r}.")
        constraint = found.constraints.get(name)
        try:
            parameters[name] = text if constraint is None else constraint.parse(text)
        except ValueError:
            parameters[name] = text
    found.check(parameters)
    return parameters


def _recorded(path: Path | None, sha256: str, choices: dict[str, Any]) -> dict[str, Any]:
    """Return a provenance file, once it is clear that it fits the records; else nothing."""
    from microagg.provenance import read
    from microagg.schema import Schema

    if path is None:
        return {"input": {}}
    also = [name.replace("_", "-") for name, value in choices.items() if value is not None]
    if also:
        raise ParameterError(
            f"--repeat takes every choice from the provenance file, but --{also[0]} is given too.",
            hint=f"Leave out --{also[0]}, or --repeat.",
        )
    recorded = read(path)
    if recorded["input"].get("file_sha256") not in (None, sha256):
        raise _other_records(path)
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


def _other_records(path: Path) -> ParameterError:
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
