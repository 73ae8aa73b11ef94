"""Missing values: refused, kept, filled in by the group or beforehand, or left out with their records.

There is no special code: a missing value is NaN or null in the data, and NaN here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.data.number_checks import missing_values
from microagg.errors import DataError, Phrase
from microagg.prepare.column import Column
from microagg.prepare.weighted_median import ALIKE, lower_median
from microagg.typing import Floats


def refuse(columns: Sequence[Column]) -> None:
    """Raise if a column has a missing value."""
    for column in columns:
        if column.blank.any():
            hint = Phrase(
                "Choose how to treat missing values, such as {missing}, or leave the column out of "
                "the quasi-identifiers.",
                missing="keep",
            )
            raise missing_values(str(column.name), column.blank, hint)


def complete(columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Return which records are complete."""
    blank = np.array([column.blank for column in columns])
    return np.asarray(~blank.any(axis=0))


def imputed(
    columns: Sequence[Column], rng: np.random.Generator, weights: Floats | None = None
) -> list[Column]:
    """Return the columns with missing values replaced by the median of numbers and ranks, or the mode.

    The median of categories is one of them; ties of a mode are broken at random.
    """
    return [_filled(column, rng, weights) for column in columns]


def _filled(column: Column, rng: np.random.Generator, weights: Floats | None) -> Column:
    blank = column.blank
    if not blank.any():
        return column
    if blank.all():
        raise DataError(
            f"Column '{column.name}' contains only missing values, so there is nothing to fill in.",
            hint="Leave it out of the quasi-identifiers.",
        )
    weights_there = (np.ones(blank.size) if weights is None else weights)[~blank]
    if column.nominal:
        values, inverse = np.unique(column.values[~blank], return_inverse=True)
        weight = np.bincount(inverse, weights_there)
        fill = values[rng.choice(np.flatnonzero(weight >= weight.max() * (1 - ALIKE)))]
    else:
        fill = lower_median(column.values[~blank], weights_there)
    return column.filled(np.where(blank, fill, column.values))
