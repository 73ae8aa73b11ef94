"""Patterns of missing values: which quasi-identifiers a record lacks.

Records that lack the same values are grouped with each other. A pattern of fewer than k records joins the
pattern with which the fewest values have to be released as missing: a group that mixes patterns has no
value in a column that any of its records lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.prepare.column import Column
from microagg.prepare.strata import Strata
from microagg.typing import Codes

Flags = NDArray[np.bool_]


def by_pattern(columns: Sequence[Column], strata: Strata | None, k: int) -> Strata | None:
    """Split strata by patterns of missing values into parts of at least k records.

    A stratum has at least k records; so has each part. None if no value is missing.

    Examples
    --------
    >>> age = Column("age", "continuous", np.array([30.0, np.nan, 50.0, np.nan, 60.0]))
    >>> by_pattern([age], None, k=2).codes.tolist()
    [0, 1, 0, 1, 0]
    """
    blank = np.array([column.blank for column in columns])
    return parts_by_pattern(blank, strata, k) if blank.any() else strata


def parts_by_pattern(blank: Flags, strata: Strata | None, k: int) -> Strata:
    """Split strata by the patterns of bool[d, n], which tells the values that records lack."""
    patterns, which = np.unique(blank, axis=1, return_inverse=True)
    which = which.reshape(-1).astype(np.int64)
    within = np.zeros(which.size, dtype=np.int64) if strata is None else strata.codes
    counts = np.ones(which.size) if strata is None or strata.counts is None else strata.counts
    codes = np.empty(which.size, dtype=np.int64)
    count = 0
    for stratum in range(int(within.max()) + 1):
        rows = np.flatnonzero(within == stratum)
        own, place = np.unique(which[rows], return_inverse=True)
        joined = _joined(patterns.T[own], np.bincount(place, counts[rows]), k)
        left, part = np.unique(joined[place], return_inverse=True)
        codes[rows] = part + count
        count += left.size
    return Strata(codes, counts=None if strata is None else strata.counts)


@dataclass
class _Parts:
    """The patterns (bool[p, d]) and sizes of parts; a part that joined another has no record."""

    patterns: Flags
    sizes: Codes

    def nearest(self, part: int, k: int) -> int:
        """Return the part with which the fewest values are lost, the largest of several."""
        own, size = self.patterns[part], self.sizes[part]
        theirs = (own & ~self.patterns).sum(axis=1) * np.minimum(k * size, self.sizes)
        ours = (self.patterns & ~own).sum(axis=1) * size
        others = np.flatnonzero((self.sizes > 0) & (np.arange(self.sizes.size) != part))
        order = np.lexsort((-self.sizes[others], (theirs + ours)[others]))
        return int(others[order[0]])

    def join(self, part: int, other: int, k: int) -> None:
        """Let a part join another, whose pattern stays unless it is too small itself."""
        if self.sizes[other] < k:
            self.patterns[other] |= self.patterns[part]
        self.sizes[other] += self.sizes[part]
        self.sizes[part] = 0


def _joined(patterns: Flags, sizes: Codes, k: int) -> Codes:
    """Return for each pattern the number of the part that it ends in."""
    parts = _Parts(patterns.copy(), sizes.astype(np.int64))
    into = np.arange(sizes.size)
    while True:
        small = np.flatnonzero((parts.sizes > 0) & (parts.sizes < k))
        if not small.size or np.count_nonzero(parts.sizes) == 1:
            return into
        part = int(small[np.argmin(parts.sizes[small])])
        other = parts.nearest(part, k)
        parts.join(part, other, k)
        into[into == part] = other
