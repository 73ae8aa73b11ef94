"""Which quasi-identifiers a column may reveal: most are ruled out by a few records of the sample.

Strong evidence shows in nearly all records, so a few hundred would have to miss it by chance. Only the
pairs that remain are compared on the whole sample. The limits are more than nine standard deviations
below those of `copies`, so no evidence is lost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.measure.column_values import ColumnValues
from microagg.typing import Codes, Floats, Integers

PAIRS, ALIKE = 400, 0.85
"""The number of record pairs with the same value, and the share of them that must agree in the key."""

RANKED, RELATED = 2_000, 0.9
"""The number of records whose ranks are correlated, and the correlation that requires a full comparison."""

PRESENT, MOST_TIED = 0.9, 0.8
"""The minimum share of present values and the maximum share of equal values for a decision."""

SHARED, SAME = 400, 4
"""The number of records whose ratios are compared; one in `SAME` of them must have the same ratio."""

Open = NDArray[np.bool_]
"""For each quasi-identifier, whether it may be revealed."""


class Screen:
    """A few records of the quasi-identifiers.

    Parameters
    ----------
    keys : sequence of ColumnValues
        The quasi-identifiers.
    intervals : int
        The number of intervals into which amounts are divided.
    fine : int
        The same for columns other than the quasi-identifiers.
    seed : int
        The seed with which records are chosen.
    """

    def __init__(self, keys: Sequence[ColumnValues], intervals: int, fine: int, seed: int) -> None:
        self._keys, self._fine = keys, fine
        self._rng = np.random.default_rng(seed)
        n = keys[0].codes.size
        self._ranked, self._shared = (
            self._rng.permutation(n)[: min(count, n)] for count in (RANKED, SHARED)
        )
        self._classes = np.stack([key.intervals(intervals).astype(np.int32) for key in keys])
        self._ranks = np.stack([_some(key.ranks, self._ranked) for key in keys])
        self._logs = np.stack([_some(_logarithms(key), self._shared) for key in keys])
        self._ordered = np.array([key.ranks is not None for key in keys])
        self._whole = n <= RANKED
        self._tied = np.array([self._tells_little(ranks) for ranks in self._ranks])

    def likely(self, column: ColumnValues) -> list[ColumnValues]:
        """Return the quasi-identifiers that a column may reveal, in order."""
        maybe = self._determined(column.codes)
        if column.ranks is not None:
            if column.distinct > self._fine:
                maybe |= self._determined(column.intervals(self._fine))
            maybe |= self._related(column.ranks[self._ranked])
            maybe |= self._of_fixed_share(_some(_logarithms(column), self._shared))
        return [key for key, is_open in zip(self._keys, maybe, strict=True) if is_open]

    def _determined(self, codes: Codes) -> Open:
        one, other = _pairs(codes, self._rng)
        if not one.size:
            return np.zeros(len(self._keys), dtype=bool)
        alike: Floats = (self._classes[:, one] == self._classes[:, other]).mean(axis=1)
        return np.asarray(alike >= ALIKE)

    def _related(self, ranks: Floats) -> Open:
        """Return where ranks are correlated, or have too many ties for a decision from a few records."""
        both = ~np.isnan(self._ranks) & ~np.isnan(ranks)
        count = both.sum(axis=1)
        one, other = (_centred(values, both, count) for values in (ranks, self._ranks))
        spread = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
        related = (np.abs((one * other).sum(axis=1)) >= RELATED * spread) & (spread > 0)
        if not self._whole:
            related |= self._tied | self._tells_little(ranks) | (count < PRESENT * ranks.size)
        return np.asarray(related & self._ordered)

    def _tells_little(self, ranks: Floats) -> bool:
        """Return whether most ranks are equal, so that the sample may miss the others."""
        present = ranks[~np.isnan(ranks)]
        if self._whole or not present.size:
            return False
        return bool(np.unique(present, return_counts=True)[1].max() > MOST_TIED * present.size)

    def _of_fixed_share(self, logs: Floats) -> Open:
        ratios = np.sort((logs - self._logs) * 1000, axis=1)  # NaN last
        same = max(ratios.shape[1] // SAME, 1)
        width = ratios[:, same:] - ratios[:, :-same]
        return np.asarray(np.nan_to_num(width, nan=np.inf).min(axis=1) <= 1)


def _some(values: Floats | None, rows: Integers) -> Floats:
    return np.full(rows.size, np.nan) if values is None else values[rows]


def _logarithms(column: ColumnValues) -> Floats | None:
    """Return the logarithms of absolute values, NaN if undefined or if categories are as informative."""
    if column.numbers is None or column.ranks is None:
        return None
    sizes = np.abs(column.numbers)
    return np.log(np.where(sizes > 0, sizes, np.nan))


def _centred(values: Floats, where: NDArray[np.bool_], count: Integers) -> Floats:
    """Return some values minus their mean, and 0 elsewhere."""
    kept = np.where(where, values, 0.0)
    means = kept.sum(axis=1) / np.maximum(count, 1)
    return np.where(where, kept - means[:, None], 0.0)


def _pairs(codes: Codes, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Return random pairs of records that share a value."""
    sizes = np.bincount(codes)
    shared = np.flatnonzero(sizes[codes] >= 2)
    if not shared.size:
        return shared, shared
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    place = np.empty(codes.size, dtype=np.int64)
    place[order] = np.arange(codes.size) - starts[codes[order]]
    one = rng.choice(shared, PAIRS)
    size = sizes[codes[one]]
    step = 1 + (rng.random(PAIRS) * (size - 1)).astype(np.int64)
    return one, order[starts[codes[one]] + (place[one] + step) % size]
