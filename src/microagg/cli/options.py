"""The options of the commands: declared ones, and a few that only the command line has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.models import OptionInfo

from microagg.declare import Option, Place, options_of
from microagg.reading import Reading
from microagg.settings import Settings

FILES = "Files"

Input = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="The file with the records: CSV, Parquet, Feather, SPSS, Stata or SAS.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="The output file; stdout by default.", rich_help_panel=FILES
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace existing files.", rich_help_panel=FILES)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no summary and no progress bar.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print the results as JSON on stdout, for other programs.")
]
Report = Annotated[
    Path | None,
    typer.Option(help="Write a report to this HTML file.", rich_help_panel=FILES),
]
ExternalReport = Annotated[
    Path | None,
    typer.Option(
        help="Write the external report to this file: no small cells, no single records.",
        rich_help_panel=FILES,
    ),
]
ReportData = Annotated[
    Path | None,
    typer.Option(
        help="Write the content of the internal report to this JSON file, for other programs.",
        rich_help_panel=FILES,
    ),
]
Audience = Annotated[
    str | None,
    typer.Option(
        metavar="internal|external",
        help="The audience of the report: internal shows everything, external no small cells.",
        show_default="internal",
        rich_help_panel=FILES,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="A column that analysts predict: measure how well the release still predicts it.",
        rich_help_panel=FILES,
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        help="A TOML file with roles, kinds and orders, instead of the options for them.",
        rich_help_panel="Roles",
    ),
]
RolesFrom = Annotated[
    Path | None,
    typer.Option(
        help="The provenance file of a release whose roles and kinds are to be used.",
        rich_help_panel="Roles",
    ),
]
LossWeight = Annotated[
    float, typer.Option(help="The weight of the loss in the score, from 0 to 1.")
]
SpendAgain = Annotated[
    bool,
    typer.Option(
        "--spend-again",
        help="With --repeat: allow a differentially private release, which spends its epsilon again.",
        rich_help_panel=FILES,
    ),
]
Repeat = Annotated[
    Path | None,
    typer.Option(
        help="A provenance file: repeat that release from the same records.",
        rich_help_panel=FILES,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Process a large file piece by piece within this memory, such as 2GB; -o is then a folder.",
        rich_help_panel=FILES,
    ),
]

Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Protect a large file with N worker processes on this machine.",
        rich_help_panel=FILES,
    ),
]
WorkFolder = Annotated[
    Path | None,
    typer.Option(
        "--work",
        metavar="FOLDER",
        help="The folder of unfinished work, for a large release that goes to object storage.",
        rich_help_panel=FILES,
    ),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Protect a large file on the workers of a Dask scheduler, such as tcp://10.0.0.1:8786.",
        rich_help_panel=FILES,
    ),
]


def flag(each: Option, help: str | None = None) -> OptionInfo:
    """Return the flags and the help text of a declared option."""
    plain = each.required or each.default is None or each.default is False or each.default == ()
    shown = None if plain else each.default
    info: OptionInfo = typer.Option(
        *each.flags,
        metavar=each.form.metavar,
        help=help or each.help,
        show_default=False if shown is None else str(shown),
        rich_help_panel=each.topic,
    )
    return info


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
    """Give a command with ``**texts`` the options that are declared for a place, and those of reading.

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
    """Return the parameter of a command for a declared option; None means that it is not given."""
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


def flags_of(command: Callable[..., None]) -> dict[str, str]:
    """Return the flag that messages show for each option of a command, by its name in Python."""
    flags = {}
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        for info in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(info, OptionInfo):  # whose first flag typer takes for a default
                own = (info.default, *(info.param_decls or ()), f"--{name.replace('_', '-')}")
                flags[name] = next(flag for flag in own if isinstance(flag, str))
    return flags
