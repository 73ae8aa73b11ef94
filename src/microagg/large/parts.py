"""Parts of the records that are grouped on their own: strata, and patterns of missing values.

Which part a record is in follows from its key: its categories in the columns of strata, and which values it
lacks. Keys are few; they are counted over all records, and the functions that decide in memory are called
with one entry for each key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from microagg.errors import DataError, ParameterError
from microagg.pipeline.left_out import LeftOut
from microagg.pipeline.read import WITHOUT_VALUE, in_small_strata, large_enough
from microagg.prepare.patterns import parts_by_pattern
from microagg.prepare.strata import Strata
from microagg.settings import Settings
from microagg.typing import Floats, Integers

_BITS = 62  # of a key


@dataclass(frozen=True, eq=False)
class Keys:
    """How keys are made: the columns of strata, each with its number of categories, and missing values."""

    categories: tuple[int, ...] = ()
    columns: int = 0

    def __post_init__(self) -> None:
        space = 2**self.columns
        for count in self.categories:
            space *= count + 1
        if space > 2**_BITS:
            raise ParameterError(
                "has too many combinations of categories and missing values for a file that is read "
                "piece by piece.",
                parameter="strata" if self.categories else "missing",
                hint="Use fewer columns.",
            )

    @property
    def trivial(self) -> bool:
        """Whether all records have the same key."""
        return not self.categories and not self.columns

    def of(self, numbers: Floats, strata: Integers) -> Integers:
        """Return the key of each record; strata count first, so keys are in the order of strata."""
        keys = np.zeros(numbers.shape[1], dtype=np.int64)
        for codes, count in zip(strata, self.categories, strict=True):
            keys = keys * (count + 1) + codes
        for column in numbers if self.columns else ():
            keys = keys * 2 + np.isnan(column)
        return keys

    def strata(self, keys: Integers) -> Integers:
        """Return the categories of strata in keys, in one number."""
        return keys >> self.columns

    def blank(self, keys: Integers) -> NDArray[np.bool_]:
        """Return which columns keys lack, bool[d, m]."""
        bits = [(keys >> bit) & 1 for bit in range(self.columns - 1, -1, -1)]
        return np.array(bits, dtype=bool).reshape(self.columns, keys.size)


@dataclass(frozen=True, eq=False)
class KeyCounts:
    """The keys of one split: how many records have each, and their lightest and heaviest weight."""

    keys: Integers
    counts: Integers
    lightest: Floats
    heaviest: Floats

    @classmethod
    def of(cls, keys: Integers, weights: Floats | None) -> KeyCounts:
        """Count the keys of some records."""
        unique, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
        lightest, heaviest = np.full(unique.size, np.inf), np.full(unique.size, -np.inf)
        masses = np.ones(keys.size) if weights is None else weights
        np.minimum.at(lightest, which, masses)
        np.maximum.at(heaviest, which, masses)
        return cls(unique, counts.astype(np.int64), lightest, heaviest)

    @classmethod
    def joined(cls, parts: Sequence[KeyCounts]) -> KeyCounts:
        """Return the counts of several; a file without records has none."""
        if not parts:
            return cls.of(np.empty(0, dtype=np.int64), None)
        keys = np.concatenate([part.keys for part in parts])
        unique, which = np.unique(keys, return_inverse=True)
        counts = np.zeros(unique.size, dtype=np.int64)
        np.add.at(counts, which, np.concatenate([part.counts for part in parts]))
        lightest, heaviest = np.full(unique.size, np.inf), np.full(unique.size, -np.inf)
        np.minimum.at(lightest, which, np.concatenate([part.lightest for part in parts]))
        np.maximum.at(heaviest, which, np.concatenate([part.heaviest for part in parts]))
        return cls(unique, counts, lightest, heaviest)


@dataclass(frozen=True, eq=False)
class Parts:
    """The part of each key, and how many records each split has of each.

    Attributes
    ----------
    maker : Keys
        Makes keys.
    keys, part : int64[m]
        The keys that occur, sorted, and the part of each; -1 if its records are left out.
    by_split : int64[splits, parts]
        Released records.
    present : int64[splits, d]
        Released records that have a value in each column.
    weighted : bool
        Whether the weights of the released records differ.
    rows : int
        Records of the input.
    stratum : int64[parts]
        The stratum of each part; strata are divided by patterns of missing values.
    merges : tuple of str
        Which small strata were merged, in words; usually none.
    left_out : tuple of LeftOut
        How many records are not released, by reason.
    """

    maker: Keys
    keys: Integers
    part: Integers
    by_split: Integers
    present: Integers
    weighted: bool
    rows: int
    stratum: Integers
    merges: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @classmethod
    def whole(cls, rows: Sequence[int], d: int) -> Parts:
        """Return all records as one part; `rows` are those of each split."""
        counts = np.array(rows, dtype=np.int64)[:, None]
        zero = np.zeros(1, dtype=np.int64)
        present = np.repeat(counts, d, axis=1)
        n = int(counts.sum())
        return cls(Keys(), zero, zero, counts, present, weighted=False, rows=n, stratum=zero)

    @classmethod
    def divided(
        cls,
        maker: Keys,
        counted: Sequence[KeyCounts],
        d: int,
        settings: Settings,
        units: Integers | None = None,
    ) -> Parts:
        """Decide on the parts from the keys of each split, as `read_records` does in memory.

        `units` are pairs of key and unit, where units are counted instead of records.
        """
        total = KeyCounts.joined(counted)
        blank = maker.blank(total.keys) if maker.columns else np.zeros((d, total.keys.size), bool)
        kept, merges = np.ones(total.keys.size, dtype=bool), list[str]()
        omitted: tuple[LeftOut, ...] = ()
        if settings.missing == "suppress":
            kept = np.asarray(~blank.any(axis=0))
            omitted += LeftOut.of(kept, WITHOUT_VALUE, total.counts)
        strata = Strata(np.zeros(total.keys.size, dtype=np.int64), counts=total.counts)
        if maker.categories:
            codes = np.unique(maker.strata(total.keys), return_inverse=True)[1]
            strata = Strata(codes.reshape(-1).astype(np.int64), counts=total.counts)
            pairs = None if units is None else _entries(units, total.keys, kept)
            entries, what = total.counts[kept], "records" if units is None else "units"
            strata, within, merges = _large_enough(strata.subset(kept), pairs, settings)
            kept[kept] = within
            omitted += LeftOut.of(within, in_small_strata(settings.k, what), entries)
        else:
            strata = strata.subset(kept)
        if not kept.any():
            raise DataError(
                "All records would be left out of the release.",
                hint="Choose another treatment of missing values or of small strata.",
            )
        whole = strata
        if settings.missing == "keep" and blank[:, kept].any():
            strata = parts_by_pattern(blank[:, kept], strata, settings.k)
        part = np.full(kept.size, -1, dtype=np.int64)
        part[kept] = strata.codes
        stratum = np.zeros(strata.count, dtype=np.int64)
        stratum[strata.codes] = whole.codes
        by_split, present = _by_split(counted, total.keys, part, blank)
        lightest, heaviest = total.lightest[kept].min(), total.heaviest[kept].max()
        return cls(
            maker,
            total.keys,
            part,
            by_split,
            present,
            weighted=settings.weights is not None and bool(lightest < heaviest),
            rows=int(total.counts.sum()),
            stratum=stratum,
            merges=tuple(merges),
            left_out=omitted,
        )

    @property
    def n(self) -> int:
        """Released records."""
        return int(self.by_split.sum())

    @property
    def joined(self) -> bool:
        """Whether small strata were merged, so that groups cross them."""
        return bool(self.merges)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What was left out or merged."""
        return (*(each.in_words() for each in self.left_out), *self.merges)

    @property
    def sizes(self) -> Integers:
        """Released records of each part."""
        sizes: Integers = self.by_split.sum(axis=0)
        return sizes

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which columns have no missing value among the released records."""
        return np.asarray(self.present.sum(axis=0) == self.n)

    @property
    def strata(self) -> int:
        """Number of strata."""
        return int(self.stratum.max(initial=-1)) + 1

    def by_stratum(self) -> Parts:
        """Return the same with strata for parts, not divided by patterns of missing values."""
        by_split = np.zeros((len(self.by_split), self.strata), dtype=np.int64)
        np.add.at(by_split.T, self.stratum, self.by_split.T)
        part = np.where(self.part < 0, -1, self.stratum[self.part])
        return replace(self, part=part, by_split=by_split, stratum=np.arange(self.strata))

    def of(self, numbers: Floats, strata: Integers) -> Integers:
        """Return the part of each record, -1 if it is left out."""
        if self.maker.trivial:
            return np.zeros(numbers.shape[1], dtype=np.int64)
        return self.part[np.searchsorted(self.keys, self.maker.of(numbers, strata))]

    def before(self, split: int) -> tuple[Integers, Integers]:
        """Return how many released records of each part, and values of each column, come before."""
        return self.by_split[:split].sum(axis=0), self.present[:split].sum(axis=0)


def _entries(units: Integers, keys: Integers, kept: NDArray[np.bool_]) -> Integers:
    """Return the pairs of kept keys, by the place of their key among these, and unit."""
    place = np.searchsorted(keys, units[0])
    pairs = np.stack([(np.cumsum(kept) - 1)[place], units[1]])
    return pairs[:, kept[place]]


def _large_enough(
    strata: Strata, pairs: Integers | None, settings: Settings
) -> tuple[Strata, NDArray[np.bool_], list[str]]:
    """Return strata that are large enough, as `large_enough` does; `pairs` are entries and units."""
    small, k = settings.small_strata, settings.k
    if pairs is None:
        return large_enough(strata, small, k)
    counted = Strata(strata.codes[pairs[0]], units=pairs[1])
    by_unit, within, words = large_enough(counted, small, k)
    codes = np.full(strata.count, -1, dtype=np.int64)
    codes[counted.codes[within]] = by_unit.codes
    kept = codes[strata.codes] >= 0
    own = strata.subset(kept)
    return replace(own, codes=codes[strata.codes[kept]]), kept, words


def _by_split(
    counted: Sequence[KeyCounts], keys: Integers, part: Integers, blank: NDArray[np.bool_]
) -> tuple[Integers, Integers]:
    parts = int(part.max()) + 1
    by_split = np.zeros((len(counted), parts), dtype=np.int64)
    present = np.zeros((len(counted), len(blank)), dtype=np.int64)
    for number, own in enumerate(counted):
        place = np.searchsorted(keys, own.keys)
        kept = part[place] >= 0
        np.add.at(by_split[number], part[place[kept]], own.counts[kept])
        present[number] = (~blank[:, place[kept]] * own.counts[kept]).sum(axis=1)
    return by_split, present
