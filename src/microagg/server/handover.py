"""What the page hands over: the command, the script and the notebook that repeat a run.

The page itself runs the command, so the command and the page give the same bytes.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

from microagg.declare import options_of
from microagg.reading import Reading
from microagg.server.form import offered

RELEASE = "release"
"""The name of the release, before its suffix."""


def arguments_of(file: str, suffix: str, values: Mapping[str, str], reading: Reading) -> list[str]:
    """Return the arguments of `microagg` that protect a file as the page's texts say."""
    arguments = ["protect", file, "--schema", "schema.toml"]
    for name, option in offered().items():
        text = values.get(name, "").strip()
        if text:
            flag = option.form.text_type is bool
            arguments += [option.flags[-1]] if flag else [option.flags[-1], text]
    arguments += _reading_flags(reading)
    arguments += ["--output", f"{RELEASE}{suffix}", "--report", "report.html"]
    return [*arguments, "--external-report", "external.html"]


def _reading_flags(reading: Reading) -> list[str]:
    """Return the flags for reading a text file as it was read on the page."""
    flags: list[str] = []
    for name, option in options_of(Reading).items():
        value = getattr(reading, name)
        if value is True:
            flags.append(option.flags[-1])
        elif isinstance(value, tuple):
            flags += [part for text in value for part in (option.flags[-1], text)]
        elif value not in (None, False):
            flags += [option.flags[-1], str(value)]
    return flags


def command(arguments: Sequence[str]) -> str:
    """Return a command for a shell, a line for each option."""
    words = ["microagg", *map(shlex.quote, arguments)]
    lines = [" ".join(words[:3])]
    for word in words[3:]:
        if word.startswith("-"):
            lines.append(f"    {word}")
        else:
            lines[-1] += f" {word}"
    return " \\\n".join(lines) + "\n"


def cells(
    file: str,
    suffix: str,
    values: Mapping[str, Any],
    reading: Reading,
    categories: Sequence[str] = (),
) -> list[str]:
    """Return the Python code that repeats a run, in cells.

    `categories` are the quasi-identifiers whose numbers are names.
    """
    form = "".join(f", {name}={value!r}" for name, value in reading.form().items())
    blank = f", blanks={list(reading.blank)!r}" if reading.blank else ""
    named = f", categories={list(categories)!r}" if categories else ""
    return [
        "import microagg as ma",
        f"source = ma.read_source({file!r}{form})\n"
        'schema = ma.Schema.from_toml("schema.toml")\n'
        f"table = source.typed_by_role(schema.quasi_identifiers{named}{blank})",
        f"options = {pformat(dict(values), sort_dicts=False)}\n"
        "release = ma.protect(table, schema=schema, **options)\n"
        "print(release.summary())",
        f'release.write(\n    {{"data": "{RELEASE}{suffix}", "report": "report.html"}}, '
        "like=source.dialect\n)",
    ]


def script(code: Sequence[str]) -> str:
    """Return the code as a Python script."""
    return (
        '"""Repeats a release that was made with `microagg serve`."""\n\n'
        + "\n\n".join(code)
        + "\n"
    )


def notebook(code: Sequence[str]) -> str:
    """Return the code as a Jupyter notebook."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": text.splitlines(keepends=True),
        }
        for number, text in enumerate(code)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": made,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
