"""Signs that two files do not contain the same records, in the same order and units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from microagg.data.frames import Frame
from microagg.data.numerals import not_numbers
from microagg.errors import DataError
from microagg.measure.pair import Category, Pair, of_usual_size
from microagg.typing import Floats


def same_population(pair: Pair) -> tuple[str, ...]:
    """Return a warning for each column whose ranges do not overlap, or raise if none overlaps."""
    apart = [_apart(one, other) for one, other in zip(pair.original, pair.released, strict=True)]
    if apart and all(apart):
        raise DataError(
            "No released column of numbers overlaps with the range of its original.",
            hint="Is this the right original, in the same units?",
        )
    return tuple(
        f"Column '{name}' was released in a range that does not overlap with the original's."
        for name, far in zip(pair.names, apart, strict=True)
        if far
    )


def _apart(one: Floats, other: Floats) -> bool:
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if not one.size or not other.size:
        return False
    return bool(one.min() > other.max() or one.max() < other.min())


def other_units(pair: Pair) -> tuple[str, ...]:
    """Return a warning for each column whose original a linear function recovers."""
    return tuple(
        f"Column '{name}' was only converted to other units: a linear function restores the original. "
        + (
            "Of the linkage measures, only linkage-own-scale detects this."
            if together > 0
            else "No linkage measure detects this."
        )
        for name, *column in zip(pair.names, pair.original, pair.released, strict=True)
        for one, other, together in _correlated(*column)
        if abs(together) > 0.9999 and (together < 0 or abs(np.std(other) / np.std(one) - 1) > 0.01)
    )


def in_order(pair: Pair) -> bool:
    """Return whether any column is related to its release more closely than by chance.

    A single value for all records says nothing about the order. If no column is informative, the order is
    accepted.
    """
    if pair.n < 30:
        return True
    deviations = [
        abs(together) * np.sqrt(len(one))
        for one, other in zip(*pair.ordered(), strict=True)
        for one, _, together in _correlated(one, other)
    ]
    deviations += [away for column in pair.unordered() for away in _beyond_chance(column)]
    return not deviations or max(deviations) > 3


def _beyond_chance(column: Category) -> Iterator[float]:
    """Yield the number of records that kept their category, in standard deviations from chance."""
    n = column.original.size
    one, other = (
        np.bincount(codes, minlength=column.size) / n
        for codes in (column.original, column.released)
    )
    expected = one @ other
    # Of the count in rows that were shuffled, divided by n.
    variance = (one * other) @ ((1 - one) * (1 - other) - one * other) + expected**2
    if variance > 1e-12:
        kept = np.mean(column.original == column.released)
        yield float(abs(kept - expected) / np.sqrt(variance / (n - 1)))


def _correlated(one: Floats, other: Floats) -> Iterator[tuple[Floats, Floats, float]]:
    """Yield the number of values that both files have, and their correlation, if both vary."""
    present = ~np.isnan(one) & ~np.isnan(other)
    one, other = (v[0] for v in of_usual_size(one[None, present], other[None, present]))
    if one.size >= 3 and np.ptp(one) > 0 and np.ptp(other) > 0:
        yield one, other, float(np.corrcoef(one, other)[0, 1])


def new_categories(pair: Pair) -> tuple[str, ...]:
    """Return a warning for each column released in categories that the original does not have."""
    names = []
    for name, column in pair.categories.items():
        foreign = ~np.isin(column.released, column.original) & (column.released != column.blank)
        if not column.ordinal and 2 * np.count_nonzero(foreign) > pair.n:
            names.append(name)
    return foreign_in_words(names)


def foreign_in_words(names: Sequence[str]) -> tuple[str, ...]:
    """Return the warnings about columns whose released categories are mostly not in the original."""
    return tuple(
        f"Column '{name}' was released in categories that the original does not have, such "
        "as intervals: each counts as a different value, so the risk is understated, and "
        "measures that compare records are unreliable."
        for name in names
    )


def numbers_as_categories(pair: Pair, before: Frame) -> tuple[str, ...]:
    """Return a warning for each categorical column of numbers and one code."""
    lines = []
    for name in pair.of_kind("nominal"):
        if before.is_text(name) and not_numbers(before.arrow(name)).code is not None:
            lines.append(
                f"Column '{name}' was treated as categorical: it contains numbers and, in some records, "
                "a word. If the word means missing, replace it with an empty field."
            )
    return tuple(lines)
