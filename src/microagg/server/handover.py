"""The command, the script and the notebook that reproduce a run.

The page itself runs the command, so both produce the same bytes.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

from microagg.declare import options_of
from microagg.mask.registry import is_private
from microagg.reading import Reading
from microagg.schema import Schema
from microagg.server.form import offered
from microagg.server.project import Texts

SCHEMA = "schema.toml"
FILES = {
    "groups": "release.groups.csv",
    "provenance": "release.provenance.json",
    "report": "report.html",
    "external_report": "external.html",
}
"""The files that are written with the release, by the names of `Release.write`."""

PRIVATE = ("--report-data", "report.json")
"""The file that the page needs and the offered command does not write."""


def arguments_of(file: str, release: str, texts: Texts, reading: Reading) -> list[str]:
    """Return the arguments of `microagg` that protect a file according to the texts."""
    arguments = ["protect", file, "--schema", SCHEMA]
    for name, option in offered().items():
        for text in texts.get(name, []):
            flag = option.form.text_type is bool
            arguments += [option.flags[0]] if flag else _assigned(option.flags[0], text)
    arguments += _reading_flags(reading)
    arguments += ["--output", release]
    files = files_of(texts.get("method", ["auto"])[0])
    for name in ("report", "external_report"):
        arguments += [f"--{name.replace('_', '-')}", files[name]] if name in files else []
    return arguments


def files_of(method: str) -> dict[str, str]:
    """Return the files of the release of a method; some releases have no external report."""
    without = {"external_report"} if is_private(method) else set()
    return {name: file for name, file in FILES.items() if name not in without}


def _assigned(flag: str, text: str) -> list[str]:
    """Return a flag and its value, as one word if the value begins with a hyphen."""
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]


def _reading_flags(reading: Reading) -> list[str]:
    """Return the flags that read a text file as on the page."""
    flags: list[str] = []
    for name, option in options_of(Reading).items():
        value = getattr(reading, name)
        if value is True:
            flags.append(option.flags[0])
        elif isinstance(value, tuple):
            flags += [part for text in value for part in _assigned(option.flags[0], text)]
        elif value not in (None, False):
            flags += _assigned(option.flags[0], str(value))
    return flags


def command(arguments: Sequence[str]) -> str:
    r"""Return a shell command, with one line per option.

    Examples
    --------
    >>> print(command(["protect", "a b.csv", "-k", "5", "--output", "release.csv"]), end="")
    microagg protect 'a b.csv' \
        -k 5 \
        --output release.csv
    """
    lines = [["microagg", *arguments[:2]]]
    for word in arguments[2:]:
        if word.startswith("-"):
            lines.append([word])
        else:
            lines[-1].append(word)
    return " \\\n    ".join(shlex.join(line) for line in lines) + "\n"


def cells(
    file: str,
    release: str,
    values: Mapping[str, Any],
    reading: Reading,
    schema: Schema,
) -> list[str]:
    """Return the Python code that reproduces a run with this schema, in cells."""
    files = files_of(str(values.get("method", "auto")))
    form = "".join(f", {name}={value!r}" for name, value in reading.form().items())
    blank = f", blanks={list(reading.blank)!r}" if reading.blank else ""
    categories, declared = schema.categories, [*schema.kinds, *values.get("date_format", ())]
    categorical = f", categories={categories!r}" if categories else ""
    categorical += f", declared={declared!r}" if declared else ""
    options = {name: value for name, value in values.items() if name != "target"}
    target = f",\n    target={values['target']!r}" if "target" in values else ""
    about = f", {tuple(reading.blank)!r}" if reading.blank else ""
    return [
        "import microagg as ma",
        f"source = ma.read_source({file!r}{form})\n"
        f"schema = ma.Schema.from_toml({SCHEMA!r})\n"
        f"table = source.typed_by_role(schema.quasi_identifiers{categorical}{blank})",
        f"options = {pformat(options, sort_dicts=False)}\n"
        "release = ma.protect(table, schema=schema, **options)\n"
        f"release = release.with_source(source{about})\n"
        "print(release.summary())",
        f"files = {pformat({'data': release, **files}, sort_dicts=False)}\n"
        f"release.write(\n    files,\n    like=source.dialect{target},\n)",
    ]


def _beside(file: str) -> str:
    return f"Put this file next to {file!r} and {SCHEMA!r}."


def script(file: str, code: Sequence[str]) -> str:
    """Return the code as a Python script."""
    words = f"Repeats a release that was made with `microagg serve`.\n\n{_beside(file)}\n"
    comment = "".join(f"# {line}".rstrip() + "\n" for line in words.splitlines())
    return comment + "\n" + "\n\n".join(code) + "\n"


def notebook(file: str, code: Sequence[str]) -> str:
    """Return the code as a Jupyter notebook."""
    words = (  # names as code: as Markdown, the name of a file could be an image to fetch
        "# Repeat a release\n\nIt was made with `microagg serve`. Put this file next to:\n\n"
        f"    {file!r}\n    {SCHEMA!r}\n"
    )
    cells = [_cell(0, "markdown", words)]
    cells += [_cell(number, "code", text) for number, text in enumerate(code, start=1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}
