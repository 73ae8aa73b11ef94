"""`SchemaSuggestion`: a role for each column with its reason, as a schema file to read and correct."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from microagg.errors import ParameterError, Phrase
from microagg.measure.copies import Copy
from microagg.schema import Schema, toml_value

Role = Literal["identifier", "quasi-identifier", "confidential", "other"]
Confidence = Literal["high", "medium", "low"]

BLOCKS = {
    "repair": "Repair first; otherwise, they are released unchanged:",
    "code": "Codes: decide on each (in quasi_identifiers: a category, with the kind below; in "
    "identifiers: removed; left here: released unchanged):",
    "": "Released unchanged, because they have no role:",
}
"""What a column without a role asks of a person, and the words above such columns."""

NO_QUASI_IDENTIFIER = (
    "No column was recognised as a quasi-identifier: move those that others could know about a person "
    "(age, sex, place, occupation, dates) into quasi_identifiers before you use this schema."
)


@dataclass(frozen=True)
class Suggestion:
    """A role for a column, and why.

    Attributes
    ----------
    column, role : str
        The column, and its role: "identifier", "quasi-identifier", "confidential" or "other".
    reason : str or Phrase
        Why, without any value of a record.
    to_do : str
        What is left to a person: "repair" (missing values or marks), "code" (decide) or nothing.
    confidence : str
        "high", "medium" or "low".
    kind : str
        The kind that the column has as a quasi-identifier where its type alone does not say it.
    blanks : tuple of str
        A text that seems to mean a missing value, such as "?" or "-99".
    """

    column: str
    role: Role
    reason: str | Phrase
    to_do: str = ""
    confidence: Confidence = "medium"
    kind: str = ""
    blanks: tuple[str, ...] = ()


@dataclass(frozen=True)
class SchemaSuggestion:
    """A suggestion for each column; as text it is a schema file with the reasons.

    Attributes
    ----------
    columns : tuple of Suggestion
        One for each column, in the order of the frame.
    copies : tuple of Copy
        Columns that would be released unchanged although they reveal a quasi-identifier.
    """

    columns: tuple[Suggestion, ...]
    copies: tuple[Copy, ...] = ()

    def schema(self) -> Schema:
        """Return the suggested schema. Read the reasons before you use it.

        Raises
        ------
        ParameterError
            No column is suggested as a quasi-identifier.
        """
        if not self._named("quasi-identifier"):
            raise ParameterError(
                "The suggestion has no quasi-identifier.",
                hint="Name the columns that others could know about a person, such as "
                'Schema(quasi_identifiers=["age", "city"]).',
            )
        return Schema(
            self._named("quasi-identifier"),
            identifiers=self._named("identifier"),
            confidential=self._named("confidential"),
            kinds=self._kinds(),
        )

    def to_toml(self) -> str:
        """Return the suggestion as a schema file, each column with its reason as a comment."""
        lines = [
            "# This suggestion is based on values and names. Check every line before you use it."
        ]
        if not self._named("quasi-identifier"):
            lines += ["", f"# {NO_QUASI_IDENTIFIER}"]
        lines += [*self._missing(), *self._copies(), *self._block("repair")]
        for key, role in (
            ("identifiers", "identifier"),
            ("quasi_identifiers", "quasi-identifier"),
            ("confidential", "confidential"),
        ):
            lines += ["", f"{key} = ["]
            lines += [_line(s) for s in self.columns if s.role == role]
            lines += ["]"]
        lines += [*self._block("code"), *self._block("")]
        kinds = [f'{toml_value(str(name))} = "{kind}"' for name, kind in self._kinds().items()]
        if kinds:
            lines += [
                "",
                "# Kinds: nominal for codes, ordinal if their order is meaningful, continuous "
                "for amounts and dates.",
                "[kinds]",
                *kinds,
            ]
        return "\n".join(lines) + "\n"

    __str__ = to_toml

    def __repr__(self) -> str:
        roles = Counter(suggestion.role for suggestion in self.columns)
        named = ", ".join(f"{role.replace('-', '_')}={count}" for role, count in roles.items())
        return f"SchemaSuggestion(columns={len(self.columns)}, {named})"

    def copies_of(self, column: str) -> list[Copy]:
        """Return how a column reveals quasi-identifiers or singles out records."""
        return [copy for copy in self.copies if copy.column == str(column)]

    @property
    def blanks(self) -> dict[str, tuple[str, ...]]:
        """The texts that seem to mean missing values, by column."""
        return {s.column: s.blanks for s in self.columns if s.blanks}

    def _named(self, role: str) -> list[str]:
        return [suggestion.column for suggestion in self.columns if suggestion.role == role]

    def _kinds(self) -> dict[str, str]:
        """Return the kinds of columns that are or may become quasi-identifiers, if not by type."""
        return {s.column: s.kind for s in self.columns if s.kind}

    def _missing(self) -> list[str]:
        if not self.blanks:
            return []
        head = (
            "# These look like codes for missing values. Name those of quasi-identifiers with --blank "
            "when you protect the file; in other columns they are released unchanged:"
        )
        lines = [f"#    {toml_value(str(c))}: {', '.join(m)}" for c, m in self.blanks.items()]
        return ["", head, *lines]

    def _copies(self) -> list[str]:
        if not self.copies:
            return []
        head = (
            "# If they are released unchanged, these columns reveal other columns or single out records. "
            "Make them quasi-identifiers, round them, or remove them:"
        )
        return ["", head, *(f"#    {_one_line(str(copy))}" for copy in self.copies)]

    def _block(self, to_do: str) -> list[str]:
        chosen = [s for s in self.columns if s.role == "other" and s.to_do == to_do]
        return ["", f"# {BLOCKS[to_do]}", *(f"#{_line(s)}" for s in chosen)] if chosen else []


def _line(suggestion: Suggestion) -> str:
    reason = _one_line(str(suggestion.reason))
    return f"    {toml_value(str(suggestion.column))},  # {reason} [{suggestion.confidence}]"


def _one_line(text: str) -> str:
    """Return text that stays within a comment, whatever a column's name holds."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
