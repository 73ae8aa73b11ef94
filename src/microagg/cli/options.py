"""The options of the commands: the declared ones, and a few that only the command line has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

from microagg.cli.parameters import Flag, Positional
from microagg.declare import Option, Place, options_of
from microagg.reading import Reading
from microagg.settings import Settings

FILES = "Files"

Input = Annotated[
    Path,
    Positional(
        metavar="FILE",
        help="The file with the records: CSV, Parquet, Feather, SPSS, Stata or SAS.",
    ),
]
Output = Annotated[
    Path | None,
    Flag("--output", "-o", help="The output file; stdout by default.", topic=FILES),
]
Overwrite = Annotated[bool, Flag("--overwrite", help="Replace existing files.", topic=FILES)]
Quiet = Annotated[bool, Flag("--quiet", "-q", help="Print no summary and no progress bar.")]
Json = Annotated[
    bool, Flag("--json", help="Print the results as JSON on stdout, for other programs.")
]
Report = Annotated[
    Path | None,
    Flag(help="Write a report to this HTML file.", topic=FILES),
]
ExternalReport = Annotated[
    Path | None,
    Flag(
        help="Write the external report, without small cells or single records, to this HTML file.",
        topic=FILES,
    ),
]
ReportData = Annotated[
    Path | None,
    Flag(
        help="Write the content of the internal report to this JSON file, for other programs.",
        topic=FILES,
    ),
]
Audience = Annotated[
    str | None,
    Flag(
        metavar="internal|external",
        help="The audience of the report: internal shows everything; external leaves out small cells.",
        default="internal",
        topic=FILES,
    ),
]
Target = Annotated[
    str | None,
    Flag(
        metavar="COLUMN",
        help="A column that analysts predict: measure how well the release still predicts it.",
        topic=FILES,
    ),
]
SchemaFile = Annotated[
    Path | None,
    Flag(
        help="A TOML file with roles, kinds and orders, instead of the options for them.",
        topic="Roles",
    ),
]
RolesFrom = Annotated[
    Path | None,
    Flag(
        help="The provenance file of an earlier release; its roles and kinds are used.",
        topic="Roles",
    ),
]
LossWeight = Annotated[float, Flag(help="The weight of the loss in the score, from 0 to 1.")]
SpendAgain = Annotated[
    bool,
    Flag(
        "--spend-again",
        help="With --repeat: allow a differentially private release, which spends its epsilon again.",
        topic=FILES,
    ),
]
Repeat = Annotated[
    Path | None,
    Flag(
        help="A provenance file: reproduce that release from the same records.",
        topic=FILES,
    ),
]
Memory = Annotated[
    str | None,
    Flag(
        metavar="SIZE",
        help="Process a large file piece by piece within this memory, such as 2GB; -o is then a folder.",
        topic=FILES,
    ),
]

Workers = Annotated[
    int | None,
    Flag(
        metavar="N",
        help="Protect a large file with N worker processes on this machine.",
        topic=FILES,
    ),
]
WorkFolder = Annotated[
    Path | None,
    Flag(
        "--work",
        metavar="FOLDER",
        help="The folder for unfinished work, if a large release is written to object storage.",
        topic=FILES,
    ),
]
ClusterAddress = Annotated[
    str | None,
    Flag(
        "--cluster",
        metavar="ADDRESS",
        help="Protect a large file on the workers of a Dask scheduler, such as tcp://10.0.0.1:8786.",
        topic=FILES,
    ),
]


def flag(each: Option, help: str | None = None) -> Flag:
    """Return the flags and the help text of a declared option."""
    plain = each.required or each.default is None or each.default is False or each.default == ()
    return Flag(
        *each.flags,
        metavar=each.form.metavar,
        help=help or each.help,
        default=None if plain else str(each.default),
        topic=each.topic,
    )


_READING = options_of(Reading)

Separator = Annotated[str | None, flag(_READING["separator"])]
Encoding = Annotated[str | None, flag(_READING["encoding"])]
Decimal = Annotated[str | None, flag(_READING["decimal"])]
NumericNames = Annotated[bool, flag(_READING["numeric_names"])]


def with_flags(
    place: Place | None,
    *,
    only: Iterable[str] | None = None,
    without: Iterable[str] = (),
    **helps: str,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace ``**texts`` of a command by the options that are declared for a place, and those of reading.

    `only` restricts those of the place; `without` leaves some out; `helps` replaces help texts.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True).parameters.values()
        declared = {} if place is None else options_of(Settings, place)
        declared = {n: o for n, o in declared.items() if only is None or n in only}
        options = {
            name: each
            for name, each in (declared | options_of(Reading)).items()
            if name not in {*without, *(parameter.name for parameter in own)}
        }
        added = [_parameter(each, helps.get(name)) for name, each in options.items()]
        first = [p for p in own if p.kind is p.POSITIONAL_OR_KEYWORD]
        last = [p for p in own if p.kind is p.KEYWORD_ONLY]

        @functools.wraps(command)
        def call(*args: Any, **kwargs: Any) -> None:
            command(*args, **kwargs)

        parameters = [*first, *added, *last]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        return call

    return decorate


def _parameter(each: Option, help: str | None) -> inspect.Parameter:
    """Return the parameter of a command for a declared option; None means that it is not specified."""
    kind: Any = list[str] if each.form.repeated else each.form.text_type
    default: Any = None
    if kind is bool:
        default = False
    else:
        kind = kind | None
    return inspect.Parameter(
        each.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, flag(each, help)],
    )
