"""`microagg compare`: methods x k x refinements, judged by loss and risk."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from microagg.cli import console, options
from microagg.cli.columns import arguments_of, categories_of, ordered_confidential, roles_of
from microagg.cli.console import answer, say
from microagg.cli.tables import require_writable, text_form
from microagg.errors import ParameterError

if TYPE_CHECKING:
    from microagg.compared import Comparison

NAME = "compare"

Ks = Annotated[str, Option("-k", "--k", help="Smallest sizes of groups to try: 3,5,10")]
Methods = Annotated[str, Option(help="Names of `microagg methods` to try: mdav,cbfs-nc")]
Refine = Annotated[str, Option(help="Refinements to try, and none for without: none,decompose")]
Settings = Annotated[
    list[str] | None,
    Option("--set", help="A parameter, name=value, of those methods that have it: time_limit=10"),
]
Jobs = Annotated[int | None, Option(help="Processes at a time. Default: one a processor.")]
Cache = Annotated[
    Path | None, Option(help="Where finished choices are kept, to go on after a stop.")
]
Loss = Annotated[
    str | None,
    Option(help="What stands for the loss: g-il, or il (SSE/SST). Default: il with categories."),
]
Table = Annotated[Path | None, Option("--output", "-o", help="Write the table to a file.")]
Report = Annotated[Path | None, Option(help="Write an HTML page with the risk-utility map.")]


def command(
    file: options.Input,
    qi: options.Qi = None,
    confidential: options.Confidential = None,
    schema: options.SchemaFile = None,
    k: Ks = "3,5,10",
    methods: Methods = "mdav",
    refine: Refine = "none",
    settings: Settings = None,
    kinds: options.Kinds = None,
    order: options.Orders = None,
    scale: options.Scale = None,
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
    loss: Loss = None,
    weight: options.LossWeight = 0.5,
    seed: options.Seed = None,
    jobs: Jobs = None,
    cache: Cache = None,
    output: Table = None,
    report: Report = None,
    overwrite: options.Overwrite = False,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    numeric_names: options.NumericNames = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Try methods, sizes and refinements; say which choices nothing else beats."""
    given = locals()
    from microagg.compare import comparison
    from microagg.data.atomic import refuse_overwrite, refuse_same_file
    from microagg.data.source import read_source
    from microagg.partition.threads import workers

    written = [path for path in (output, report) if path is not None]
    if output is not None:
        require_writable(output)
    for path in written:
        refuse_same_file(file, path)
    refuse_overwrite(written, overwrite)
    form = text_form(separator, encoding, decimal, numeric_names)
    source = read_source(file, **form)
    named = roles_of(given, source.table.column_names)
    if not named["quasi_identifiers"]:
        raise ParameterError(
            "The '--qi' option is missing.", hint="Name the columns to be replaced: --qi age,income"
        )
    table = source.typed_by_role(
        named["quasi_identifiers"], categories=categories_of(named), blanks=blank or []
    )
    if source.dialect is not None:
        named = ordered_confidential(table, named)
    with console.progress(not quiet) as progress:
        found = comparison(
            table,
            [_integer(part) for part in _listed(k)],
            methods=_listed(methods),
            refine=[None if name == "none" else name for name in _listed(refine)],
            parameters=_parameters(_listed(methods), settings),
            loss=loss,
            weight=weight,
            schema=named,
            jobs=jobs or workers(),
            **arguments_of(given, table.column_names),
            cache=cache,
            progress=progress,
        )
    _write(found, output, report, file.name)
    with console.afterwards() if written else nullcontext():
        _tell(found, written, quiet=quiet, json=json)


def _listed(option: str) -> list[str]:
    return [part.strip() for part in option.split(",") if part.strip()]


def _parameters(methods: list[str], settings: list[str] | None) -> dict[str, Any]:
    """Turn ``--set name=value`` into parameters, read as the first method that has one reads it."""
    from microagg.mask.registry import named

    found: dict[str, Any] = {}
    for name, text in options.settings_of(settings).items():
        having = (method for method in map(named, methods) if name in method.constraints)
        method = next(having, None)
        found[name] = text if method is None else options.parsed(method.constraints[name], text)
    return found


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParameterError(
            f"The '-k' option must be integers with commas. Got {text!r}.", hint="Give -k 3,5,10."
        ) from None


def _write(found: Comparison, output: Path | None, report: Path | None, file: str) -> None:
    if output is not None:
        import pyarrow as pa

        from microagg.data.files import write_file

        write_file(pa.Table.from_pylist(list(found.rows)), output)
    if report is not None:
        from microagg.report.comparison import page_of_choices
        from microagg.report.html import write_page

        shown = (found.rows, found.points(), found.sentence())
        page = page_of_choices(*shown, file, found.loss, found.weight)
        write_page(page, report)


def _tell(found: Comparison, written: list[Path], *, quiet: bool, json: bool) -> None:
    from microagg.report.comparison import legend, table

    if json:
        said = {"sentence": found.sentence(), "weight": found.weight, "loss": found.loss}
        answer({"choices": list(found.rows), **said})
        return
    sys.stdout.write(table(found.rows, found.loss))
    if not quiet:
        say(legend(found.rows, found.weight, found.loss))
        say(found.sentence())
        for path in written:
            say(f"written     {path}")
