"""`microagg select`: which columns to group on, and the tree that says why."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from microagg.cli import options
from microagg.cli.console import afterwards, answer, say
from microagg.cli.tables import names, require_input, text_form
from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from microagg.select import Selection

NAME = "select"

Among = Annotated[
    list[str] | None, Option("--qi", help="The columns to choose from. Default: all of numbers.")
]
Measure = Annotated[
    str, Option(help="How much two columns say about each other: emi, chi2 or normal.")
]
Width = Annotated[
    float | None,
    Option(help="The width of the intervals of every column; of equal counts when not given."),
]
Most = Annotated[
    int | None,
    Option("-m", "--most", help="How many columns to choose. Default: 3, or all if fewer."),
]
Picture = Annotated[Path | None, Option(help="Draw the tree here: tree.svg, or tree.png.")]


def command(
    file: options.Input,
    qi: Among = None,
    measure: Measure = "emi",
    width: Width = None,
    most: Most = None,
    picture: Picture = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    numeric_names: options.NumericNames = False,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Find the columns to group on: the most connected ones of a dependence tree (EMAD).

    Give them to `microagg protect FILE --columns`, which replaces all quasi-identifiers.
    """
    from microagg.data.source import read_source
    from microagg.select import select_columns

    require_input(file, [] if picture is None else [picture], overwrite=overwrite)
    form = text_form(separator, encoding, decimal, numeric_names)
    source = read_source(file, **form)
    if qi:
        among = names(qi, source.table.column_names)
        table = source.typed_by_role(among)
    else:
        table = source.parsed()
        among = _of_numbers(table)
    found = select_columns(table, quasi_identifiers=among, m=most, measure=measure, width=width)
    if picture is not None:
        found.save_picture(picture, overwrite=overwrite)
    with afterwards():
        if json:
            answer(_facts(found))
        else:
            sys.stdout.write(_words(found))
        if not quiet:
            _tell(found, set(table.column_names) - set(among), picture)


def _of_numbers(table: pa.Table) -> list[str]:
    import pyarrow.types as types

    found = [
        field.name
        for field in table.schema
        if types.is_integer(field.type) or types.is_floating(field.type)
    ]
    if not found:
        raise DataError("The file has no column of numbers.", hint="Give --qi, or --decimal.")
    return found


def _words(found: Selection) -> str:
    from microagg.errors import quoted_name

    return f"{found.text()}\n{','.join(map(quoted_name, found.columns))}\n"


def _tell(found: Selection, left_out: set[str], picture: Path | None) -> None:
    from microagg.select import MEASURES

    said = f"A tree by {MEASURES[found.measure]}; its weights stand on the right."
    say(f"{said} The columns with a star have the most edges: group on them by --columns.")
    others = [name for name in found.tied if name not in found.columns]
    if others:
        say(f"With as many edges as the last one: {', '.join(others)}.")
    if left_out:
        say(f"Left out, because not of numbers or not named: {', '.join(sorted(left_out))}.")
    if picture is not None:
        say(f"picture     {picture}")


def _facts(found: Selection) -> dict[str, object]:
    return {
        "columns": found.columns,
        "tied": found.tied,
        "tree": [{"between": edge[:2], "weight": edge[2]} for edge in found.tree],
        "edges": found.edges,
        "measure": found.measure,
        "width": found.width,
        "names": found.names,
        "weights": found.weights,
    }
