"""Suggest a role for each column of a frame, with a reason and a confidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from microagg.data.column_names import words_of
from microagg.data.frames import Frame
from microagg.measure.copies import find_copies
from microagg.suggest.judge import judge
from microagg.suggest.profile import profile
from microagg.suggest.suggestion import SchemaSuggestion


def suggest_schema(data: Any) -> SchemaSuggestion:
    """Suggest a role for each column of a frame, with a reason. The decision is yours.

    Values count more than names: a column called GenderID with two values is a code, and text that
    differs in every record is an identifier, whatever its name.

    Parameters
    ----------
    data : DataFrame
        A pandas, polars or pyarrow frame.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"name": ["a", "b", "c"], "age": [30, 41, 30], "note": ["x", "x", "y"]})
    >>> [(s.column, s.role, s.confidence) for s in suggest_schema(people).columns]
    [('name', 'identifier', 'medium'), ('age', 'quasi-identifier', 'high'), ('note', 'other', 'low')]
    """
    frame = Frame(data)
    beside = frozenset(word for name in frame.names for word in words_of(name))
    table = Frame(frame.select(frame.names))  # once, and not column by column
    columns = tuple(judge(profile(table, name), beside) for name in table.names)
    kept = [each.column for each in columns if each.role in ("other", "confidential")]
    masked = [each.column for each in columns if each.role == "quasi-identifier"]
    copies = find_copies(table, masked, kept)
    # A name may be a number, which Arrow does not have.
    named = zip(columns, frame.names, strict=True)
    return SchemaSuggestion(tuple(replace(each, column=name) for each, name in named), copies)
