"""`microagg bound`: a proven lower bound on the loss of groups of at least k records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from microagg.cli import console, options
from microagg.cli.columns import recorded_roles, require_k, values_of
from microagg.cli.console import answer, say
from microagg.cli.parameters import Flag
from microagg.data.files import read_file
from microagg.data.frames import Frame
from microagg.data.source import read_source
from microagg.declare import options_of, parsed
from microagg.errors import DataError
from microagg.partition.bounds.lower_bound import LowerBound, lower_bound
from microagg.partition.bounds.proven import rounded_down, saving_words
from microagg.prepare.cautions import codes_among_text, numbers_like_codes, taken_as_amounts
from microagg.reading import Reading
from microagg.settings import Settings

if TYPE_CHECKING:
    import numpy as np

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
"""Options that say what columns mean and how they are compared."""


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
    describe the columns as for that release, or pass its provenance.
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
    described = {name: values[name] for name in DESCRIBED if name in values}
    kinds, orders = described.get("kinds", {}), described.get("orders", {})
    nominal = [name for name, kind in kinds.items() if kind == "nominal"]
    table = source.typed_by_role(keys, categories=[*nominal, *orders], blanks=reading.blank)
    if not quiet:
        for caution in _cautions(Frame(table.select(keys)), {*kinds, *orders}):
            say(f"Caution: {caution}")
    labels = None if groups is None else _labels(groups, len(table))
    with console.progress(not quiet, ON_STOP) as progress:
        bound = lower_bound(
            table.select(keys),
            k,
            partition=labels,
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
    """Return options in which those of a schema are by themselves; confidential columns do not matter."""
    schema = values.pop("schema", None)
    if schema is None:
        return values
    named = {name: getattr(schema, name) for name in ("quasi_identifiers", "kinds", "orders")}
    keys = values.get("quasi_identifiers") or named["quasi_identifiers"]
    about = {n: {c: v for c, v in named[n].items() if c in keys} for n in ("kinds", "orders")}
    return {"quasi_identifiers": keys, **{n: v for n, v in about.items() if v}, **values}


def _cautions(frame: Frame, described: set[str]) -> tuple[str, ...]:
    """Return what may be wrong with columns whose kinds are not specified, as `protect` does."""
    codes = numbers_like_codes(frame, described)
    return (*taken_as_amounts(codes), *codes_among_text(frame))


def in_words(bound: LowerBound, k: int) -> str:
    """Return what has been proved, in sentences."""
    percent = rounded_down(bound.il, ".4g")
    if float(percent) <= 0 and bound.stopped in ("time limit", "interrupted"):
        lines = ["Nothing was proved yet."]
    else:
        lines = [f"No {k}-anonymous grouping of these records can lose less than {percent} %."]
        if bound.proved_by.words:
            lines.append(f"Proved by {bound.proved_by.words}.")
    if bound.partition_il is not None and bound.gap is not None:
        lines.append(f"These groups lose {bound.partition_il:.4g} %: {saving_words(bound.gap)}.")
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
"""Why the computation ended, unless the sentence about the groups explains it."""


def _labels(file: Path, n: int) -> np.ndarray[Any, Any]:
    """Return the group of each row, in the order of the rows."""
    import numpy as np

    table = read_file(file)
    if not {"row", "group"} <= set(table.column_names):
        raise DataError(
            f"'{file}' has no columns 'row' and 'group'.",
            hint="Use the file NAME.groups.csv that `microagg protect` wrote.",
        )
    rows, groups = (table[name].to_numpy() for name in ("row", "group"))
    if not np.array_equal(np.sort(rows), np.arange(1, n + 1)):
        raise DataError(f"'{file}' does not name each of the rows 1 to {n} once.")
    labels: np.ndarray[Any, Any] = groups[np.argsort(rows)]
    return labels
