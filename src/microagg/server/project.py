"""A project: one file on its way to a release, from reading to runs.

The page asks for one thing at a time; a project holds the answers.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from microagg.data.frames import Frame
from microagg.data.source import Source, read_source
from microagg.errors import ParameterError
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.exposure import Exposure, exposure_of
from microagg.reading import Reading
from microagg.schema import KINDS, Schema
from microagg.server.profile import ColumnProfile, profile
from microagg.suggest import SchemaSuggestion, suggest_schema

ROLES = ("identifier", "quasi-identifier", "confidential", "other")
"""The roles in the order of the page's menu."""


@dataclass(frozen=True)
class ColumnChoice:
    """What the user has decided about a column, and what was suggested.

    Attributes
    ----------
    name, role, kind : str
        The column, its role, and its kind; an empty kind follows the type.
    reason : str
        Why the role was suggested.
    """

    name: str
    role: str
    kind: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Counted:
    """How many records a choice of quasi-identifiers singles out before anything is protected."""

    records: int
    unique: int
    exposure: Exposure

    @property
    def percent(self) -> float:
        """The share of unique records, in percent."""
        return 100 * self.unique / self.records if self.records else 0.0


@dataclass(eq=False)
class Project:
    """A file and the user's decisions.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        What the user calls it.
    reading : Reading
        How it is read.
    """

    path: Path
    name: str
    reading: Reading = field(default_factory=Reading)
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    columns: tuple[ColumnChoice, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)
    _source: Source | None = field(default=None, repr=False)

    def read(self, reading: Reading) -> None:
        """Read the file, and suggest roles; keep the former state when it cannot be read."""
        self._source = read_source(self.path, **reading.form())
        self.reading = reading
        self.columns = _suggested(suggest_schema(self.table))

    @property
    def source(self) -> Source:
        """The file as it was read."""
        if self._source is None:
            self.read(self.reading)
        assert self._source is not None
        return self._source

    @property
    def table(self) -> Any:
        """The records, with numbers wherever a column of text has nothing else."""
        return self.source.parsed()

    def profile(self) -> tuple[ColumnProfile, ...]:
        """Return every column at a glance."""
        return profile(self.table)

    def decide(self, decisions: Mapping[str, tuple[str, str]]) -> None:
        """Take the role and kind of each column as the user chose them."""
        self.columns = tuple(
            replace(column, role=_one_of(role, ROLES), kind=_one_of(kind, ("", *KINDS)))
            for column in self.columns
            for role, kind in [decisions.get(column.name, (column.role, column.kind))]
        )

    def having(self, role: str) -> list[str]:
        """Return the columns of a role."""
        return [column.name for column in self.columns if column.role == role]

    @property
    def schema(self) -> Schema:
        """The roles and kinds as decided; raises where there is no quasi-identifier."""
        return Schema(
            self.having("quasi-identifier"),
            self.having("identifier"),
            self.having("confidential"),
            {column.name: column.kind for column in self.columns if column.kind},
        )

    def count(self, quasi_identifiers: Sequence[str], others: Sequence[str], k: int) -> Counted:
        """Count the records that the original values single out."""
        frame = Frame(self.table)
        classes = EquivalenceClasses(self.table)
        sizes = classes.sizes(tuple(quasi_identifiers)) if quasi_identifiers else None
        unique = 0 if sizes is None else int((sizes == 1).sum())
        exposure = exposure_of(classes, tuple(quasi_identifiers), tuple(others), k)
        return Counted(frame.n, unique, exposure)


def _one_of(value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise ParameterError("The page sent a role or kind that does not exist.")
    return value


def _suggested(suggestion: SchemaSuggestion) -> tuple[ColumnChoice, ...]:
    return tuple(
        ColumnChoice(column.column, column.role, reason=str(column.reason))
        for column in suggestion.columns
    )
