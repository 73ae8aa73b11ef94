"""`microagg select`: the columns to group on, and the dependence tree that explains them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from microagg.cli import options
from microagg.cli.console import afterwards, answer, say
from microagg.cli.parameters import Flag
from microagg.cli.tables import require_input
from microagg.data.source import read_source
from microagg.declare import options_of, parsed
from microagg.errors import DataError, Phrase, quoted_name
from microagg.reading import Reading
from microagg.select import MEASURES, Selection, select_columns
from microagg.settings import Settings
from microagg.values import listed

if TYPE_CHECKING:
    import pyarrow as pa


QuasiIdentifiers = Annotated[
    list[str] | None,
    options.flag(
        options_of(Settings)["quasi_identifiers"],
        "The columns to choose from; by default, all that contain numbers.",
    ),
]
Measure = Annotated[
    str, Flag(help="The measure of dependence between two columns: emi, chi2 or normal.")
]
Width = Annotated[
    float | None,
    Flag(help="The width of the intervals of every column; equal counts by default."),
]
Most = Annotated[
    int | None,
    Flag(
        "-m",
        "--most",
        help="The number of columns to select; by default 3, or all if there are fewer.",
    ),
]
Picture = Annotated[
    Path | None, Flag(help="Save a picture of the tree to this file, such as tree.svg or tree.png.")
]


@options.with_flags(None, without=["blank"])
def command(
    file: options.Input,
    *,
    quasi_identifiers: QuasiIdentifiers = None,
    measure: Measure = "emi",
    width: Width = None,
    m: Most = None,
    picture: Picture = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **texts: Any,
) -> None:
    """Select the columns to group on: those with the most edges in a dependence tree (EMAD).

    Pass them to `microagg protect FILE --columns`, which still replaces all quasi-identifiers.
    """
    require_input(file, [] if picture is None else [picture], overwrite=overwrite)
    source = read_source(file, **Reading.create("select", **parsed(Reading, texts)).form())
    if quasi_identifiers:
        among = listed(quasi_identifiers, source.table.column_names)
        table = source.typed_by_role(among, declared=among)
    else:
        table = source.parsed()
        among = _of_numbers(table)
    result = select_columns(table, quasi_identifiers=among, m=m, measure=measure, width=width)
    if picture is not None:
        result.save_picture(picture, overwrite=overwrite)
    with afterwards():
        if json:
            answer(_facts(result))
        else:
            sys.stdout.write(_words(result))
        if not quiet:
            _tell(result, set(table.column_names) - set(among), picture)


def _of_numbers(table: pa.Table) -> list[str]:
    import pyarrow.types as types

    result = [
        field.name
        for field in table.schema
        if types.is_integer(field.type) or types.is_floating(field.type)
    ]
    if not result:
        raise DataError(
            "The file has no column of numbers.",
            hint=Phrase(
                "Set {quasi_identifiers}, or {decimal}.", quasi_identifiers=..., decimal=...
            ),
        )
    return result


def _words(result: Selection) -> str:
    return f"{result.text()}\n{','.join(map(quoted_name, result.columns))}\n"


def _tell(result: Selection, left_out: set[str], picture: Path | None) -> None:
    title = f"A tree by {MEASURES[result.measure]}; the weight of each edge is on the right."
    say(f"{title} The columns with a star have the most edges; pass them to --columns.")
    others = [name for name in result.tied if name not in result.columns]
    if others:
        say(f"Tied with the last of them: {', '.join(others)}.")
    if left_out:
        say(
            f"Left out, because they are not numeric or were not named: {', '.join(sorted(left_out))}."
        )
    if picture is not None:
        say(f"picture     {picture}")


def _facts(result: Selection) -> dict[str, object]:
    return {
        "columns": result.columns,
        "tied": result.tied,
        "tree": [{"between": edge[:2], "weight": edge[2]} for edge in result.tree],
        "edges": result.edges,
        "measure": result.measure,
        "width": result.width,
        "names": result.names,
        "weights": result.weights,
    }
