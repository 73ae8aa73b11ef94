"""Columns of both files as numbers for models and regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg.data.categories import decoded
from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.measure.column_values import as_numbers
from microagg.measure.pair import Pair
from microagg.typing import Floats, Rows

AMOUNTS = 10
"""A numeric target with more distinct values than this is an amount."""
FEWEST = 10
"""The minimum number of records of a category in both files for it to be shown."""


@dataclass(frozen=True, eq=False)
class Feature:
    """A column of both files as numbers on the same scale; codes if it is `nominal`."""

    name: str
    original: Floats
    released: Floats
    nominal: bool
    labels: tuple[str, ...] = ()

    def rows(self, rows: Rows) -> Feature:
        """Return the column for some of the records."""
        own = self.original[rows], self.released[rows]
        return Feature(self.name, *own, self.nominal, self.labels)


def key_of(pair: Pair, name: str) -> Feature:
    """Return a quasi-identifier of both files."""
    column = pair.columns[name]
    own = column.values, pair.values[name]
    return Feature(str(name), *own, column.kind == "nominal", column.labels)


def unchanged(frame: Frame, name: str) -> Feature | None:
    """Return a column that both files share; None for lists and similar types."""
    column = frame.arrow(name)
    return _both(column, column, str(name))


def _both(before: Any, after: Any, name: str) -> Feature | None:
    """Return a column of both files as numbers or codes of its categories; None for other types."""
    import pyarrow as pa

    numbers = [as_numbers(decoded(column)) for column in (before, after)]
    if numbers[0] is not None and numbers[1] is not None:
        return Feature(name, numbers[0], numbers[1], False)
    try:
        texts = [decoded(column).cast(pa.string()) for column in (before, after)]
    except pa.ArrowException:  # lists, bytes that are no text, dates of an unknown time zone
        return None
    labels = sorted({value for column in texts for value in column.unique().to_pylist()} - {None})
    place = {label: float(code) for code, label in enumerate(labels)}
    codes = [
        np.array([place.get(value, np.nan) for value in column.to_pylist()], dtype=np.float64)
        for column in texts
    ]
    return Feature(name, codes[0], codes[1], True, tuple(labels))


def target_of(pair: Pair, name: str, original: Frame | None) -> Feature:
    """Return the target of both files: amounts, or the codes of its classes."""
    if name in pair.columns:
        feature = key_of(pair, name)
    else:
        released = pair.after.frame
        both = _both((original or released).arrow(name), released.arrow(name), str(name))
        if both is None:
            raise DataError(
                f"The target column '{name}' contains neither numbers nor text.",
                hint="Choose another target.",
            )
        feature = both
    values = np.unique(feature.original[~np.isnan(feature.original)])
    if feature.nominal or values.size > AMOUNTS:
        return feature
    # A few numbers are classes: 0 and 1, or grades.
    codes = [
        np.where(np.isin(v, values), np.searchsorted(values, v), np.nan).astype(np.float64)
        for v in (feature.original, feature.released)
    ]
    return Feature(feature.name, codes[0], codes[1], True, tuple(f"{v:g}" for v in values))


def as_amounts(aim: Feature) -> tuple[Floats, Floats] | None:
    """Return the target as amounts, or as 1 for the second of two categories; None for more categories."""
    if not aim.nominal:
        return aim.original, aim.released
    return (aim.original, aim.released) if len(aim.labels) == 2 else None


def frequent(feature: Feature) -> list[int]:
    """Return the codes that are frequent enough in both files, the most frequent first."""
    counts = np.minimum(
        *(
            np.bincount(v[~np.isnan(v)].astype(np.int64), minlength=len(feature.labels))
            for v in (feature.original, feature.released)
        )
    )
    return [int(c) for c in np.argsort(-counts, kind="stable") if counts[c] >= FEWEST]


def unit_of(values: Floats) -> float:
    """Return a power of two by which values are divided exactly to be at most 1.

    Examples
    --------
    >>> unit_of(np.array([3.0, -5.0])), unit_of(np.zeros(2))
    (8.0, 1.0)
    """
    exponent = int(np.frexp(np.abs(values).max(initial=0.0, where=~np.isnan(values)))[1])
    return float(np.ldexp(1.0, min(exponent, 1023)))
