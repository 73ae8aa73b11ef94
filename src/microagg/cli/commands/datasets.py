"""`microagg datasets`: list the data sets that can be loaded by name, or write one to a file."""

from __future__ import annotations

import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from microagg.cli import options
from microagg.cli.console import afterwards, answer, say
from microagg.cli.parameters import Flag, Positional
from microagg.data.atomic import refuse_overwrite
from microagg.data.datasets import available, load
from microagg.data.files import write_file
from microagg.errors import ParameterError


def command(
    name: Annotated[
        str | None, Positional(metavar="NAME", help="The data set to write to a file.")
    ] = None,
    output: Annotated[
        Path | None,
        Flag("--output", "-o", help="The output file; NAME.csv by default."),
    ] = None,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
) -> None:
    """List the data sets that can be loaded by name, or write one of them to a file."""
    if name is None:
        if output is not None:
            raise ParameterError(
                "The '--output' option needs the name of a data set.",
                hint="`microagg datasets` lists the names.",
            )
        _list(json)
        return
    target = output or Path(f"{name}.csv")
    refuse_overwrite([target], overwrite)
    dataset = load(name)
    write_file(dataset.frame, target, overwrite=overwrite)
    with afterwards():
        say(f"{dataset.frame.num_rows:,} records written to {target}.")
        say(f"Columns used as quasi-identifiers: {','.join(dataset.columns)}")
        if json:
            numbers = {"rows": dataset.frame.num_rows, "quasi_identifiers": list(dataset.columns)}
            answer({"name": dataset.name, "file": str(target), **numbers})


def _list(json: bool) -> None:
    datasets = available()
    if json:
        answer([asdict(info) for info in datasets])
        return
    for info in datasets:
        columns = f"{info.rows:,} x {info.columns}"
        where = _where(info.where)
        sys.stdout.write(f"{info.name:<11} {columns:<13} {where:<23} {info.description}\n")


def _where(where: str) -> str:
    """Return where a data set comes from, and what must be installed to load it."""
    missing = where == "download" and find_spec("rdata") is None
    return "download (needs rdata)" if missing else where
