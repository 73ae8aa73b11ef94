"""Suggest roles for the columns of a frame. A suggestion is read by a person; it decides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.data.numerals import not_numbers, to_numbers
from microagg.errors import Phrase
from microagg.schema import Schema, toml_value

_NAMING = re.compile(
    r"(^|[_\W])((h|hh|p|u|gu|uu|q|case|person|resp|user|cust|emp|house|household)?ids?|"
    r"name|surname|firstname|lastname|email|mail|phone|telephone|mobile|address|"
    r"street|ssn|passport|iban|account|licen[cs]e|nhs|patient|url|ip)($|[_\W\d])|"
    r"(?-i:[a-z]I[dD]$|[A-Z]{3,}ID$)",  # personId, UTILITYID, but not paid
    re.IGNORECASE,
)
_NUMBERING = re.compile(
    r"(^|[_\W])(nr|no|num|number|code|key|serial|record|row|case|index)($|[_\W\d])|"
    r"(?-i:[a-z](Nr|No|Num|Number|Code|Key)$)",
    re.IGNORECASE,
)
_CONFIDENTIAL = re.compile(
    r"diagnos|disease|illness|cancer|religion|ethnic|sexual|criminal|convict|test.?result|"
    r"medication|progression|salary|(^|[_\W])(hiv|race|icd|wage)",
    re.IGNORECASE,
)
_WEIGHT = re.compile(r"weight|wgt|wt$", re.IGNORECASE)
_PLACE = re.compile(
    r"zip|post_?code|postal|(^|[_\W])(plz|cp|fips|puma|nuts|lau|geo_?code)($|[_\W\d])",
    re.IGNORECASE,
)

FEW = 20
"""Whole numbers with at most so many values are codes rather than amounts ..."""
OFTEN = 5
"""... if each is there that often on average; in a handful of records all values are few."""

BLOCKS = {
    "mend": "Mend first, or they are released unchanged:",
    "code": "Codes? decide (among quasi_identifiers: categories, by the kinds below; among "
    "identifiers: removed; left here: released unchanged):",
    "": "Released unchanged, as they have no role:",
}
"""What a column without a role asks of a person, and the words above such columns."""


@dataclass(frozen=True)
class Suggestion:
    """A role for a column, the reason for it, and what is left to do: "mend", "code" or nothing."""

    column: str
    role: str
    reason: str | Phrase
    to_do: str = ""


@dataclass(frozen=True)
class SchemaSuggestion:
    """A suggestion for each column; as text it is a schema file with the reasons."""

    columns: tuple[Suggestion, ...]

    def schema(self) -> Schema:
        """Return the schema, once you have read the reasons.

        Raises
        ------
        ParameterError
            No column is suggested as a quasi-identifier.
        """
        return Schema(
            self._named("quasi-identifier"),
            identifiers=self._named("identifier"),
            confidential=self._named("confidential"),
            kinds=self._kinds(),
        )

    def to_toml(self) -> str:
        """Return the suggestion as a schema file, each column with its reason as a comment."""
        lines = ["# A suggestion, made from names and values. Read every line before you use it."]
        lines += self._block("mend")
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
        lines += ["", "# Kinds of codes: nominal, or ordinal where their order means something.",
                  "[kinds]", *kinds] if kinds else []  # fmt: skip
        return "\n".join(lines) + "\n"

    __str__ = to_toml

    def _named(self, role: str) -> list[str]:
        return [suggestion.column for suggestion in self.columns if suggestion.role == role]

    def _kinds(self) -> dict[str, str]:
        """Return the kind that codes have as quasi-identifiers; other columns have it by type."""
        return {s.column: "nominal" for s in self.columns if s.to_do == "code"}

    def _block(self, to_do: str) -> list[str]:
        found = [s for s in self.columns if s.role == "other" and s.to_do == to_do]
        return ["", f"# {BLOCKS[to_do]}", *(f"#{_line(s)}" for s in found)] if found else []


def suggest_schema(data: Any) -> SchemaSuggestion:
    """Suggest a role for each column of a frame, with a reason, for a person to decide.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"name": ["a", "b", "c"], "age": [30, 41, 30], "city": ["x", "x", "y"]})
    >>> [(s.column, s.role) for s in suggest_schema(people).columns]
    [('name', 'identifier'), ('age', 'quasi-identifier'), ('city', 'other')]
    """
    frame = Frame(data)
    return SchemaSuggestion(tuple(_judge(frame, name) for name in frame.names))


def _judge(frame: Frame, name: str) -> Suggestion:
    """Judge by the name, as far as it is telling, and then by the values."""
    distinct = frame.distinct(name)
    if distinct == 1:
        return Suggestion(name, "other", "the same value in every record")
    if _NAMING.search(str(name)):
        return Suggestion(name, "identifier", "its name sounds like one that names a person")
    if _CONFIDENTIAL.search(str(name)):
        return Suggestion(name, "confidential", "its name sounds like a sensitive matter")
    if sounds_like_a_place(name) or frame.has_value_labels(name):
        return _code(name, f"{distinct:,} values")
    if frame.is_numeric(name):
        return _judge_numbers(frame, name, distinct)
    if frame.is_text(name):
        return _judge_text(frame, name, distinct)
    return Suggestion(name, "other", f"{frame.type_of(name)}, {distinct:,} values")


def sounds_like_a_place(name: str) -> bool:
    """Tell whether a column's name is one for codes of places."""
    return _PLACE.search(str(name)) is not None


def looks_like_codes(frame: Frame, name: str) -> bool:
    """Tell whether numbers look like codes of places or categories, of which a mean makes no sense."""
    if sounds_like_a_place(name):
        return True
    values = _values(frame, name)
    return bool((values == np.rint(values)).all()) and few(np.unique(values).size, len(values))


def _judge_numbers(frame: Frame, name: str, distinct: int) -> Suggestion:
    values = _values(frame, name)
    whole = bool((values == np.rint(values)).all())
    missing = frame.n - len(values)
    distinct -= missing > 0  # missing values count as one
    if distinct == frame.n and whole and _numbers_the_records(name, values):
        return Suggestion(name, "identifier", "it numbers the records")
    if _WEIGHT.search(str(name)):
        return Suggestion(name, "other", "its name sounds like a sampling weight")
    if looks_like_codes(frame, name):
        return _code(name, f"{distinct} values")
    if missing:
        return _to_mend(name, f"numbers but for {_records(missing)} (missing)")
    return Suggestion(name, "quasi-identifier", f"numbers, {distinct:,} different values")


def _judge_text(frame: Frame, name: str, distinct: int) -> Suggestion:
    found = not_numbers(frame.select([name]).column(0))
    if found.decimal_commas:
        reason = Phrase("looks like decimal commas: give {decimal}", decimal=",")
        return Suggestion(name, "other", reason, "mend")
    if found.code is not None:
        if few(distinct - 1, frame.n - len(found.rows)):
            return _code(name, f"{distinct - 1} values, and '{found.code}' for missing ones")
        return _to_mend(
            name,
            f"numbers but for {_records(len(found.rows))} (missing code '{found.code}'?)",
        )
    if distinct == frame.n:
        return Suggestion(name, "identifier", "every record has a value of its own")
    return Suggestion(
        name, "other", f"text, {distinct:,} values; a quasi-identifier of categories?"
    )


def _values(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return the values of a column of numbers, less the missing ones."""
    column = frame.select([name]).column(0).drop_null()
    values = np.asarray(column.to_numpy(), dtype=np.float64)
    return values[np.isfinite(values)]


def _numbers_the_records(name: str, values: NDArray[np.float64]) -> bool:
    """Tell whether whole numbers that all differ are a counter, or are said to be a number."""
    counter = values.max() - values.min() == len(values) - 1
    return bool(counter) or _NUMBERING.search(str(name)) is not None


def few(distinct: int, count: int) -> bool:
    """Tell whether whole numbers are codes rather than amounts by how many different ones there are."""
    return distinct <= FEW and count >= OFTEN * distinct


def _code(name: str, values: str) -> Suggestion:
    reason = f"looks like a code ({values}): decide; others may know it"
    return Suggestion(name, "other", reason, "code")


def _to_mend(name: str, what: str) -> Suggestion:
    way = "make it a blank and give" if "code" in what else "give"
    words = f"{what}: {way} {{missing}} to have it among quasi_identifiers"
    reason = Phrase(words, missing="group")
    return Suggestion(name, "other", reason, "mend")


def _records(count: int) -> str:
    return f"{count:,} record{'' if count == 1 else 's'}"


def _line(suggestion: Suggestion) -> str:
    return f"    {toml_value(str(suggestion.column))},  # {suggestion.reason}"


def amounts_among(table: Any, names: Iterable[str]) -> list[str]:
    """Return those of the named text columns that hold amounts: numbers that do not look like codes."""
    import pyarrow as pa

    amounts = []
    for name in names:
        numbers = to_numbers(table[name]) if name in table.column_names else None
        if numbers is not None and not looks_like_codes(Frame(pa.table({name: numbers})), name):
            amounts.append(name)
    return amounts
