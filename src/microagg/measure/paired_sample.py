"""A sample of original and released records, side by side, from tables that come one after the other.

A class of equal released keys is in the sample as a whole or not at all: if the hash of its keys is
divisible by a power of two, which grows until the sample fits. So what is counted within classes is exact
for those of the sample, and everything else is an estimate from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microagg.errors import DataError
from microagg.measure.exposure_in_pieces import combined, hashes_of

if TYPE_CHECKING:
    import pyarrow as pa

RECORDS = 20_000
"""Records of a sample, at most."""


@dataclass(frozen=True, eq=False)
class PairedSample:
    """Records of a sample.

    Attributes
    ----------
    original, released : pyarrow.Table
        The records as they were and as they are released, in the same order.
    n : int
        The number of all records.
    """

    original: pa.Table
    released: pa.Table
    n: int

    @property
    def whole(self) -> bool:
        """Whether all records are in it."""
        return bool(self.original.num_rows == self.n)

    @property
    def words(self) -> str:
        """What it is, in words."""
        return f"a sample of {self.original.num_rows:,} of {self.n:,} records in whole classes"


def paired_sample(
    pairs: Iterable[tuple[pa.Table, pa.Table]], keys: Sequence[str], most: int = RECORDS
) -> PairedSample:
    """Return a sample of at most about `most` records from tables of original and released records.

    Examples
    --------
    >>> import pyarrow as pa
    >>> before, after = pa.table({"age": [30, 32, 60, 64]}), pa.table({"age": [31, 31, 62, 62]})
    >>> sample = paired_sample([(before, after)], ["age"], most=2)
    >>> sample.n, sample.original.num_rows in (0, 2)
    (4, True)
    """
    import pyarrow as pa

    hashes = np.empty(0, dtype=np.uint64)
    kept: tuple[pa.Table, pa.Table] | None = None
    divisor, n = np.uint64(1), 0
    for both in pairs:
        n += both[1].num_rows
        own = combined([hashes_of(both[1][name]) for name in keys])
        rows = np.flatnonzero(own % divisor == 0)
        more = (both[0].take(rows), both[1].take(rows))
        hashes = np.concatenate([hashes, own[rows]])
        kept = more if kept is None else tuple(map(pa.concat_tables, zip(kept, more, strict=True)))
        while hashes.size > most:
            divisor *= np.uint64(2)
            rows = np.flatnonzero(hashes % divisor == 0)
            hashes, kept = hashes[rows], (kept[0].take(rows), kept[1].take(rows))
    if kept is None:
        raise DataError("There are no records.", hint="Use files with at least one record.")
    return PairedSample(kept[0], kept[1], n)


def in_step(
    first: Iterable[pa.Table], second: Iterable[pa.Table]
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Yield tables of both with as many records each; raise when one has more records in all."""
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
