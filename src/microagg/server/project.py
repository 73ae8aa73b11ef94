"""A project: one file on its way to a release, from reading to runs.

The page asks one question at a time; a project stores the answers.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from microagg.data.frames import Frame
from microagg.data.source import Source, read_source
from microagg.data.text_columns import without_codes
from microagg.errors import ParameterError, rendered
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.exposure import Exposure, exposure_of
from microagg.reading import Reading
from microagg.schema import KINDS, Schema
from microagg.server.profile import ColumnProfile, profile
from microagg.server.speech import PAGE
from microagg.suggest import SchemaSuggestion, suggest_schema

ROLES = ("identifier", "quasi-identifier", "confidential", "other")
"""The roles in the order of the page's menu."""

Texts = dict[str, list[str]]
"""Options in the notation of the command line: the texts of each flag, by name in Python."""


@dataclass(frozen=True)
class ColumnChoice:
    """The decision of the user about a column, and the suggestion.

    Attributes
    ----------
    name, role, kind : str
        The column, its role, and its kind; an empty kind follows the type.
    order : tuple of str
        Its categories from the lowest to the highest, if the user specified them.
    reason : str
        Why the role was suggested.
    """

    name: str
    role: str
    kind: str = ""
    order: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Counted:
    """The number of records that a choice of quasi-identifiers singles out before protection."""

    records: int
    unique: int
    below_k: int
    exposure: Exposure

    @property
    def percent(self) -> float:
        """The share of unique records, in percent."""
        return 100 * self.unique / self.records if self.records else 0.0


@dataclass(eq=False)
class Project:
    """A file and the decisions of the user.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        The name of the file on the user's computer.
    reading : Reading
        The options for reading it.
    columns : tuple of ColumnChoice
        The role and kind of each column.
    options : mapping of str to list of str
        The options that were entered last.
    runs : list of str
        The runs, by their identifiers.
    started : int
        The number of runs that were started, including removed ones.
    """

    path: Path
    name: str
    reading: Reading = field(default_factory=Reading.create)
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    columns: tuple[ColumnChoice, ...] = ()
    options: Texts = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)
    started: int = 0
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    _source: Source | None = field(default=None, repr=False)
    _table: Any = field(default=None, repr=False)
    _profile: tuple[ColumnProfile, ...] | None = field(default=None, repr=False)
    _counts: dict[Any, Counted] = field(default_factory=dict, repr=False)

    def read(self, reading: Reading) -> None:
        """Read the file, and suggest roles; keep the previous state if it cannot be read."""
        source = read_source(self.path, **reading.form())
        table = source.parsed()
        if source.dialect is not None and reading.blank:
            names = source.table.column_names
            bare = replace(source, table=without_codes(source.table, names, reading.blank))
            table = bare.parsed()
        suggestion = suggest_schema(table)
        self._source, self._table, self.reading = source, table, reading
        self.columns, self.marks = _suggested(suggestion), suggestion.blanks
        self._profile, self._counts = None, {}

    @property
    def is_read(self) -> bool:
        """Whether the file could be read."""
        return self._source is not None

    @property
    def source(self) -> Source:
        """The file as it was read."""
        if self._source is None:
            raise ParameterError("The file could not be read yet.")
        return self._source

    @property
    def table(self) -> Any:
        """The records, with numbers in text columns that contain only numbers."""
        _ = self.source
        return self._table

    def profile(self) -> tuple[ColumnProfile, ...]:
        """Return the profile of every column."""
        if self._profile is None:
            self._profile = profile(self.table)
        return self._profile

    def decide(self, decisions: Mapping[str, ColumnChoice]) -> None:
        """Store the role, kind and order that the user chose for each column."""
        for choice in decisions.values():
            if choice.role not in ROLES or choice.kind not in ("", *KINDS):
                raise ParameterError("The page sent a role or kind that does not exist.")
        self.columns = tuple(decisions.get(column.name, column) for column in self.columns)

    def having(self, *roles: str) -> list[str]:
        """Return the columns with certain roles."""
        return [column.name for column in self.columns if column.role in roles]

    @property
    def schema(self) -> Schema:
        """The roles and kinds that the user chose; raises if there is no quasi-identifier."""
        return Schema(
            self.having("quasi-identifier"),
            self.having("identifier"),
            self.having("confidential"),
            {column.name: column.kind for column in self.columns if column.kind},
            {c.name: list(c.order) for c in self.columns if c.order and c.kind == "ordinal"},
        )

    def continuous(self) -> set[str]:
        """Return the columns that are grouped as numbers."""
        both = zip(self.columns, self.profile(), strict=True)
        return {
            column.name
            for column, profile in both
            if (column.kind or profile.kind) == "continuous" and profile.type == "number"
        }

    def has_blanks(self) -> bool:
        """Return whether a quasi-identifier has missing values."""
        chosen = {*self.having("quasi-identifier")}
        return any(column.missing for column in self.profile() if column.name in chosen)

    def count(self, k: int) -> Counted | None:
        """Count the records that the original values single out; None if there are no quasi-identifiers."""
        keys, others = self.having("quasi-identifier"), self.having("other")
        if not keys:
            return None
        asked = (tuple(keys), tuple(others), k)
        if asked not in self._counts:
            self._counts[asked] = _count(self.table, keys, others, k)
        return self._counts[asked]


def _count(table: Any, keys: Sequence[str], others: Sequence[str], k: int) -> Counted:
    classes = EquivalenceClasses(table)
    sizes = classes.sizes(tuple(keys))
    exposure = exposure_of(classes, tuple(keys), tuple(others), k)
    return Counted(Frame(table).n, int((sizes == 1).sum()), int(sizes[sizes < k].sum()), exposure)


def _suggested(suggestion: SchemaSuggestion) -> tuple[ColumnChoice, ...]:
    return tuple(
        ColumnChoice(column.column, column.role, column.kind, reason=rendered(column.reason, PAGE))
        for column in suggestion.columns
    )
