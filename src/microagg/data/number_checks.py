"""The numbers that a column may have, and the errors for others, which never show a value."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from microagg.data.numerals import NotNumbers
from microagg.errors import DataError, Phrase
from microagg.typing import Floats

LARGEST_INTEGER = 2**53
"""float64 holds every integer up to this size."""


def check_exact(name: str, column: nw.Series[Any]) -> None:
    """Raise a DataError when an integer column has values that float64 cannot hold."""
    if column.max() > LARGEST_INTEGER or column.min() < -LARGEST_INTEGER:
        raise DataError(
            f"Column '{name}' has integers with a magnitude above 2^53, whose last digits would be lost.",
            hint="Such numbers are usually identifiers; if not, convert them to floats first.",
        )


LARGEST = 1e150
"""Squares of larger values would overflow."""


def check_finite(name: str, values: Floats) -> None:
    """Raise a DataError that names the column when a value is NaN, infinite or beyond LARGEST."""
    if values.size and values.min() >= -LARGEST and values.max() <= LARGEST:  # false for NaN
        return
    missing = np.isnan(values)
    if missing.any():
        raise missing_values(name, missing)
    infinite = np.isinf(values)
    if infinite.any():
        raise DataError(
            f"Column '{name}' has {_count(infinite, 'infinite value')}.",
            hint="Replace or remove these records first.",
        )
    huge = np.abs(values) > LARGEST
    if huge.any():
        raise DataError(
            f"Column '{name}' has {_count(huge, 'value')}, beyond {LARGEST:g} in size.",
            hint="Express the column in a larger unit.",
        )


def missing_code(name: str, refused: NotNumbers) -> DataError:
    """Return the error for numbers among which a word such as NA stands for missing ones."""
    plural = "" if len(refused.rows) == 1 else "s"
    return DataError(
        f"Column '{name}' contains '{refused.code}' in {len(refused.rows):,} record{plural}, the first in "
        f"data row {refused.rows[0] + 1}. That looks like a missing-value code, but a "
        "quasi-identifier must contain numbers.",
        hint=Phrase(
            f"Declare the code with --blank '{refused.code}' for a CSV file, or replace it by a missing "
            "value in Python, and set {missing}. Otherwise, remove these records, or leave the column out "
            "of the quasi-identifiers.",
            missing="keep",
        ),
    )


def missing_values(
    name: str, missing: NDArray[np.bool_], hint: str | Phrase | None = None
) -> DataError:
    """Return the error for missing values (NaN or null) in a quasi-identifier, with a way out."""
    fill = "Fill or remove these records first, or leave the column out of the quasi-identifiers."
    return DataError(
        f"Column '{name}' has {_count(missing, 'missing value')} (NaN, null or empty).",
        hint=hint or fill,
    )


def _count(where: NDArray[np.bool_], what: str) -> str:
    count = int(where.sum())
    plural = "" if count == 1 else "s"
    return f"{count} {what}{plural}, the first in data row {int(np.argmax(where)) + 1}"
