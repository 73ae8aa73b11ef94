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
    tables: Iterable[pa.Table], keys: Sequence[str], unchanged: Sequence[str], k: int, room: int
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
    if not unchanged:
        return Exposure((), sum(table.num_rows for table in tables), k)
    rows, n = max(room // (len(unchanged) + 1), 1), 0
    kept = np.empty((len(unchanged) + 1, 0), dtype=np.uint64)
    divisor = np.uint64(1)
    for table in tables:
        n += table.num_rows
        base = _combined([hashes_of(table[name]) for name in keys])
        chosen = np.flatnonzero(base % divisor == 0)
        part = table.take(chosen)
        own = [base[chosen], *(hashes_of(part[name]) for name in unchanged)]
        kept = np.concatenate([kept, np.stack(own)], axis=1)
        while kept.shape[1] > rows:
            divisor *= np.uint64(2)
            kept = kept[:, kept[0] % divisor == 0]
    return _counted(kept, tuple(map(str, unchanged)), k, n)


def _counted(kept: NDArray[np.uint64], names: tuple[str, ...], k: int, n: int) -> Exposure | None:
    """Return the exposure of the records whose hashes were kept."""
    counted = kept.shape[1]
    if not counted:
        return None
    sizes = _class_sizes(_combined(list(kept)))
    return Exposure(
        columns=names,
        records=counted,
        k=k,
        unique=int(np.count_nonzero(sizes == 1)),
        below_k=int(np.count_nonzero(sizes < k)),
        by_column={
            name: int(np.count_nonzero(_class_sizes(_combined([kept[0], own])) < k))
            for name, own in zip(names, kept[1:], strict=True)
        },
        sampled_from=0 if counted == n else n,
    )


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

    codes, texts = encoded(column)
    digests = [blake2b(_bytes(text), digest_size=8).digest() for text in texts]
    missing = b"\xff" * 8
    hashes = np.frombuffer(b"".join([*digests, missing]), dtype=np.uint64)
    if pa.types.is_floating(column.type):
        hashes = np.where([*(text == "nan" for text in texts), True], hashes[-1], hashes)
    return np.asarray(hashes[codes], dtype=np.uint64)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _combined(columns: Sequence[Hashes]) -> Hashes:
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
    """Return the columns of original tables that give a quasi-identifier away or name records.

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
