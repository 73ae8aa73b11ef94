"""`microagg bound`: a proven lower bound on the loss of groups of at least k records."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from microagg.cli import console, options
from microagg.cli.columns import recorded_roles, require_k, values_of
from microagg.cli.console import answer, say
from microagg.cli.groups_file import GroupsFile
from microagg.cli.parameters import Flag
from microagg.data.frames import Frame
from microagg.data.source import read_source
from microagg.declare import options_of, parsed
from microagg.partition.bounds.lower_bound import LowerBound, lower_bound
from microagg.partition.bounds.proven import rounded_down, saving_words
from microagg.prepare.cautions import codes_among_text, numbers_like_codes, taken_as_amounts
from microagg.reading import Reading
from microagg.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

ON_STOP = "Stopping; the bound proved so far follows. Press Ctrl-C again to discard it."

QuasiIdentifiers = Annotated[
    list[str] | None,
    options.flag(
        options_of(Settings)["quasi_identifiers"],
        "The columns that would be replaced; all of them by default.",
    ),
]
Groups = Annotated[
    Path | None, Flag(help="Groups to evaluate: a file NAME.groups.csv of `microagg protect`.")
]
Seconds = Annotated[float, Flag(help="The time limit in seconds.")]


DESCRIBED = (
    "kinds",
    "orders",
    "distance",
    "column_weights",
    "hierarchies",
    "distance_tables",
)
"""The options that describe the columns and how they are compared."""


@options.with_flags(
    "memory",
    only=["k", "scale", "engine", *DESCRIBED],
)
def command(
    file: options.Input,
    *,
    quasi_identifiers: QuasiIdentifiers = None,
    schema: options.SchemaFile = None,
    provenance: options.RolesFrom = None,
    groups: Groups = None,
    time_limit: Seconds = 60.0,
    quiet: options.Quiet = False,
    json: options.Json = False,
    **texts: Any,
) -> None:
    """Compute a lower bound on the loss of any grouping of these records.

    The bound is valid even if --time-limit or Ctrl-C stops the computation; more time may improve it.
    Columns may be mixed (--kinds), but no value may be missing. To evaluate the groups of a release,
    describe the columns as for that release, or pass its provenance. If the release left records out,
    the bound is one for the released records.
    """
    roles, form = recorded_roles(
        provenance, ("quasi_identifiers", "scale", *DESCRIBED), schema=schema
    )
    reading = Reading.create("bound", **{**form, **parsed(Reading, texts)})
    source = read_source(file, **reading.form())
    require_k(texts)
    columns = source.table.column_names
    own = values_of({**texts, "quasi_identifiers": quasi_identifiers}, schema, columns)
    values = _with_roles({**roles, **own})
    k, keys = values["k"], values.get("quasi_identifiers") or columns
    Frame(source.table).require(keys, "quasi_identifiers")
    described = _of_keys({n: values[n] for n in DESCRIBED if n in values}, keys, source.table)
    kinds, orders = described.get("kinds", {}), described.get("orders", {})
    nominal = [name for name, kind in kinds.items() if kind == "nominal"]
    table = source.typed_by_role(
        keys,
        categories=[*nominal, *orders],
        declared=kinds,
        blanks=reading.blank,
    )
    if not quiet:
        for caution in _cautions(Frame(table.select(keys)), {*kinds, *orders}):
            say(f"Caution: {caution}")
    evaluated = None if groups is None else GroupsFile.read(groups, len(table))
    if evaluated is not None and evaluated.rows is not None:
        table = table.take(evaluated.rows)
    with console.progress(not quiet, ON_STOP) as progress:
        bound = lower_bound(
            table.select(keys),
            k,
            groups=None if evaluated is None else evaluated.labels,
            scale=values.get("scale", "zscore"),
            **described,
            time_limit=time_limit,
            engine=values.get("engine"),
            progress=progress,
        )
    if json:
        answer({"k": k, **bound.as_dict()})
    else:
        sys.stdout.write(f"{in_words(bound, k)}\n")


def _with_roles(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options with separate roles from a schema, without confidential columns."""
    schema = values.pop("schema", None)
    if schema is None:
        return values
    named = {name: getattr(schema, name) for name in ("quasi_identifiers", "kinds", "orders")}
    keys = values.get("quasi_identifiers") or named["quasi_identifiers"]
    return {**named, "quasi_identifiers": keys, **values}


def _of_keys(
    described: Mapping[str, Any], keys: Collection[str], table: pa.Table
) -> dict[str, Any]:
    """Return the options about the quasi-identifiers; a release also describes confidential columns."""
    about = dict(described)
    for name in {"kinds", "orders"} & about.keys():
        Frame(table).require(about[name], name)
        about[name] = {column: own for column, own in about[name].items() if column in keys}
    return {name: own for name, own in about.items() if own}


def _cautions(frame: Frame, described: set[str]) -> tuple[str, ...]:
    """Return the cautions about columns whose kinds are not specified, as in `protect`."""
    codes = numbers_like_codes(frame, described)
    return (*taken_as_amounts(codes), *codes_among_text(frame))


def in_words(bound: LowerBound, k: int) -> str:
    """Return sentences about what was proved."""
    percent = rounded_down(bound.il, ".4g")
    if float(percent) <= 0 and bound.stopped in ("time limit", "interrupted"):
        lines = ["Nothing has been proved yet."]
    else:
        lines = [f"No {k}-anonymous grouping of these records can lose less than {percent} %."]
        if bound.proved_by.words:
            lines.append(f"Proved by {bound.proved_by.words}.")
    if bound.groups_il is not None and bound.gap is not None:
        lines.append(f"These groups lose {bound.groups_il:.4g} %: {saving_words(bound.gap)}.")
    return "\n".join([*lines, *_ENDS[bound.stopped]])


_ENDS = {
    "exhausted": ["All groups have been accounted for; more time will not improve the bound."],
    "proved": ["Each record occurs at least k times: groups of equal records lose nothing."],
    "gap": [],
    "time limit": ["Stopped by the time limit; more time may improve the bound."],
    "interrupted": ["Stopped early; more time may improve the bound."],
    "solver": ["The solver of linear programs failed; more time will not improve the bound."],
    "size": ["There are too many records, or too many near one of them, to prove more."],
}
"""The reasons why the computation ended, unless the sentence about the groups explains it."""
