"""Strata: parts of the records that groups never cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from microagg.data.categories import Categories
from microagg.errors import DataError, Either, Phrase

Codes = NDArray[np.int64]
SmallStrata = Literal["error", "merge", "suppress"]
SMALL_STRATA: tuple[SmallStrata, ...] = ("error", "merge", "suppress")

MOST_LISTED = 20
"""So many small strata are named; more of them are no strata but values of records."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Which stratum each record is in.

    Attributes
    ----------
    codes : int64[n]
        From 0 without a gap.
    labels : tuple of str
        The strata by number.
    """

    codes: Codes
    labels: tuple[str, ...] = field(repr=False)

    @property
    def sizes(self) -> Codes:
        """Number of records in each."""
        return np.bincount(self.codes)

    def small(self, k: int) -> Codes:
        """Return the strata of fewer than k records."""
        return np.flatnonzero(self.sizes < k)

    def subset(self, rows: NDArray[np.bool_]) -> Strata:
        """Return the strata of some records; those that lose all are gone."""
        left, codes = np.unique(self.codes[rows], return_inverse=True)
        return Strata(codes, tuple(self.labels[i] for i in left))


def strata_of(columns: Sequence[Categories]) -> Strata:
    """Return one stratum for each combination of categories; a blank is one like any other.

    Examples
    --------
    >>> region = Categories(np.array([0.0, 1.0, 0.0, np.nan]), ("north", "south"))
    >>> strata_of([region]).codes
    array([0, 1, 0, 2])
    """
    keys = np.array([np.where(np.isnan(c.codes), len(c.labels), c.codes) for c in columns])
    found, codes = np.unique(keys, axis=1, return_inverse=True)
    names = [(*column.labels, "(blank)") for column in columns]
    labels = tuple(
        " / ".join(name[int(code)] for name, code in zip(names, each, strict=True))
        for each in found.T
    )
    return Strata(codes.reshape(-1).astype(np.int64), labels)


def refuse_small(strata: Strata, k: int) -> None:
    """Raise when a stratum has fewer than k records, and name those that have."""
    small = strata.small(k)
    if not small.size:
        return
    named = ", ".join(strata.labels[i] for i in small) if small.size <= MOST_LISTED else ""
    verb = "stratum has" if small.size == 1 else "strata have"
    raise DataError(
        f"{small.size} of {len(strata.labels)} {verb} fewer than k={k} records"
        f"{f': {named}' if named else ''}.",
        hint=Phrase(
            "Choose larger strata, or give {small_strata}.",
            small_strata=Either("merge", "suppress"),
        ),
    )


def merged(strata: Strata, k: int) -> Strata:
    """Return the strata with all small ones joined, and with the smallest other if need be."""
    small = list(strata.small(k))
    if not small:
        return strata
    sizes = strata.sizes
    if sizes[small].sum() < k:
        others = [i for i in range(len(sizes)) if i not in small]
        small += [min(others, key=lambda i: int(sizes[i]))] if others else []
    together = np.isin(strata.codes, small)
    codes = np.where(together, len(sizes), strata.codes)
    labels = (*strata.labels, "merged strata")
    left, codes = np.unique(codes, return_inverse=True)
    return Strata(codes, tuple(labels[i] for i in left))
