"""k units instead of k records: the number of different units that share each combination of values.

A unit is the person, household or company that a record belongs to: the patient of a visit, the customer
of a transaction, the household of a person. The column that names it is usually not released, so units
are counted on the released values together with the numbers of the units, which are in the order of the
rows.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

from microagg.errors import AnonymityError
from microagg.measure.classes import EquivalenceClasses
from microagg.typing import Codes

BLANK = -1
"""The code of a record without a unit, which does not count."""


def units_of(classes: Codes, units: Codes) -> Codes:
    """Return the number of different units in each class; missing units do not count.

    Examples
    --------
    >>> units_of(np.array([0, 0, 0, 1, 1]), np.array([7, 7, 3, 3, BLANK]))
    array([2, 1])
    """
    named = units != BLANK
    pairs = np.unique(np.stack([classes[named], units[named]]), axis=1)
    return np.bincount(pairs[0], minlength=int(classes.max()) + 1)


def unit_in_file(unit: str | None, columns: Collection[str]) -> tuple[str, ...]:
    """Return a warning if the column that names the units is in the evaluated file.

    Examples
    --------
    >>> unit_in_file("patient", ["patient", "age"])
    ("Column 'patient' links the records of a unit: remove it before you publish the file.",)
    """
    if unit is None or unit not in columns:
        return ()
    return (f"Column '{unit}' links the records of a unit: remove it before you publish the file.",)


@dataclass(frozen=True)
class UnitPromise:
    """A promise about units: at least k different ones share each combination of `columns`.

    Attributes
    ----------
    columns : tuple of str
        The released quasi-identifiers.
    unit : str
        The column that names the units.
    k : int
        The minimum number of different units.
    codes : int64[n]
        The number of the unit of each released record.
    total : int, optional
        The number of different units among all records, if they were counted in pieces.
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
        """Return the promise with column names as text, as in files."""
        return replace(self, columns=tuple(map(str, self.columns)), unit=str(self.unit))

    def achieved(self, classes: EquivalenceClasses) -> int:
        """Return the minimum number of units of a class, counted on the released values."""
        return int(units_of(classes.of(self.columns), self.codes).min())

    def require(self, classes: EquivalenceClasses) -> int:
        """Return the count of a release, or raise if it does not satisfy the promise."""
        return self.required_of(self.achieved(classes))

    def required_of(self, fewest: int) -> int:
        """Return the minimum number of units of a class, or raise if it is too small."""
        if fewest < self.k:
            raise AnonymityError(
                f"Some combinations of released quasi-identifiers belong to only {fewest} "
                f"{'unit' if fewest == 1 else 'units'}, but at least k={self.k} are promised. Nothing was "
                "released."
            )
        return fewest
