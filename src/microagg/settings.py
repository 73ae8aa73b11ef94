"""Every option of `protect` and its kin, declared once.

`Settings` has one field per option. A field carries the option's type, its constraint, its help
text, its flags on the command line, and where it applies. The signatures of the public functions,
the command line, the provenance, the tables of options in the documentation and the messages of
parameter errors follow from it: adding an option takes one field, and the code that uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from microagg.constraints import IsInteger, IsNumber, IsPositive, IsText, OneOf, check_k
from microagg.data.frames import Frame
from microagg.data.tables_of_distances import hierarchy_rows, table_entries
from microagg.declare import Place, checked, option, options_of, recorded, restored
from microagg.engine import ENGINES
from microagg.errors import FileError, ParameterError, Phrase
from microagg.schema import KINDS, Schema
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

ROLES = ("quasi_identifiers", "identifiers", "confidential", "kinds", "orders")
"""What a schema holds."""


@dataclass(frozen=True)
class Settings:
    """All that decides a release besides the records.

    Make one with `Settings.create`, which checks every value and names the option that is wrong.

    Examples
    --------
    >>> settings = Settings.create(k=5, quasi_identifiers=["age"], kinds={"age": "continuous"})
    >>> settings.method, settings.scale, settings.schema.role("age")
    ('auto', 'zscore', 'quasi-identifier')
    """

    k: int = option(
        IsInteger(2),
        "The minimum group size: every combination of released quasi-identifiers belongs to at least "
        "k records.",
        "Groups",
        flags=("-k",),
        places=(*EVERYWHERE, "partition"),
        recorded=True,
    )
    quasi_identifiers: tuple[str, ...] = option(
        Names(),
        "The columns that others may know about a person. They are replaced.",
        "Roles",
        default=(),
        flags=("--qi",),
        places=(*EVERYWHERE, "assess"),
    )
    identifiers: tuple[str, ...] = option(
        Names(),
        "The columns that name a person. They are removed.",
        "Roles",
        default=(),
        flags=("--id",),
        places=EVERYWHERE,
    )
    confidential: tuple[str, ...] = option(
        Names(),
        "The confidential columns. They are released unchanged, like columns without a role.",
        "Roles",
        default=(),
        places=(*EVERYWHERE, "assess"),
    )
    kinds: Mapping[str, str] = option(
        ByColumn(OneOf(KINDS), "zip=nominal", anywhere=True),
        "The kinds of columns: continuous, ordinal or nominal, where the type does not tell.",
        "Roles",
        default=None,
        details="By default numbers and dates are continuous, categories with an order ordinal, and text, "
        "booleans and other categories nominal. Whole numbers that look like codes cause a "
        "`MicroaggWarning` unless their kind is given.",
        places=(*EVERYWHERE, "assess"),
    )
    orders: Mapping[str, Sequence[Any]] = option(
        ByColumn(None, "grade=low,mid,high", several=True, anywhere=True),
        "The categories of an ordinal column whose type has no order, from the lowest to the highest.",
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
        details="A name of `methods()` or `maskings()`, or one printed in the papers. "
        '"auto" chooses by the number of records and its parameter `effort`, and reports its choice. '
        "Large files are always "
        'grouped block by block ("blocks"). Nominal categories, missing values that stay, weights and '
        "Gower's distance need a method whose `mixed` is not None.",
        places=("memory", "large", "mixed", "masking", "partition"),
        recorded=True,
    )
    parameters: Mapping[str, Any] = option(
        Parameters(),
        "Parameters of the method itself.",
        "Groups",
        default=None,
        flags=("--set",),
        places=(*EVERYWHERE, "partition"),
    )
    refine: tuple[str, ...] = option(
        Words("a name", "NAME,..."),
        "Refinements that follow the method, in order: decompose-shrink,swap-shift.",
        "Groups",
        default=None,
        details="Names of `refinements()`; none of them increases the loss.",
        places=("memory", "partition"),
    )
    columns: tuple[str, ...] | str | None = option(
        NamesOrRule(),
        "The quasi-identifiers to group on, if not all of them: age,income, or emad:3 to select three.",
        "Groups",
        default=None,
        details="All quasi-identifiers are replaced, and the loss is that of all. The rule "
        '"emad:3" selects the three columns that `select_columns` returns; "emad-chi2:3" and '
        '"emad-normal:3" use its other measures.',
        places=("memory", "compare", "partition"),
    )
    segments: int | tuple[tuple[str, ...], ...] | None = option(
        Lists(),
        "Sets of quasi-identifiers that are grouped independently, one set per option, or how many "
        "columns a set has. Then k holds for each segment only, NOT for the whole record.",
        "Groups",
        default=None,
        details="A number groups correlated columns together.",
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
        "Where methods run: cpu, cuda (a GPU, or an error), or auto (a GPU where it is faster).",
        "Groups",
        default=None,
        details="The groups are the same. The default is the value of the environment variable "
        "MICROAGG_ENGINE, or cpu. On a GPU run mdav, mdav-nc, cbfs-nn, cbfs-nc and v-mdav, on complete "
        "numbers.",
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
        details="The squared Euclidean distance of the scaled columns, or Gower's distance.",
        places=(*TABLES, "assess"),
    )
    column_weights: Mapping[str, float] = option(
        ByColumn(IsPositive(), "age=2"),
        "How much a column counts in distances; 1 by default.",
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
        details="A file, or its rows: ``Spain;Southern Europe;Europe;*``. "
        "The distance between two categories is the first level at which they are the same.",
        flags=("--hierarchy",),
        places=(*FILES, "assess"),
    )
    distance_tables: Mapping[str, Any] = option(
        ByColumn(None, "city=km.csv"),
        "The distances between the categories of a nominal column: a CSV file.",
        "Distances",
        default=None,
        details='A file, or a mapping: ``{"city": {"a": {"b": 2.5}}}``.',
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
        details='"auto" is the first of each. Ties for the mode are broken at random, using `seed`. '
        "Synthetic records preserve the means and covariances of each group.",
        places=FILES,
    )
    integers: str = option(
        OneOf(("float", "round")),
        "Whether means of integer columns stay fractional (float), which preserves totals, or are "
        "rounded (round).",
        "Release",
        default="float",
        places=(*FILES, "masking"),
    )
    round_to: Mapping[str, float] = option(
        ByColumn(IsPositive(), "income=0.01"),
        "The step that released numbers are rounded to.",
        "Release",
        default=None,
        details="0.01 for currency, for instance. Dates are released in steps of their own.",
        places=FILES,
    )
    missing: str = option(
        OneOf(("error", "keep", "group", "impute", "suppress")),
        "How missing values are treated: error, keep (recommended), group, impute or suppress.",
        "Records",
        default="error",
        details='"keep": missing values stay missing, no value is invented, and k counts a missing value '
        "like any other. Records are grouped with records that lack the same values where at least k "
        "do; in a mixed group, a column that one record lacks is released as missing for all. "
        '"group": distances use the values that are present, and the representative of the group '
        "fills the gaps; a group without any value stays missing. "
        '"impute": filled beforehand by the median, or by the mode of a nominal column. '
        '"suppress": records with a missing value are left out of the release.',
        places=FILES,
    )
    index: str = option(
        OneOf(("drop", "keep")),
        "Whether a pandas index that names each record is removed (drop) or released (keep).",
        "Records",
        default="drop",
        details="An index of row numbers, or one whose values repeat, is always kept. Files are written "
        "without an index.",
        places=("memory", "mixed", "masking"),
    )
    date_format: Mapping[str, str] = option(
        ByColumn(IsText(), "birth=%d.%m.%Y"),
        "The format of dates that are text or whole numbers: birth=%d.%m.%Y, or excel for the "
        "serial numbers of a spreadsheet.",
        "Records",
        default=None,
        details="Common formats are recognised; give one where the order of day and month is ambiguous. "
        "Dates are released in the format that they came in.",
        places=(*FILES, "assess"),
    )
    weights: str | None = option(
        ColumnName("Put the weights into the data, and write "),
        "The column of sampling weights.",
        "Records",
        default=None,
        details="They are above 0 and count in scales, centres, representatives and the loss; k counts "
        "records.",
        places=(*FILES, "assess"),
    )
    strata: tuple[str, ...] = option(
        Names(one=True),
        "Columns whose values no group mixes.",
        "Records",
        default=None,
        places=FILES,
    )
    small_strata: str = option(
        OneOf(("error", "merge", "suppress")),
        "How strata with fewer than k records are treated: error, merge or suppress.",
        "Records",
        default="error",
        details='"merge" joins them with each other, and with the smallest other stratum if they are still '
        'too few; "suppress" leaves them out of the release.',
        places=FILES,
    )
    l_diversity: int | None = option(
        IsInteger(2),
        "The minimum number of distinct values of each confidential column in an equivalence class.",
        "Limits",
        default=None,
        details="Distinct l-diversity, which the literature also calls p-sensitive k-anonymity.",
        places=FILES,
    )
    t_closeness: float | None = option(
        IsNumber(0.0, 1.0),
        "The maximum distance, from 0 to 1, between the confidential values of an equivalence class and "
        "those of all records.",
        "Limits",
        default=None,
        places=FILES,
    )
    target: str | None = option(
        ColumnName("Name a column: "),
        "A column that analysts predict: say what they can still learn about it.",
        "Release",
        default=None,
        details="The same model is trained on the original and on the release, and both are tested on "
        "original records; `assess` also compares regression coefficients and subgroup means.",
        places=("compare", "assess"),
    )
    unit: str | None = option(
        ColumnName("Put the names of the units into the data, and write "),
        "The column that names the person, household or company that a record belongs to: every "
        "combination of released quasi-identifiers then belongs to at least k different ones.",
        "Limits",
        default=None,
        details="For visits, transactions and panels, where k records may be those of one person. The "
        "column is removed like an identifier; named among the confidential columns it is released "
        "unchanged, with a caution, because it links the records of a unit.",
        places=(*FILES, "assess"),
    )
    strict: bool = option(
        One(FLAG),
        "Release nothing if k does not hold on all quasi-identifiers together, if unchanged columns "
        "expose records, give a quasi-identifier away or name records, if codes would be averaged, or "
        "if more than 1 % of a column would be filled in.",
        "Limits",
        default=False,
        details="These are cautions otherwise.",
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
            The function whose options these are; errors name it.
        schema : Schema or mapping, optional
            The roles, kinds and orders in one, instead of one by one.
        table : Frame, optional
            The records: then columns and k are checked against them.
        **values
            The options that are given, by name. Without k, nothing is grouped: `k` is 0 then.
        """
        if schema is not None:
            values = {**values, **_roles_of(schema, values)}
        ungrouped = "k" not in values
        k = values.pop("k", None)
        normalised = checked(cls, {**values, "k": 2}, caller)
        settings = cls(**_together({**normalised, "k": 0}))
        if not ungrouped:
            _ = settings.schema  # raises where roles contradict each other
        if table is not None:
            settings.require_columns(table)
        if ungrouped:
            return settings
        check_k(k, None if table is None else table.n, caller)
        return replace(settings, k=int(k))

    def require(self, table: Frame, caller: str = "protect") -> None:
        """Raise when the settings do not fit the records: columns that they lack, or a k too large."""
        self.require_columns(table)
        check_k(self.k, table.n, caller)

    @cached_property
    def schema(self) -> Schema:
        """The roles and kinds of the columns."""
        return Schema(**{role: getattr(self, role) for role in ROLES})

    @property
    def gower(self) -> bool:
        """Whether the distance is Gower's."""
        return self.distance == "gower"

    def require_columns(self, table: Frame) -> None:
        """Raise when an option names a column that is not in the data, or that is not replaced."""
        for name, each in options_of(type(self)).items():
            table.require(each.form.columns(getattr(self, name)), name)
        for name, columns in self.named_by_column().items():
            for column in columns:
                if column not in self.quasi_identifiers:
                    raise ParameterError(
                        f"names {column!r}, which is no quasi-identifier.", parameter=name
                    )

    def named_by_column(self) -> dict[str, tuple[Any, ...]]:
        """Return the columns that each option by column names, kinds and orders aside."""
        return {
            name: each.form.columns(getattr(self, name))
            for name, each in options_of(type(self)).items()
            if isinstance(each.form, ByColumn) and not each.form.anywhere
        }

    def refused(self, place: Place, *topics: str) -> tuple[str, ...]:
        """Return the options, of some topics or all, that were given and do not apply at a place."""
        changed = recorded(self)
        return tuple(
            name
            for name, each in options_of(type(self)).items()
            if name in changed and place not in each.places and (not topics or each.topic in topics)
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON: those that differ from defaults, k, method, seed and scale."""
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
    instead is not ours, and may have been made to have that other file read.
    """
    values = restored(Settings, content)
    for name in ("hierarchies", "distance_tables"):
        entries = values.get(name)
        if isinstance(entries, Mapping) and any(isinstance(e, str) for e in entries.values()):
            raise FileError(
                f"The recorded settings name a file in '{name}'; only its entries can be recorded.",
                hint="Give that option yourself, with a file that you trust.",
            )
    return values


def _roles_of(schema: Schema | Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a schema says, or raise when options say it too."""
    for role in ROLES:
        if values.get(role) is not None and len(values[role]):
            raise ParameterError(
                "Roles are given twice, in 'schema' and by name.",
                hint=Phrase(
                    "Give either {schema} or {quasi_identifiers}, {identifiers}, {confidential}, "
                    "{kinds}, {orders}.",
                    schema=...,
                    **dict.fromkeys(ROLES, ...),
                ),
            )
    described = schema if isinstance(schema, Schema) else Schema.from_dict(schema)
    return {role: getattr(described, role) for role in ROLES}


def _together(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values once it is clear that they go together, with what follows from others."""
    gower = values["distance"] == "gower"
    if gower and values["scale"] not in (None, "range"):
        raise ParameterError(
            f"is {values['scale']!r}, but Gower's distance divides by the range.",
            parameter="scale",
            hint="Leave it out.",
        )
    if values["aggregate"] == "hybrid" and values["integers"] == "round":
        raise ParameterError(
            Phrase(
                'cannot be "round" with {aggregate}: rounded records do not keep the means and '
                "covariances.",
                aggregate="hybrid",
            ),
            parameter="integers",
            hint="Leave it out.",
        )
    if values["small_strata"] != "error" and not values["strata"]:
        raise ParameterError(
            "is for strata, and there are none.",
            parameter="small_strata",
            hint=Phrase("Give {strata} as well, or leave it out.", strata=...),
        )
    both = values["hierarchies"].keys() & values["distance_tables"].keys()
    if both:
        raise ParameterError(
            f"Column {min(both, key=str)!r} has both a hierarchy and a distance table.",
            hint="Give either.",
        )
    rows = {name: hierarchy_rows(one, name) for name, one in values["hierarchies"].items()}
    tables = {name: table_entries(one, name) for name, one in values["distance_tables"].items()}
    scale = values["scale"] or ("range" if gower else "zscore")
    identifiers = _with_unit(values)
    return {
        **values,
        "scale": scale,
        "hierarchies": rows,
        "distance_tables": tables,
        "identifiers": identifiers,
    }


def _with_unit(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the identifiers, the unit among them unless it is released as a confidential column."""
    unit, identifiers = values["unit"], values["identifiers"]
    if unit is None or unit in (*identifiers, *values["confidential"]):
        return tuple(identifiers)
    for name, columns in (
        ("quasi_identifiers", values["quasi_identifiers"]),
        ("strata", values["strata"]),
        ("weights", (values["weights"],)),
    ):
        if unit in columns:
            raise ParameterError(
                f"names {unit!r}, which '{name}' names too.",
                parameter="unit",
                hint="The unit is the column that says whose record it is; it is not replaced.",
            )
    return (*identifiers, unit)
