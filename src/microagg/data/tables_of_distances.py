"""Distances between the categories of a column: a user's table, or a hierarchy as ARX has them.

A hierarchy is a row for each category: the category, then what it is generalised to, level by
level; as a CSV file with semicolons, ``Spain;Southern Europe;Europe;*``. Two categories are as far
apart as the first level at which they are the same. A table is ``{"a": {"b": 2.5, ...}, ...}``, or
a CSV file whose first row and column name the categories.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from microagg.data.categories import text_of
from microagg.data.numerals import MISSING_CODES
from microagg.data.settings_files import read_settings_file
from microagg.errors import FileError, ParameterError, Phrase, shown
from microagg.typing import Floats

MOST_CATEGORIES = 2000
"""Distances between more categories than this would take too much memory and time."""


def hierarchy_rows(hierarchy: Any, name: str) -> list[list[str]]:
    """Return the rows of a hierarchy: a path of a CSV file, or the rows themselves."""
    if isinstance(hierarchy, str | PathLike):
        rows = _read(Path(hierarchy), f"The hierarchy of {name!r}")
    elif isinstance(hierarchy, Sequence) and all(
        isinstance(row, Sequence) and not isinstance(row, str) for row in hierarchy
    ):
        rows = [[text_of(cell) for cell in row] for row in hierarchy]
    else:
        raise ParameterError(
            f"The hierarchy of {name!r} must be a CSV file or a list of rows. Got {shown(hierarchy)}."
        )
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths <= {0, 1}:
        raise ParameterError(
            f"The hierarchy of {name!r} must have rows of equal length: a category and its levels.",
            hint="Write one row per category: Spain;Southern Europe;Europe;*",
        )
    if len({row[0] for row in rows}) < len(rows):
        raise ParameterError(f"The hierarchy of {name!r} names a category more than once.")
    return rows


def by_hierarchy(rows: list[list[str]], labels: Sequence[str], name: str) -> Floats:
    """Return the distances of categories: the first level at which two are the same.

    Examples
    --------
    >>> rows = [["es", "south", "*"], ["it", "south", "*"], ["fi", "north", "*"]]
    >>> by_hierarchy(rows, ["es", "it", "fi"], "country")
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    """
    levels = {row[0]: row[1:] for row in rows}
    _require(labels, levels, f"The hierarchy of {name!r}")
    depth = len(rows[0]) - 1
    out = np.full((len(labels), len(labels)), float(depth + 1))
    for level in range(depth - 1, -1, -1):
        words = [levels[label][level] for label in labels]
        codes = np.unique(words, return_inverse=True)[1]
        out[codes[:, None] == codes[None, :]] = level + 1
    np.fill_diagonal(out, 0.0)
    return out


def table_entries(table: Any, name: str) -> dict[str, dict[str, float]]:
    """Return a table of distances: a path of a CSV file, or a mapping of mappings."""
    source = f"The distance table of {name!r}"
    if isinstance(table, str | PathLike):
        table = _mapping(_read(Path(table), source), source)
    if not isinstance(table, Mapping) or not all(isinstance(r, Mapping) for r in table.values()):
        raise ParameterError(
            f"{source} must be a CSV file or a mapping of mappings. Got {shown(table)}."
        )
    try:
        return {
            text_of(one): {text_of(other): float(value) for other, value in row.items()}
            for one, row in table.items()
        }
    except (TypeError, ValueError):
        pass  # raised below, because the caught error shows an entry
    raise ParameterError(f"{source} must contain only numbers.")


def by_table(
    entries: Mapping[str, Mapping[str, float]], labels: Sequence[str], name: str
) -> Floats:
    """Return the distances of categories by a table, in which each pair stands at least once.

    Examples
    --------
    >>> by_table({"a": {"b": 2.0}}, ["a", "b"], "x")
    array([[0., 2.],
           [2., 0.]])
    """
    source = f"The distance table of {name!r}"
    names = set(entries) | {other for row in entries.values() for other in row}
    _require(labels, names, source)
    out = np.zeros((len(labels), len(labels)))
    for i, one in enumerate(labels):
        for j, other in enumerate(labels[:i]):
            both_ways = [entries.get(a, {}).get(b) for a, b in ((one, other), (other, one))]
            values = {value for value in both_ways if value is not None}
            if len(values) != 1:
                what = "lacks a pair of categories" if not values else "is not symmetric"
                raise ParameterError(
                    f"{source} {what}.", hint="Specify one distance for each pair."
                )
            out[i, j] = out[j, i] = values.pop()
    if not np.isfinite(out).all() or (out < 0).any():
        raise ParameterError(f"{source} must contain only finite numbers of at least 0.")
    if any(entries.get(label, {}).get(label, 0.0) != 0.0 for label in labels):
        raise ParameterError(f"{source} must have 0 between a category and itself.")
    return out


def _require(labels: Sequence[str], names: Any, source: str) -> None:
    missing = [label for label in labels if label not in names]
    if missing:
        hint = Phrase("Add them; categories are compared as text, character by character.")
        if any(label.strip().lower() in MISSING_CODES for label in missing):
            hint = Phrase(
                f"{hint} One of them looks like a code for missing values, such as NA or ?. If it is one, "
                "declare it: {blank}.",
                blank="?",
            )
        raise ParameterError(
            f"{source} lacks {len(missing)} of the {len(labels)} categories of the data.", hint=hint
        )
    if len(labels) > MOST_CATEGORIES:
        raise ParameterError(
            f"{source} is for {len(labels):,} categories; {MOST_CATEGORIES:,} is the maximum."
        )


def _mapping(rows: list[list[str]], source: str) -> dict[str, dict[str, float]]:
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ParameterError(f"{source} must have the same number of fields in each line.")
    out: dict[str, dict[str, float]] = {}
    for row in rows[1:]:
        pairs = zip(rows[0][1:], row[1:], strict=True)
        out[row[0]] = {other: _number(cell) for other, cell in pairs if cell.strip()}
    return out


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan  # refused as no finite number, without showing it


def _read(path: Path, source: str) -> list[list[str]]:
    try:
        text = read_settings_file(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"{source}: there is no file {str(path)!r}.") from None
    except (OSError, UnicodeDecodeError):
        raise FileError(f"{source}: {str(path)!r} cannot be read as UTF-8 text.") from None
    separator = ";" if ";" in text else ","
    return [row for row in csv.reader(text.splitlines(), delimiter=separator) if row]
