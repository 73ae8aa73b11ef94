"""Suggest roles for the columns of a file. A suggestion is read by a person; it decides nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from microagg.data.frames import Frame
from microagg.schema import toml_value

_NAMING = re.compile(
    r"(^|[_\W])(id|ids|name|surname|firstname|lastname|email|mail|phone|telephone|mobile|address|"
    r"street|ssn|passport|iban|account|licen[cs]e|nhs|patient|url|ip)($|[_\W\d])|"
    r"(?-i:[a-z]I[dD]$|[A-Z]{3,}ID$)",  # personId, UTILITYID, but not paid
    re.IGNORECASE,
)
_CONFIDENTIAL = re.compile(
    r"diagnos|disease|illness|cancer|religion|ethnic|sexual|criminal|convict|test.?result|"
    r"medication|progression|salary|(^|[_\W])(hiv|race|icd|wage)",
    re.IGNORECASE,
)
_WEIGHT = re.compile(r"weight|wgt|wt$", re.IGNORECASE)


@dataclass(frozen=True)
class Suggestion:
    """A role for a column and the reason for it."""

    column: str
    role: str
    reason: str


def suggest(data: Any) -> list[Suggestion]:
    """Suggest a role for each column of a frame.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"name": ["a", "b", "c"], "age": [30, 41, 30], "city": ["x", "x", "y"]})
    >>> [(s.column, s.role) for s in suggest(people)]
    [('name', 'identifier'), ('age', 'quasi-identifier'), ('city', 'other')]
    """
    frame = Frame(data)
    return [_judge(frame, name) for name in frame.names]


def _judge(frame: Frame, name: str) -> Suggestion:
    numeric, distinct = frame.is_numeric(name), frame.distinct(name)
    if distinct == 1:
        return Suggestion(name, "other", "the same value in every record")
    if _NAMING.search(str(name)):
        return Suggestion(name, "identifier", "its name sounds like one that names a person")
    if _CONFIDENTIAL.search(str(name)):
        return Suggestion(name, "confidential", "its name sounds like a sensitive matter")
    if distinct == frame.n and (not numeric or frame.is_integer(name)):
        return Suggestion(name, "identifier", "every record has a value of its own")
    if not numeric:
        return Suggestion(name, "other", f"text, {distinct} values; cannot be averaged")
    if _WEIGHT.search(str(name)):
        return Suggestion(name, "other", "its name sounds like a sampling weight")
    if frame.missing(name):
        reason = f"numbers, but {frame.missing(name)} missing values: fill them first"
        return Suggestion(name, "other", reason)
    return Suggestion(name, "quasi-identifier", f"numbers, {distinct} different values")


def to_toml(suggestions: Sequence[Suggestion]) -> str:
    """Return suggestions as a schema file, each with its reason as a comment."""
    lines = ["# A suggestion, made from names and values. Read every line before you use it."]
    for key, role in (
        ("identifiers", "identifier"),
        ("quasi_identifiers", "quasi-identifier"),
        ("confidential", "confidential"),
    ):
        lines += ["", f"{key} = ["]
        lines += [_line(s) for s in suggestions if s.role == role]
        lines += ["]"]
    others = [s for s in suggestions if s.role == "other"]
    if others:
        lines += ["", "# Released unchanged, as they have no role:"]
        lines += [f"#{_line(s)}" for s in others]
    return "\n".join(lines) + "\n"


def _line(suggestion: Suggestion) -> str:
    return f"    {toml_value(str(suggestion.column))},  # {suggestion.reason}"
