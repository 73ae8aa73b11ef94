"""A sample of original and released records, side by side, from a sequence of tables.

A class of equal released keys is in the sample as a whole or not at all: if the hash of its keys is
divisible by a power of two, which grows until the sample fits. So what is counted within classes is exact
for those of the sample, and everything else is an estimate from them.

Where classes are so large that hardly one fits, records are drawn one by one instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microagg.errors import DataError
from microagg.measure.exposure_in_pieces import Hashes, combined, hashes_of
from microagg.partition.search.blocks.sample import scrambled
from microagg.typing import Integers

if TYPE_CHECKING:
    import pyarrow as pa

RECORDS = 20_000
"""The maximum number of records of a sample."""

FEWEST_SHARE = 100
"""A sample of whole classes with fewer than one in so many of the permitted records is too small."""


@dataclass(frozen=True, eq=False)
class PairedSample:
    """A sample of original and released records.

    Attributes
    ----------
    original, released : pyarrow.Table
        The original and the released records, in the same order.
    n : int
        The number of all records.
    in_classes : bool
        Whether it consists of whole classes.
    """

    original: pa.Table
    released: pa.Table
    n: int
    in_classes: bool = True

    @property
    def whole(self) -> bool:
        """Whether all records are in it."""
        return bool(self.original.num_rows == self.n)

    @property
    def words(self) -> str:
        """A description of the sample."""
        how = "in whole classes" if self.in_classes else "drawn one by one"
        return f"a sample of {self.original.num_rows:,} of {self.n:,} records {how}"


def paired_sample(
    pairs: Iterable[tuple[pa.Table, pa.Table]], keys: Sequence[str], most: int = RECORDS
) -> PairedSample:
    """Return a sample of at most about `most` records from tables of original and released records.

    Examples
    --------
    >>> import pyarrow as pa
    >>> before, after = pa.table({"age": [30, 32, 60, 64]}), pa.table({"age": [31, 31, 62, 62]})
    >>> sample = paired_sample([(before, after)], ["age"], most=2)
    >>> sample.n, sample.original.num_rows
    (4, 2)
    """
    classes, rows = _Classes(most), _Rows(most)
    n = 0
    for both in pairs:
        count = both[1].num_rows
        classes.add(both, combined([hashes_of(both[1][name]) for name in keys]))
        rows.add(both, scrambled(np.arange(n, n + count, dtype=np.uint64)))
        n += count
    if not n:
        raise DataError("There are no records.", hint="Use files with at least one record.")
    in_classes = classes.hashes.size >= min(n, max(most // FEWEST_SHARE, 1))
    chosen = classes if in_classes else rows
    assert chosen.tables is not None
    return PairedSample(*chosen.tables, n, in_classes)


class _Drawn:
    """Records that are drawn by hashes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.hashes: Hashes = np.empty(0, dtype=np.uint64)
        self.tables: tuple[pa.Table, pa.Table] | None = None

    def _append(self, both: tuple[pa.Table, pa.Table], hashes: Hashes, rows: Integers) -> None:
        import pyarrow as pa

        more = both[0].take(rows), both[1].take(rows)
        kept = self.tables
        if kept is not None:
            more = pa.concat_tables([kept[0], more[0]]), pa.concat_tables([kept[1], more[1]])
        self.tables, self.hashes = more, np.concatenate([self.hashes, hashes[rows]])

    def _keep(self, rows: Integers) -> None:
        assert self.tables is not None
        self.tables = self.tables[0].take(rows), self.tables[1].take(rows)
        self.hashes = self.hashes[rows]


class _Classes(_Drawn):
    """The records of the classes whose hashes are divisible by a power of two."""

    _divisor = np.uint64(1)

    def add(self, both: tuple[pa.Table, pa.Table], hashes: Hashes) -> None:
        """Draw from more records, with the hashes of their classes."""
        self._append(both, hashes, np.flatnonzero(hashes % self._divisor == 0))
        while self.hashes.size > self.most:
            self._divisor *= np.uint64(2)
            self._keep(np.flatnonzero(self.hashes % self._divisor == 0))


class _Rows(_Drawn):
    """The records with the lowest hashes."""

    def add(self, both: tuple[pa.Table, pa.Table], hashes: Hashes) -> None:
        """Draw from more records, with their hashes."""
        bound = self.hashes.max() if self.hashes.size >= self.most else ~np.uint64(0)
        self._append(both, hashes, np.flatnonzero(hashes <= bound))
        if self.hashes.size > self.most:
            self._keep(np.sort(np.argpartition(self.hashes, self.most)[: self.most]))


def in_step(
    first: Iterable[pa.Table], second: Iterable[pa.Table]
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Yield tables of equal length from both; raise if one has more records in total."""
    import pyarrow as pa

    ours, theirs = iter(first), iter(second)
    left: list[pa.Table | None] = [None, None]
    while True:
        for place, tables in enumerate((ours, theirs)):
            while left[place] is None or left[place].num_rows == 0:  # type: ignore[union-attr]
                left[place] = next(tables, None)
                if left[place] is None:
                    break
        one, other = left
        if one is None or other is None:
            if one is not None or other is not None:
                raise DataError(
                    "The original and the release have different numbers of records.",
                    hint="Use files with the same records in the same order.",
                )
            return
        count = min(one.num_rows, other.num_rows)
        yield pa.table(one.slice(0, count)), pa.table(other.slice(0, count))
        left = [one.slice(count), other.slice(count)]
