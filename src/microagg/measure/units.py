"""k units instead of k records: how many different people are behind each combination of values.

A unit is whoever a record belongs to: the patient of a visit, the customer of a transaction, the
household of a person. The column that names it is mostly not released, so units are counted on the
released values together with the numbers of the units, which are in the order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from microagg.errors import AnonymityError
from microagg.measure.classes import EquivalenceClasses
from microagg.typing import Codes

BLANK = -1
"""The number of a record without a unit; it counts for none."""


def units_of(classes: Codes, units: Codes) -> Codes:
    """Return how many different units each class has; blank ones count for none.

    Examples
    --------
    >>> units_of(np.array([0, 0, 0, 1, 1]), np.array([7, 7, 3, 3, BLANK]))
    array([2, 1])
    """
    named = units != BLANK
    pairs = np.unique(np.stack([classes[named], units[named]]), axis=1)
    return np.bincount(pairs[0], minlength=int(classes.max()) + 1)


@dataclass(frozen=True)
class UnitPromise:
    """What a release promises of units: at least k different ones have each combination of `columns`.

    Attributes
    ----------
    columns : tuple of str
        The released quasi-identifiers.
    unit : str
        The column that names the units.
    k : int
        The fewest different units.
    codes : int64[n]
        The unit of each released record, by number.
    total : int, optional
        The number of different units among all records, where they were counted in pieces.
    """

    columns: tuple[str, ...]
    unit: str
    k: int
    codes: Codes = field(repr=False, compare=False)
    total: int | None = None

    @property
    def count(self) -> int:
        """Number of different units among all records."""
        if self.total is not None:
            return self.total
        return int(np.unique(self.codes[self.codes != BLANK]).size)

    def as_written(self) -> UnitPromise:
        """Return the promise with the column names as files have them: as text."""
        return replace(self, columns=tuple(map(str, self.columns)), unit=str(self.unit))

    def achieved(self, classes: EquivalenceClasses) -> int:
        """Return the units of the class that has fewest, counted on the released values."""
        return int(units_of(classes.of(self.columns), self.codes).min())

    def require(self, classes: EquivalenceClasses) -> int:
        """Return what a release has, or raise when it does not hold the promise."""
        return self.required_of(self.achieved(classes))

    def required_of(self, fewest: int) -> int:
        """Return the units of the class that has fewest, or raise when they are too few."""
        if fewest < self.k:
            raise AnonymityError(
                f"Some released records share their quasi-identifiers with records of {fewest} units, "
                f"and at least k={self.k} are promised. Nothing was released."
            )
        return fewest
