"""Every option of `protect` and related functions, declared once.

`Settings` has one field per option. A field carries the option's type, its constraint, its help
text, its flags on the command line, and where it applies. The signatures of the public functions,
the command line, the provenance, the tables of options in the documentation and the messages of
parameter errors follow from it: adding an option takes one field, and the code that uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from microagg.constraints import IsInteger, IsNumber, IsPositive, IsText, OneOf, check_k
from microagg.data.frames import Frame
from microagg.declare import Place, checked, option, options_of, recorded, restored
from microagg.engine import ENGINES
from microagg.errors import FileError, ParameterError
from microagg.option_rules import roles_of, together
from microagg.schema import KINDS, SCHEMA_OPTIONS, Schema
from microagg.values import FLAG, ColumnName, Lists, Names, NamesOrRule, One, Words
from microagg.values_by_name import ByColumn, Parameters

SCALINGS = ("zscore", "range", "none")
AGGREGATES = ("mean", "median", "trimmed", "mode")

TABLES: tuple[Place, ...] = ("memory", "mixed", "compare")
"""Tables in memory, whatever they hold."""

FILES: tuple[Place, ...] = (*TABLES, "large")
"""Tables in memory and files that are larger."""

EVERYWHERE: tuple[Place, ...] = (*TABLES, "masking", "large")
"""Tables in memory, by methods and maskings, and large files."""


@dataclass(frozen=True)
class Settings:
    """Everything that determines a release besides the records.

    Create one with `Settings.create`, which checks every value and names the option that is invalid.

    Examples
    --------
    >>> settings = Settings.create(k=5, quasi_identifiers=["age"], kinds={"age": "continuous"})
    >>> settings.method, settings.scale, settings.schema.role("age")
    ('auto', 'zscore', 'quasi-identifier')
    """

    k: int = option(
        IsInteger(2),
        "The minimum group size: every combination of released quasi-identifiers is shared by at "
        "least k records.",
        "Groups",
        flags=("-k",),
        places=(*EVERYWHERE, "partition"),
        recorded=True,
    )
    quasi_identifiers: tuple[str, ...] = option(
        Names(),
        "The columns that others could know about a person. A release replaces their values.",
        "Roles",
        default=(),
        flags=("--qi",),
        places=(*EVERYWHERE, "assess"),
    )
    identifiers: tuple[str, ...] = option(
        Names(),
        "The columns that identify a person on their own, such as a name. They are removed.",
        "Roles",
        default=(),
        flags=("--id",),
        places=EVERYWHERE,
    )
    confidential: tuple[str, ...] = option(
        Names(),
        "The columns that a release is about, such as a diagnosis. They are released unchanged.",
        "Roles",
        default=(),
        places=(*EVERYWHERE, "assess"),
    )
    kinds: Mapping[str, str] = option(
        ByColumn(OneOf(KINDS), "zip=nominal", anywhere=True),
        "The kind of each column whose type does not determine it: continuous, ordinal or nominal.",
        "Roles",
        default=None,
        details="By default, numbers and dates are continuous, ordered categories are ordinal, and text, "
        "Boolean values and other categories are nominal. Whole numbers that look like codes cause a "
        "`MicroaggWarning` unless their kind is specified.",
        places=(*EVERYWHERE, "assess"),
    )
    orders: Mapping[str, Sequence[Any]] = option(
        ByColumn(None, "grade=low,mid,high", several=True, anywhere=True),
        "The categories of an ordinal column, from the lowest to the highest, if its type has no order.",
        "Roles",
        default=None,
        flags=("--order",),
        places=(*FILES, "masking", "assess"),
    )
    method: str = option(
        IsText(),
        "The method that forms the groups: a name listed by `microagg methods`.",
        "Groups",
        default="auto",
        details="`methods()` and `maskings()` list the names. Names printed in papers are accepted, too. "
        '"auto" chooses one based on the number of records and its parameter `effort`, and reports its '
        'choice. Large files are always grouped block by block ("blocks"). Nominal '
        "categories, missing values that are kept, weights and Gower's distance require a method whose "
        "`mixed` is not None.",
        places=("memory", "large", "mixed", "masking", "partition"),
        recorded=True,
    )
    parameters: Mapping[str, Any] = option(
        Parameters(),
        "The parameters of the method, by name.",
        "Groups",
        default=None,
        flags=("--set",),
        places=(*EVERYWHERE, "partition"),
    )
    refine: tuple[str, ...] = option(
        Words("a name", "NAME,..."),
        "The refinements to apply after the method, in order, such as decompose and swap-shift.",
        "Groups",
        default=None,
        details="`refinements()` lists the names; none of them increases the loss.",
        places=("memory", "mixed", "partition"),
    )
    columns: tuple[str, ...] | str | None = option(
        NamesOrRule(),
        "The quasi-identifiers to group on, if not all: names, or emad:3 to select three.",
        "Groups",
        default=None,
        details="All quasi-identifiers are replaced, and the loss includes all of them. The rule "
        '"emad:3" selects the three columns that `select_columns` returns; "emad-chi2:3" and '
        '"emad-normal:3" use its other measures.',
        places=("memory", "compare", "partition"),
    )
    segments: int | tuple[tuple[str, ...], ...] | None = option(
        Lists(),
        "Sets of quasi-identifiers to group separately (on the command line, one set per option), or the "
        "number of columns in a set. k then holds for each segment only, NOT for the whole record.",
        "Groups",
        default=None,
        details="With a number, correlated columns are put into the same set.",
        places=("memory", "compare"),
    )
    seed: int = option(
        IsInteger(0),
        "The seed of every random choice.",
        "Groups",
        default=0,
        places=(*EVERYWHERE, "partition"),
        recorded=True,
    )
    engine: str | None = option(
        OneOf(ENGINES),
        "Where methods run: cpu, cuda (an error without a GPU), or auto (a GPU if it is faster).",
        "Groups",
        default=None,
        details="The groups are the same. The default is the value of the environment variable "
        "MICROAGG_ENGINE, or cpu. The table of methods says which can run on a GPU, on complete numeric "
        "columns.",
        places=("memory", "mixed", "partition"),
    )
    scale: str = option(
        OneOf(SCALINGS),
        "How columns are made comparable: zscore (the default), range or none.",
        "Distances",
        default=None,
        details="Gower's distance always divides by the range.",
        places=(*EVERYWHERE, "partition", "assess"),
        recorded=True,
    )
    distance: str = option(
        OneOf(("euclidean", "gower")),
        "The distance between records: euclidean or gower.",
        "Distances",
        default="euclidean",
        details="euclidean is the squared Euclidean distance of the scaled columns.",
        places=(*TABLES, "assess"),
    )
    column_weights: Mapping[str, float] = option(
        ByColumn(IsPositive(), "age=2"),
        "The weight of a column in distances; 1 by default.",
        "Distances",
        default=None,
        flags=("--column-weight",),
        places=(*FILES, "assess"),
    )
    hierarchies: Mapping[str, Any] = option(
        ByColumn(None, "country=levels.csv"),
        "The generalisation hierarchy of a nominal column: a CSV file in the format of ARX.",
        "Distances",
        default=None,
        details="Pass the file or its rows: ``Spain;Southern Europe;Europe;*``. "
        "The distance between two categories is the first level at which they agree.",
        flags=("--hierarchy",),
        places=(*FILES, "assess"),
    )
    distance_tables: Mapping[str, Any] = option(
        ByColumn(None, "city=km.csv"),
        "The distances between the categories of a nominal column: a CSV file.",
        "Distances",
        default=None,
        details='Pass the file or a mapping: ``{"city": {"a": {"b": 2.5}}}``.',
        flags=("--distance-table",),
        places=(*FILES, "assess"),
    )
    aggregate: str | Mapping[str, str] = option(
        ByColumn(OneOf(AGGREGATES), "income=median", words_instead=("auto", "hybrid")),
        "The representative of a group: mean, median or trimmed for continuous columns, median or mode "
        "for ordinal ones, mode for nominal ones. hybrid releases synthetic records, which are NOT "
        "k-anonymous.",
        "Release",
        default="auto",
        details='"auto" is the first one listed for each kind. Ties for the mode are broken at random, '
        "using `seed`. "
        "Synthetic records preserve the means and covariances of each group.",
        places=FILES,
    )
    integers: str = option(
        OneOf(("float", "round")),
        "Whether the means of integer columns are kept as fractions (float), which preserves totals, "
        "or rounded (round).",
        "Release",
        default="float",
        places=(*FILES, "masking"),
    )
    round_to: Mapping[str, float] = option(
        ByColumn(IsPositive(), "income=0.01"),
        "The step to which released numbers are rounded, such as 0.01 for currency.",
        "Release",
        default=None,
        details="It does not apply to dates.",
        places=FILES,
    )
    missing: str = option(
        OneOf(("error", "keep", "group", "impute", "suppress")),
        "How missing values are treated: error, keep (recommended), group, impute or suppress.",
        "Records",
        default="error",
        details='"keep": missing values stay missing, no value is invented, and k counts a missing value '
        "like any other value. Records with the same pattern of missing values are grouped together if "
        "there are at least k of them; in other groups, a column in which one record has no value is "
        "released as missing for the whole group. "
        '"group": distances use the values that are present, and missing values are replaced by the '
        "representative of the group; they stay missing if no record of the group has a value. "
        '"impute": missing values are replaced by the median, or by the mode of a nominal column, before '
        "grouping. "
        '"suppress": records with a missing value are left out of the release.',
        places=FILES,
    )
    index: str = option(
        OneOf(("drop", "keep")),
        "Whether a pandas index that identifies each record is removed (drop) or released (keep).",
        "Records",
        default="drop",
        details="An index of row numbers, or one whose values repeat, is always kept. Files are written "
        "without an index.",
        places=("memory", "mixed", "masking"),
    )
    date_format: Mapping[str, str] = option(
        ByColumn(IsText(), "birth=%d.%m.%Y"),
        "The format of dates that are text or whole numbers, or excel for the serial numbers of a "
        "spreadsheet.",
        "Records",
        default=None,
        details="Common formats are recognised; specify one if the order of day and month is ambiguous. "
        "Dates are released in their original format.",
        places=(*FILES, "assess"),
    )
    weights: str | None = option(
        ColumnName("Put the weights into the data, and write "),
        "The column of sampling weights.",
        "Records",
        default=None,
        details="They must be above 0 and apply to scales, centres, representatives and the loss; k counts "
        "records.",
        places=(*FILES, "assess"),
    )
    strata: tuple[str, ...] = option(
        Names(one=True),
        "The columns that define strata. No group crosses strata, unless small strata are merged.",
        "Records",
        default=None,
        places=FILES,
    )
    small_strata: str = option(
        OneOf(("error", "merge", "suppress")),
        "How strata with fewer than k records are treated: error, merge or suppress.",
        "Records",
        default="error",
        details='"merge" combines them, and adds the smallest other stratum if there are still fewer than '
        'k records; "suppress" leaves them out of the release.',
        places=FILES,
    )
    l_diversity: int | None = option(
        IsInteger(2),
        "The minimum number of distinct values of each confidential column in an equivalence class.",
        "Limits",
        default=None,
        details="This is distinct l-diversity, also called p-sensitive k-anonymity in the literature.",
        places=FILES,
    )
    t_closeness: float | None = option(
        IsNumber(0.0, 1.0),
        "The maximum distance, from 0 to 1, between the distributions of confidential values in an "
        "equivalence class and in all records.",
        "Limits",
        default=None,
        places=FILES,
    )
    target: str | None = option(
        ColumnName("Name a column: "),
        "A column that analysts predict: measure how well the release still predicts it.",
        "Release",
        default=None,
        details="The same model is trained on the original and on the release, and both are tested on "
        "original records; `assess` also compares regression coefficients and subgroup means.",
        places=("mixed", "compare", "assess"),
    )
    unit: str | None = option(
        ColumnName("Put the names of the units into the data, and write "),
        "The column that identifies the person, household or company that a record belongs to: k then "
        "counts these units instead of records.",
        "Limits",
        default=None,
        details="Every combination of released quasi-identifiers is then shared by at least k different "
        "units. Use it for visits, transactions and panels, where k records may belong to one person. The "
        "column is removed like an identifier. If it is also named as confidential, it is released "
        "unchanged, with a caution, because it links the records of a unit.",
        places=(*FILES, "assess"),
    )
    strict: bool = option(
        One(FLAG),
        "Release nothing if a caution applies to what the release reveals, invents or leaves out.",
        "Limits",
        default=False,
        details="Without this option, the summary and the report state these cautions. They apply if k "
        "does not hold on all quasi-identifiers together, if unchanged columns, merged strata or an index "
        "single records out, or if an unchanged column reveals a quasi-identifier. They also apply if "
        "an identifier may belong to people with several records, if a released unit column links "
        "records, or if l-diversity holds only because missing values count as values. Finally, they "
        "apply if codes or dates may be treated as the wrong kind, or if more than 1 % of a column is "
        "filled in or released as missing. Identifiers of files larger than memory are not checked "
        "for people with several records.",
        places=("memory", "mixed", "masking", "large"),
    )

    @classmethod
    def create(
        cls,
        caller: str = "protect",
        *,
        schema: Schema | Mapping[str, Any] | None = None,
        table: Frame | None = None,
        **values: Any,
    ) -> Settings:
        """Return settings whose values were checked.

        Parameters
        ----------
        caller : str
            The function to which the options belong; errors name it.
        schema : Schema or mapping, optional
            The roles, kinds and orders in one object, instead of separate options.
        table : Frame, optional
            The records. Columns and k are then checked against them.
        **values
            The options by name. Without k, nothing is grouped, and `k` is 0.
        """
        if schema is not None:
            values = {**values, **roles_of(schema, values)}
        grouped = "k" in values
        k = values.pop("k", 0)
        normalised = checked(cls, {**values, "k": 2}, caller)
        if grouped:
            check_k(k, None if table is None else table.n, caller)
        settings = cls(**together({**normalised, "k": int(k)}))
        if grouped:
            _ = settings.schema  # raises where roles contradict each other
        if table is not None:
            settings.require_columns(table)
        return settings

    def require(self, table: Frame, caller: str = "protect") -> None:
        """Raise if the settings do not fit the records: a column is missing, or k is too large."""
        self.require_columns(table)
        check_k(self.k, table.n, caller)

    @cached_property
    def schema(self) -> Schema:
        """The roles and kinds of the columns."""
        return Schema(**{role: getattr(self, role) for role in SCHEMA_OPTIONS})

    @property
    def gower(self) -> bool:
        """Whether the distance is Gower's."""
        return self.distance == "gower"

    @property
    def declared(self) -> list[str]:
        """The columns whose kind or date format is declared."""
        return [*self.schema.kinds, *self.date_format]

    def require_columns(self, table: Frame) -> None:
        """Raise if an option names a column that is missing from the data or is not replaced."""
        for name, columns in self.named_columns().items():
            table.require(columns, name)
        for name, columns in self.named_by_column().items():
            for column in columns:
                if column not in self.quasi_identifiers:
                    raise ParameterError(
                        f"names {column!r}, which is not a quasi-identifier.", parameter=name
                    )

    def named_columns(self) -> dict[str, tuple[Any, ...]]:
        """Return the columns that each option names: first the unit, which may be an identifier."""
        declared = options_of(type(self))
        return {
            name: tuple(each.form.columns(getattr(self, name)))
            for name, each in {"unit": declared["unit"], **declared}.items()
        }

    def named_by_column(self) -> dict[str, tuple[Any, ...]]:
        """Return the columns that each option names, except for kinds and orders."""
        return {
            name: each.form.columns(getattr(self, name))
            for name, each in options_of(type(self)).items()
            if isinstance(each.form, ByColumn) and not each.form.anywhere
        }

    def refused(self, place: Place, *topics: str) -> tuple[str, ...]:
        """Return the options that were set but do not apply at `place`, of all topics or of some."""
        changed = recorded(self)
        return tuple(
            name
            for name, each in options_of(type(self)).items()
            if name in changed and place not in each.places and (not topics or each.topic in topics)
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON: k, method, seed, scale, and all that are not defaults."""
        return recorded(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], caller: str = "protect") -> Settings:
        """Return the settings that `as_dict` wrote.

        Examples
        --------
        >>> settings = Settings.create(k=5, quasi_identifiers=[1], kinds={1: "nominal"})
        >>> settings.as_dict()["kinds"], Settings.from_dict(settings.as_dict()) == settings
        ([[1, 'nominal']], True)
        """
        return cls.create(caller, **recorded_values(content))


def recorded_values(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a file records, as they were before it was written.

    Hierarchies and distance tables are recorded with their entries. A file that names another file
    instead was not written by microagg, and may be an attempt to read that other file.
    """
    values = restored(Settings, content)
    for name in ("hierarchies", "distance_tables"):
        entries = values.get(name)
        if isinstance(entries, Mapping) and any(isinstance(e, str) for e in entries.values()):
            raise FileError(
                f"The recorded settings name a file in '{name}' instead of its entries.",
                hint="Set that option yourself, with a file that you trust.",
            )
    return values
