"""`microagg compare`: methods x k x refinements, measured by loss and risk."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

from microagg.cli import console, options
from microagg.cli.columns import values_of, with_ordered_confidential
from microagg.cli.console import answer, say
from microagg.cli.parameters import Flag
from microagg.cli.tables import (
    check_report,
    is_delimited,
    refuse_settings_files,
    require_writable,
)
from microagg.compare import compare
from microagg.comparison.table import Comparison
from microagg.data.atomic import refuse_overwrite, refuse_same_file
from microagg.data.files import write_file
from microagg.data.source import read_source
from microagg.declare import parsed
from microagg.errors import ParameterError, Phrase
from microagg.mask.registry import named
from microagg.reading import Reading
from microagg.report.comparison import legend
from microagg.report.comparison import table as text_table
from microagg.report.html import write_page
from microagg.report.of_comparison import page_of_comparison
from microagg.schema import SCHEMA_OPTIONS
from microagg.settings import Settings
from microagg.threads import workers

TRIALS = "Trials"

Ks = Annotated[
    str,
    Flag("-k", "--k", help="The minimum group sizes to try, such as 3,5,10.", topic=TRIALS),
]
Methods = Annotated[
    str,
    Flag(help="The methods to try, such as mdav,cbfs-nc.", topic=TRIALS),
]
Refine = Annotated[
    str,
    Flag(
        help="The refinements to try, such as none,decompose; none means no refinement.",
        topic=TRIALS,
    ),
]
Jobs = Annotated[
    int | None,
    Flag(
        help="The number of parallel processes; one per processor by default.",
        topic=TRIALS,
    ),
]
Cache = Annotated[
    Path | None,
    Flag(help="A file that stores finished settings, to resume later.", topic=TRIALS),
]
Loss = Annotated[
    str,
    Flag(
        help="The loss that ranks the settings: il (SSE/SST), or g-il, which covers numbers only.",
        topic=TRIALS,
    ),
]
Table = Annotated[
    Path | None,
    Flag("--output", "-o", help="Write the table to this file.", topic=options.FILES),
]
Page = Annotated[
    Path | None,
    Flag(
        help="Write a report with the risk-utility map to this file.",
        topic=options.FILES,
    ),
]


@options.with_flags(
    "compare",
    without=["identifiers"],
    parameters="A parameter of the methods that have it, such as time_limit=10.",
)
def command(
    file: options.Input,
    *,
    k: Ks = "3,5,10",
    methods: Methods = "auto",
    refine: Refine = "none",
    loss: Loss = "il",
    loss_weight: options.LossWeight = 0.5,
    jobs: Jobs = None,
    cache: Cache = None,
    schema: options.SchemaFile = None,
    output: Table = None,
    report: Page = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **texts: Any,
) -> None:
    """Try methods, group sizes and refinements, and report the Pareto-optimal settings."""
    written = [path for path in (output, report) if path is not None]
    if output is not None:
        require_writable(output)
    check_report([file], report, None, overwrite=overwrite)
    for path in written:
        refuse_same_file(file, path)
    refuse_settings_files(written, texts, schema)
    refuse_overwrite(written, overwrite)
    reading = Reading.create("compare", **parsed(Reading, texts))
    source = read_source(file, **reading.form())
    values = values_of(texts, schema, source.table.column_names, *map(named, _listed(methods)))
    settings = Settings.create("compare", k=2, **values)
    delimited = is_delimited(file, reading.blank)
    table = source.typed_by_role(
        settings.quasi_identifiers,
        categories=settings.schema.categories,
        declared=settings.declared,
        blanks=reading.blank,
    )
    if delimited:
        settings = with_ordered_confidential(settings, table)
    roles = {"schema": settings.schema}
    others = {
        name: value for name, value in values.items() if name not in (*SCHEMA_OPTIONS, "schema")
    }
    with console.progress(not quiet) as progress:
        result = compare(
            table,
            [_integer(part) for part in _listed(k)],
            methods=_listed(methods),
            refine=[None if name == "none" else name for name in _listed(refine)],
            loss=loss,
            loss_weight=loss_weight,
            jobs=jobs or workers(),
            cache=cache,
            progress=progress,
            **roles,
            **others,
        )
    _write(result, output, report, file.name, overwrite=overwrite)
    with console.afterwards() if written else nullcontext():
        _tell(result, written, quiet=quiet, json=json)


def _listed(option: str) -> list[str]:
    return [part.strip() for part in option.split(",") if part.strip()]


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParameterError(
            f"must be integers separated by commas. Got {text!r}.",
            parameter="k",
            hint=Phrase("Use {k}, for example.", k=[3, 5, 10]),
        ) from None


def _write(
    result: Comparison, output: Path | None, report: Path | None, file: str, *, overwrite: bool
) -> None:
    if output is not None:
        import pyarrow as pa

        write_file(pa.Table.from_pylist(result.rows()), output, overwrite=overwrite)
    if report is not None:
        write_page(page_of_comparison(result, file), report)


def _tell(result: Comparison, written: list[Path], *, quiet: bool, json: bool) -> None:
    if json:
        best = result.recommended
        facts = {
            "loss_weight": result.loss_weight,
            "loss": result.loss,
            "recommended": None if best is None else best.as_row(),
            "cautions": list(result.cautions),
        }
        answer({"choices": result.rows(), "sentence": result.sentence(), **facts})
        return
    sys.stdout.write(text_table(result))
    if not quiet:
        for caution in result.cautions:
            say(f"CAUTION: {caution}")
        say(legend(result))
        say(result.sentence())
        for path in written:
            say(f"written     {path}")
