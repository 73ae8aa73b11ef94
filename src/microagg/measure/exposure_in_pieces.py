"""Exposure and copies in a file larger than memory, which is read as a sequence of tables.

The exposure is counted by hashes of 64 bits. While all records fit into the room that there is, the count
is of all of them. Beyond that, it is of a sample of whole classes: a class of released quasi-identifiers is
in it if its hash is divisible by a power of two, which grows as records arrive. All records of a class are
in the sample or none, so what is counted on it is exact for those classes, and an estimate of the share
among all records. `Exposure.sampled_from` says so.

Copies are looked for on a sample of rows. Whether a value is unique cannot be told from a sample of rows;
a column that may be so is read once more, and a sample of its values is counted in all records.

Cost: one reading of the release, one of the original, and a second one where a column may be unique.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.measure.copies import SAMPLE, UNIQUE, Copy, find_copies
from microagg.measure.exact import encoded
from microagg.measure.exposure import Exposure
from microagg.partition.search.blocks.sample import scrambled

if TYPE_CHECKING:
    import pyarrow as pa

Hashes = NDArray[np.uint64]

VALUES = 500_000
"""The number of values of a column that are counted to decide whether it is unique."""


@dataclass(frozen=True, eq=False)
class ClassSample:
    """The records of whole classes, as hashes; the samples of several files can be joined.

    Attributes
    ----------
    hashes : uint64[2 + c, m]
        The unit of each record, its class of released quasi-identifiers, and its unchanged values.
    divisor : int
        The power of two by which the hashes of its classes are divisible.
    n : int
        The number of all records.

    Examples
    --------
    >>> import pyarrow as pa
    >>> released = pa.table({"age": [31, 31, 62, 62], "city": ["a", "b", "c", "c"]})
    >>> sample = ClassSample.of([released[:1], released[1:]], ["age"], ["city"], room=100)
    >>> exposure = sample.exposure(("city",), k=2, counted="records")
    >>> exposure.unique, exposure.below_k, exposure.worst
    (2, 2, ('city',))
    """

    hashes: NDArray[np.uint64]
    divisor: int
    n: int

    @classmethod
    def of(
        cls,
        tables: Iterable[pa.Table],
        keys: Sequence[str],
        unchanged: Sequence[str],
        room: int,
        units: Callable[[int], Hashes] | None = None,
        first: int = 0,
    ) -> ClassSample:
        """Return the sample of some tables of released records.

        Parameters
        ----------
        tables : iterable of Table
            The released records.
        keys, unchanged : sequence of str
            The quasi-identifiers, and the columns that are released unchanged.
        room : int
            The maximum number of hashes: one for each record and column, and one for its class.
        units : callable, optional
            Returns the units of the next so many records; then a class counts by its different units.
        first : int
            The number of the first record.
        """
        sample = cls(np.empty((len(unchanged) + 2, 0), dtype=np.uint64), 1, 0)
        for table in tables:
            n, start = table.num_rows, first + sample.n
            base = combined([hashes_of(table[name]) for name in keys])
            chosen = np.flatnonzero(base % np.uint64(sample.divisor) == 0)
            part = table.take(chosen)
            who = np.arange(start, start + n, dtype=np.uint64) if units is None else units(n)
            own = [who[chosen], base[chosen], *(hashes_of(part[name]) for name in unchanged)]
            sample = sample.joined(cls(np.stack(own), sample.divisor, n), room)
        return sample

    def joined(self, other: ClassSample, room: int) -> ClassSample:
        """Return the sample of the records of both, within the available room."""
        rows, divisor = max(room // len(self.hashes), 1), max(self.divisor, other.divisor)
        hashes = np.concatenate([self._within(divisor), other._within(divisor)], axis=1)
        while hashes.shape[1] > rows:
            divisor *= 2
            hashes = hashes[:, hashes[1] % np.uint64(divisor) == 0]
        return ClassSample(hashes, divisor, self.n + other.n)

    def _within(self, divisor: int) -> NDArray[np.uint64]:
        if divisor == self.divisor:
            return self.hashes
        return self.hashes[:, self.hashes[1] % np.uint64(divisor) == 0]

    def exposure(self, names: tuple[str, ...], k: int, counted: str) -> Exposure | None:
        """Return the exposure of the sample; None if the sample has no class."""
        size = self.hashes.shape[1]
        if not size:
            return None
        exposure = _counted(self.hashes[0], self.hashes[1:], names, k)
        sampled_from = 0 if size == self.n else self.n
        return replace(exposure, counted=counted, sampled_from=sampled_from)


def _counted(units: Hashes, kept: NDArray[np.uint64], names: tuple[str, ...], k: int) -> Exposure:
    """Return the exposure of the records whose units and hashes were kept."""

    def sizes(hashes: Sequence[Hashes]) -> NDArray[np.int64]:
        return _different(combined(hashes), units)

    whole = sizes(list(kept))
    return Exposure(
        columns=names,
        records=units.size,
        k=k,
        unique=int(np.count_nonzero(whole == 1)),
        below_k=int(np.count_nonzero(whole < k)),
        by_column={
            name: int(np.count_nonzero(sizes([kept[0], own]) < k))
            for name, own in zip(names, kept[1:], strict=True)
        },
    )


def _different(classes: Hashes, units: Hashes) -> NDArray[np.int64]:
    """Return for each record the number of different units in its class."""
    order = np.lexsort((units, classes))
    sorted_classes, sorted_units = classes[order], units[order]
    fresh = np.ones(order.size, dtype=bool)
    fresh[1:] = sorted_classes[1:] != sorted_classes[:-1]
    firsts = np.flatnonzero(fresh)
    other = fresh.copy()
    other[1:] |= sorted_units[1:] != sorted_units[:-1]
    sizes = np.empty(order.size, dtype=np.int64)
    counts = np.add.reduceat(other.astype(np.int64), firsts)
    sizes[order] = np.repeat(counts, np.diff(firsts, append=order.size))
    return sizes


def hashes_of(column: pa.ChunkedArray) -> Hashes:
    """Return a hash of each value; null and NaN are one value.

    Examples
    --------
    >>> import pyarrow as pa
    >>> one, two, three = hashes_of(pa.chunked_array([["a", None, "a"]])).tolist()
    >>> (one == three, one == two)
    (True, False)
    """
    import pyarrow as pa

    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return _of_numbers(column)
    codes, texts = encoded(column)
    digests = [blake2b(_bytes(text), digest_size=8).digest() for text in texts]
    missing = b"\xff" * 8
    hashes = np.frombuffer(b"".join([*digests, missing]), dtype=np.uint64)
    return np.asarray(hashes[codes], dtype=np.uint64)


def _of_numbers(column: pa.ChunkedArray) -> Hashes:
    """Return a hash of each number, by its bits; 0.0 and -0.0 are one number."""
    import pyarrow as pa

    missing = np.asarray(column.is_null(nan_is_null=True))
    if pa.types.is_floating(column.type):
        numbers = np.asarray(column.fill_null(0.0).to_numpy(), dtype=np.float64) + 0.0
        bits = numbers.view(np.uint64)
    else:
        bits = np.asarray(column.fill_null(0).to_numpy()).astype(np.uint64)
    return np.where(missing, ~np.uint64(0), scrambled(bits))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def combined(columns: Sequence[Hashes]) -> Hashes:
    """Return one hash of several for each record."""
    hashes = np.zeros(columns[0].size, dtype=np.uint64)
    for column in columns:
        hashes = scrambled(hashes ^ scrambled(column))
    return hashes


def _class_sizes(hashes: Hashes) -> NDArray[np.int64]:
    """Return for each record the number of records with the same hash."""
    _, place, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.asarray(counts[place], dtype=np.int64)


def copies_in(
    tables: Callable[[], Iterable[pa.Table]],
    keys: Sequence[str],
    others: Sequence[str],
    room: int,
) -> tuple[Copy, ...]:
    """Return the columns of original tables that reveal a quasi-identifier or identify records.

    Parameters
    ----------
    tables : callable
        Returns the original records from the start, each time it is called.
    keys, others : sequence of str
        The quasi-identifiers, and the columns that are released unchanged.
    room : int
        The maximum size of the sample in bytes.
    """
    if not others:
        return ()
    sample = RowSample()
    for table in tables():
        sample = sample.joined(RowSample.of(table, sample.n), room)
    return copies_of(sample, tables, keys, others)


def copies_of(
    sample: RowSample,
    tables: Callable[[], Iterable[pa.Table]],
    keys: Sequence[str],
    others: Sequence[str],
) -> tuple[Copy, ...]:
    """Return the copies in a sample; the tables are read again if it does not show what is unique."""
    copies = find_copies(Frame(sample.rows), keys, others)
    if sample.rows.num_rows == sample.n:
        return copies
    doubtful = [copy.column for copy in copies if copy.of is None]
    shares = _unique_shares(tables(), doubtful) if doubtful else {}
    certain = (replace(c, strength=shares.get(c.column, c.strength)) for c in copies)
    return tuple(c for c in certain if c.of is not None or c.strength >= UNIQUE)


@dataclass(frozen=True, eq=False)
class RowSample:
    """The rows with the lowest scrambled numbers, as many as copies need.

    Attributes
    ----------
    rows : pyarrow.Table, optional
        The rows; None before any record.
    ties : uint64[m]
        Their scrambled numbers.
    n : int
        The number of all records.
    most : int
        Rows of the sample, at most; there are fewer where they take more bytes than there is room for.
    """

    rows: Any = None
    ties: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    n: int = 0
    most: int = SAMPLE

    @classmethod
    def of(cls, table: pa.Table, first: int) -> RowSample:
        """Return a table as a sample, where `first` is the number of its first record."""
        numbers = np.arange(first, first + table.num_rows, dtype=np.uint64)
        return cls(table, scrambled(numbers), table.num_rows)

    def joined(self, other: RowSample, room: int) -> RowSample:
        """Return the sample of the records of both, with at most `room` bytes."""
        import pyarrow as pa

        ties = np.concatenate([self.ties, other.ties])
        both = [own.rows for own in (self, other) if own.rows is not None]
        rows, most = pa.concat_tables(both), min(self.most, other.most)
        while ties.size > most or (ties.size > 1 and rows.nbytes > room):
            most = most if ties.size > most else ties.size // 2
            lowest = np.sort(np.argpartition(ties, most)[:most])
            rows, ties = rows.take(lowest), ties[lowest]
        return RowSample(rows, ties, self.n + other.n, most)


def _unique_shares(tables: Iterable[pa.Table], names: Sequence[str]) -> dict[str, float]:
    """Return the share of records with a unique value, for each column of all records."""
    kept = {name: np.empty(0, dtype=np.uint64) for name in names}
    divisors = dict.fromkeys(names, np.uint64(1))
    for table in tables:
        for name in names:
            hashes = hashes_of(table[name])
            own = np.concatenate([kept[name], hashes[hashes % divisors[name] == 0]])
            while own.size > VALUES:
                divisors[name] *= np.uint64(2)
                own = own[own % divisors[name] == 0]
            kept[name] = own
    return {
        name: float(np.mean(_class_sizes(own) == 1)) if own.size else 0.0
        for name, own in kept.items()
    }
