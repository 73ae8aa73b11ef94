"""The options of the commands, each written once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from microagg.errors import ParameterError

if TYPE_CHECKING:
    from microagg.constraints import Constraint

Input = Annotated[
    Path,
    Argument(
        metavar="FILE",
        help="The records: CSV, Parquet, Feather, SPSS, Stata or SAS, by suffix.",
    ),
]
Output = Annotated[
    Path | None, Option("--output", "-o", help="Where to write; to stdout when not given.")
]
Overwrite = Annotated[bool, Option("--overwrite", help="Replace files that are there.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="No summary and no progress bar.")]
Json = Annotated[bool, Option("--json", help="Print numbers for programs, as JSON on stdout.")]

Report = Annotated[Path | None, Option(help="Write a report for people here, as one HTML file.")]
Face = Annotated[
    str | None,
    Option(
        help="Who reads the report: internal shows all, external no small cells. Default: internal."
    ),
]

LossWeight = Annotated[float, Option(help="The weight of loss in the score, from 0 to 1.")]

# The form of a text file.
Separator = Annotated[
    str | None, Option(help="What separates the fields of a CSV; found by itself when not given.")
]
Encoding = Annotated[
    str | None, Option(help="The encoding of a text file, such as latin-1. Default: utf-8.")
]
Decimal = Annotated[
    str | None, Option(help="The decimal mark of a CSV: a point or a comma. Default: a point.")
]

NumericNames = Annotated[
    bool, Option("--numeric-names", help="Column names of a CSV may be numbers, such as 2019.")
]

# The roles of columns.
Qi = Annotated[list[str] | None, Option(help="Quasi-identifiers, to be replaced: age,income")]
Id = Annotated[list[str] | None, Option(help="Identifiers, to be removed.")]
Confidential = Annotated[list[str] | None, Option(help="Confidential columns, kept as they are.")]
SchemaFile = Annotated[
    Path | None,
    Option(help="A TOML file with the roles, instead of --qi, --id and --confidential."),
]

# How to group and to aggregate. None means that the user did not say.
K = Annotated[int | None, Option("-k", "--k", help="The smallest size of a group, at least 2.")]
MethodName = Annotated[
    str | None, Option("--method", help="A name of `microagg methods`. Default: auto.")
]
Refine = Annotated[
    list[str] | None,
    Option(help="Refinements, one after the other: decompose-shrink,swap-shift"),
]
Columns = Annotated[
    list[str] | None,
    Option(help="Group on these quasi-identifiers only: age,income, or emad:3 to find three."),
]
Segments = Annotated[
    list[str] | None,
    Option(
        help="Columns to group on their own: age,height, once a segment; or 3 at a time. "
        "Then k holds for each segment only."
    ),
]
Settings = Annotated[
    list[str] | None, Option("--set", help="A parameter of the method: name=value")
]
Scale = Annotated[
    str | None,
    Option(help="How columns become comparable: zscore, range or none. Default: zscore."),
]
LDiversity = Annotated[
    int | None,
    Option(help="The fewest different values of each confidential column in a group."),
]
TCloseness = Annotated[
    float | None,
    Option(help="How far confidential values of a group may be from those of all: 0 to 1."),
]
PSensitive = Annotated[
    int | None,
    Option(help="The same as --l-diversity, by the name of p-sensitive k-anonymity."),
]
Integers = Annotated[
    str | None,
    Option(help="Means of integer columns: float keeps them, round rounds. Default: float."),
]
Kinds = Annotated[
    list[str] | None,
    Option(help="Kinds of quasi-identifiers: age=continuous,grade=ordinal,zip=nominal"),
]
Orders = Annotated[
    list[str] | None,
    Option("--order", help="Categories of an ordinal column, lowest first: grade=low,mid,high"),
]
Distance = Annotated[
    str | None, Option(help="How records are compared: euclidean or gower. Default: euclidean.")
]
ColumnWeights = Annotated[
    list[str] | None,
    Option("--column-weight", help="How much columns count in distances: age=2,sex=0.5"),
]
Hierarchies = Annotated[
    list[str] | None,
    Option("--hierarchy", help="A CSV file of a nominal column's levels: country=levels.csv"),
]
DistanceTables = Annotated[
    list[str] | None,
    Option("--distance-table", help="A CSV file of distances between categories: city=km.csv"),
]
Aggregate = Annotated[
    list[str] | None,
    Option(
        help="What stands for a group: income=median,age=trimmed; or hybrid for synthetic records, "
        "which are NOT k-anonymous. Default: by kind."
    ),
]
RoundTo = Annotated[
    list[str] | None, Option(help="What released numbers are rounded to: income=0.01,age=1")
]
Missing = Annotated[
    str | None,
    Option(help="What becomes of blanks: error, group, impute or suppress. Default: error."),
]
Blank = Annotated[
    list[str] | None,
    Option(help="A text that stands for a blank in the quasi-identifiers of a CSV, such as ?"),
]
Weights = Annotated[str | None, Option(help="The column of sampling weights.")]
StrataNames = Annotated[
    list[str] | None, Option("--strata", help="Columns that groups never cross: region,sex")
]
SmallStrata = Annotated[
    str | None,
    Option(help="Strata of fewer than k records: error, merge or suppress. Default: error."),
]
Seed = Annotated[int | None, Option(help="Where random choices come from. Default: 0.")]
Repeat = Annotated[
    Path | None,
    Option(help="A provenance file: make that release again, from the same records."),
]

Memory = Annotated[
    str | None,
    Option(
        help="Read a large file piece by piece within this memory, such as 2GB; -o is a folder then."
    ),
]


def settings_of(settings: Iterable[str] | None) -> dict[str, str]:
    """Return the names and texts of ``--set name=value``."""
    found: dict[str, str] = {}
    for setting in settings or ():
        name, equals, text = setting.partition("=")
        if not equals:
            raise ParameterError(f"The '--set' option must be name=value. Got {setting!r}.")
        found[name] = text
    return found


def parsed(constraint: Constraint | None, text: str) -> Any:
    """Return the value that a text stands for, or the text where it stands for none."""
    try:
        return text if constraint is None else constraint.parse(text)
    except ValueError:
        return text
