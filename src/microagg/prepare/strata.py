"""Strata: parts of the records that groups do not cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.data.categories import Categories
from microagg.errors import DataError, Either, Phrase
from microagg.typing import Codes


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each record, by number, without the values of records.

    Attributes
    ----------
    codes : int64[n]
        The stratum numbers, from 0 without a gap.
    units : int64[n], optional
        The unit of each record, if units are counted instead of records.
    counts : int64[n], optional
        The number of equal records that each entry represents, if it represents several.
    """

    codes: Codes
    units: Codes | None = None
    counts: Codes | None = None

    @property
    def count(self) -> int:
        """Number of strata."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def sizes(self) -> Codes:
        """Number of records, or of different units, in each."""
        if self.units is None:
            return np.bincount(self.codes, self.counts).astype(np.int64)
        return np.bincount(np.unique(np.stack([self.codes, self.units]), axis=1)[0])

    @property
    def counted(self) -> str:
        """What `sizes` counts: records or units."""
        return "records" if self.units is None else "units"

    def members(self) -> list[Codes]:
        """Return the rows of each stratum, in order."""
        ends = np.cumsum(np.bincount(self.codes))
        return np.split(np.argsort(self.codes, kind="stable"), ends[:-1])

    def small(self, k: int) -> Codes:
        """Return the strata of fewer than k records or units."""
        return np.flatnonzero(self.sizes < k)

    def subset(self, rows: NDArray[np.bool_]) -> Strata:
        """Return the strata of some records, without empty strata."""
        units, counts = (None if a is None else a[rows] for a in (self.units, self.counts))
        return Strata(np.unique(self.codes[rows], return_inverse=True)[1], units, counts)


def strata_of(columns: Sequence[Categories]) -> Strata:
    """Return one stratum for each combination of categories; a missing value is a category like any other.

    Examples
    --------
    >>> region = Categories(np.array([0.0, 1.0, 0.0, np.nan]), ("north", "south"))
    >>> strata_of([region]).codes
    array([0, 1, 0, 2])
    """
    keys = np.array([np.where(np.isnan(c.codes), len(c.labels), c.codes) for c in columns])
    codes = np.unique(keys, axis=1, return_inverse=True)[1]
    return Strata(codes.reshape(-1).astype(np.int64))


def refuse_small(strata: Strata, k: int) -> None:
    """Raise if a stratum has fewer than k records or units, without naming it."""
    small = strata.small(k)
    if not small.size:
        return
    verb = "has" if small.size == 1 else "have"
    raise DataError(
        f"{small.size} of {strata.count} strata {verb} fewer than k={k} {strata.counted}.",
        hint=Phrase(
            "Choose larger strata, or set {small_strata}.",
            small_strata=Either("merge", "suppress"),
        ),
    )


def merged(strata: Strata, k: int) -> Strata:
    """Return the strata with all small ones merged, and with the smallest other one if necessary."""
    small = list(strata.small(k))
    sizes = strata.sizes
    others = sorted(set(range(sizes.size)) - set(small), key=lambda i: int(sizes[i]))
    while small:
        together = np.isin(strata.codes, small)
        codes = np.unique(np.where(together, sizes.size, strata.codes), return_inverse=True)[1]
        joined = Strata(codes, strata.units, strata.counts)
        if not others or not joined.small(k).size:
            return joined
        small.append(others.pop(0))
    return strata
