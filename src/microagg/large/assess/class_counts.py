"""Counts of equal records in files larger than memory.

Each value of a record is hashed to 64 bits, and these hashes are combined into two of 64 bits. The hashes
of a table, each once and with the number of its records, are appended to bins on disk. Equal hashes are in
one bin, and each bin is counted separately.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from microagg.data.categories import decoded
from microagg.errors import FileError, Phrase
from microagg.large.count import hashes_of
from microagg.large.tally import VALUED, class_starts, summed
from microagg.large.work import Records
from microagg.measure.anonymity import Anonymity
from microagg.measure.exposure_in_pieces import Hashes
from microagg.measure.exposure_in_pieces import hashes_of as value_hashes
from microagg.partition.search.blocks.sample import scrambled
from microagg.typing import Floats

if TYPE_CHECKING:
    import pyarrow as pa

_SEEDS = (np.uint64(0x13198A2E03707344), np.uint64(0xA4093822299F31D0))
_NULL = np.uint64(0x082EFA98EC4E6C89)

Classes = tuple[Hashes, Hashes]
"""Two hashes of each record."""


def hashes_as_written(column: pa.ChunkedArray) -> Hashes:
    """Return a hash of each value that tells the same values apart as `EquivalenceClasses` does.

    Examples
    --------
    >>> import pyarrow as pa
    >>> one, two, three = hashes_as_written(pa.chunked_array([[0.0, -0.0, None]])).tolist()
    >>> one != two, one != three
    (True, True)
    """
    import pyarrow as pa

    column = decoded(column)
    if not pa.types.is_floating(column.type):
        return value_hashes(column)
    missing = np.asarray(column.is_null())
    numbers = np.asarray(column.cast(pa.float64()).fill_null(0.0).to_numpy(), dtype=np.float64)
    bits = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)  # NaN has many forms
    return np.where(missing, _NULL, scrambled(bits))


def classes_of(columns: Sequence[Hashes], n: int) -> Classes:
    """Return the classes of records with these hashes of values."""
    one, other = (np.full(n, seed) for seed in _SEEDS)
    for column in columns:
        one, other = scrambled(one ^ column), scrambled(other ^ scrambled(column))
    return one, other


def classes_of_numbers(columns: Floats) -> Classes:
    """Return the classes of float64[d, m]; 0.0 and -0.0 are one number, and so are all NaN."""
    hashes = hashes_of(columns + 0.0)
    return hashes["one"], hashes["other"]


@dataclass(frozen=True, eq=False)
class Bins:
    """Counts of classes and values, in files.

    Attributes
    ----------
    folder : Path
        Where the files are.
    count : int
        The number of bins.
    """

    folder: Path
    count: int

    def add(self, what: str, classes: Classes, values: Hashes | None = None) -> None:
        """Take note of more records under a name: the class of each, and a value if it matters."""
        records = np.ones(classes[0].size, dtype=VALUED)
        records["one"], records["other"] = classes
        records["value"] = 0 if values is None else values
        records = summed(records)
        bins = (records["one"] % np.uint64(self.count)).astype(np.int64)
        records = records[np.argsort(bins, kind="stable")]
        ends = np.cumsum(np.bincount(bins, minlength=self.count))
        for number, part in enumerate(np.split(records, ends[:-1])):
            if part.size:
                try:
                    with self._path(what, number).open("ab") as stream:
                        part.tofile(stream)
                except OSError as error:
                    raise cannot_write(self.folder, error) from None

    def counted(self, what: str) -> Iterator[Records]:
        """Yield what each bin has, sorted by class and value, each once with the number of records."""
        for number in range(self.count):
            path = self._path(what, number)
            if path.exists():
                yield summed(np.fromfile(path, dtype=VALUED))

    def anonymity(self, what: str) -> Anonymity:
        """Return the sizes of the classes that were added without values."""
        by_size: Counter[int] = Counter()
        for records in self.counted(what):
            sizes, counts = np.unique(records["count"], return_counts=True)
            by_size.update(dict(zip(sizes.tolist(), counts.tolist(), strict=True)))
        return Anonymity(min(by_size), by_size.total(), dict(sorted(by_size.items())))

    def _path(self, what: str, number: int) -> Path:
        return self.folder / f"{what}.{number}"


def cannot_write(folder: str | Path, error: OSError) -> FileError:
    """Return the error for a folder of temporary files that cannot be written to."""
    why = os.strerror(error.errno) if error.errno else "the disk may be full"
    return FileError(
        f"Temporary files cannot be written to '{folder}': {why}.",
        hint=Phrase("Free disk space, or name another folder: {work}.", work="folder"),
    )


def in_both(bins: Bins, what: str, *, alone: bool) -> tuple[int, int]:
    """Return how many classes have both values 0 and 1, and how many have 1.

    With `alone`, only classes count that have each value in one record.
    """
    both = second = 0
    for records in bins.counted(what):
        starts = class_starts(records)
        width = np.diff(starts, append=records.size)
        last = records["value"][starts + width - 1] == 1
        second += int(np.count_nonzero(last))
        pairs = width == 2
        if alone:
            pairs &= (records["count"][starts] == 1) & (records["count"][starts + width - 1] == 1)
        both += int(np.count_nonzero(pairs))
    return both, second
