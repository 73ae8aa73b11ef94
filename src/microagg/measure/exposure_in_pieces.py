"""Exposure and copies of records that come in tables, from a file larger than memory.

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
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

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
"""Values of a column that are counted to tell whether it is unique."""


def exposure_in(
    tables: Iterable[pa.Table],
    keys: Sequence[str],
    unchanged: Sequence[str],
    k: int,
    room: int,
    units: Callable[[int], Hashes] | None = None,
) -> Exposure | None:
    """Count records of released tables on `keys` together with the `unchanged` columns.

    Parameters
    ----------
    tables : iterable of Table
        The released records.
    keys, unchanged : sequence of str
        The quasi-identifiers, and the columns that are released unchanged.
    k : int
        The class size below which a record counts as exposed.
    room : int
        Hashes that may be kept: one a record and column, and one for its class.
    units : callable, optional
        Returns the units of the next so many records; then a class counts by its different units.

    Returns
    -------
    Exposure or None
        None if not even one class has room.

    Examples
    --------
    >>> import pyarrow as pa
    >>> released = pa.table({"age": [31, 31, 62, 62], "city": ["a", "b", "c", "c"]})
    >>> found = exposure_in([released[:1], released[1:]], ["age"], ["city"], k=2, room=100)
    >>> found.unique, found.below_k, found.worst
    (2, 2, ('city',))
    """
    counted = "records" if units is None else "units"
    if not unchanged:
        return Exposure((), sum(table.num_rows for table in tables), k, counted=counted)
    rows, n = max(room // (len(unchanged) + 2), 1), 0
    kept = np.empty((len(unchanged) + 2, 0), dtype=np.uint64)
    divisor = np.uint64(1)
    for table in tables:
        base = combined([hashes_of(table[name]) for name in keys])
        chosen = np.flatnonzero(base % divisor == 0)
        part = table.take(chosen)
        rows_here = np.arange(n, n + table.num_rows, dtype=np.uint64)
        who = rows_here if units is None else units(table.num_rows)
        n += table.num_rows
        own = [who[chosen], base[chosen], *(hashes_of(part[name]) for name in unchanged)]
        kept = np.concatenate([kept, np.stack(own)], axis=1)
        while kept.shape[1] > rows:
            divisor *= np.uint64(2)
            kept = kept[:, kept[1] % divisor == 0]
    if not kept.shape[1]:
        return None
    exposure = _counted(kept[0], kept[1:], tuple(map(str, unchanged)), k)
    sampled_from = 0 if kept.shape[1] == n else n
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
    """Return for each record how many different units its class has."""
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
    """Return for each record how many have the same hash."""
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
        Returns the original records from the start, as often as it is called.
    keys, others : sequence of str
        The quasi-identifiers, and the columns that are released unchanged.
    room : int
        Bytes of the sample, at most.
    """
    if not others:
        return ()
    sample, n = _sample(tables(), room)
    copies = find_copies(Frame(sample), keys, others)
    if sample.num_rows == n:
        return copies
    doubtful = [copy.column for copy in copies if copy.of is None]
    shares = _unique_shares(tables(), doubtful) if doubtful else {}
    certain = (replace(c, strength=shares.get(c.column, c.strength)) for c in copies)
    return tuple(c for c in certain if c.of is not None or c.strength >= UNIQUE)


def _sample(tables: Iterable[pa.Table], room: int) -> tuple[pa.Table, int]:
    """Return the rows with the lowest scrambled numbers, as many as copies need, and how many there are.

    There are fewer where so many take more bytes than there is room for.
    """
    import pyarrow as pa

    sample: pa.Table | None = None
    ties, most, n = np.empty(0, dtype=np.uint64), SAMPLE, 0
    for table in tables:
        new = scrambled(np.arange(n, n + table.num_rows, dtype=np.uint64))
        n += table.num_rows
        ties = np.concatenate([ties, new])
        sample = table if sample is None else pa.concat_tables([sample, table])
        while ties.size > most or (ties.size > 1 and sample.nbytes > room):
            most = most if ties.size > most else ties.size // 2
            lowest = np.sort(np.argpartition(ties, most)[:most])
            sample, ties = sample.take(lowest), ties[lowest]
    assert sample is not None
    return sample, n


def _unique_shares(tables: Iterable[pa.Table], names: Sequence[str]) -> dict[str, float]:
    """Return the share of records with a value of their own, of each column among all records."""
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
