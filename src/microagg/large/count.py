"""Counting on what is written: how many records share each combination of released values.

The released values of a record are hashed to 128 bits. The hashes of a piece, each once and with the
number of its records, are sorted into bins, so that equal ones stand in one bin, and each bin is
counted on its own. However many records are equal, a bin does not grow by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from microagg.data.streams import Stream
from microagg.errors import AnonymityError
from microagg.large.memory import Sizes
from microagg.large.numbers import pieces_of
from microagg.large.route import Starts, starts_of
from microagg.large.work import Records, Work
from microagg.measure.anonymity import Anonymity, Promise
from microagg.partition.search.blocks.sample import scrambled
from microagg.reporter import Reporter

Floats = NDArray[np.float64]

_SEEDS = np.array([0, 0x243F6A8885A308D3], dtype=np.uint64)
_HASHES = ("one", "other")
_COUNTED = np.dtype([("one", "<u8"), ("other", "<u8"), ("count", "<i8")])


def hashes_of(columns: Floats) -> Records:
    """Return two hashes of each record of float64[d, m], which counts 1; 0.0 and -0.0 differ.

    Examples
    --------
    >>> hashes = hashes_of(np.array([[1.0, 1.0, 2.0], [5.0, 5.0, 5.0]]))
    >>> bool(hashes[0] == hashes[1]), bool(hashes[0] == hashes[2])
    (True, False)
    """
    hashes = np.ones(columns.shape[1], dtype=_COUNTED)
    for seed, part in zip(_SEEDS, _HASHES, strict=True):
        found = np.full(hashes.size, seed)
        for column in columns:
            found = scrambled(found ^ scrambled(np.ascontiguousarray(column).view(np.uint64)))
        hashes[part] = found
    return hashes


def count_written(
    stream: Stream, promise: Promise, n: int, folder: Path, sizes: Sizes, progress: Reporter
) -> Anonymity:
    """Return the anonymity of a written file of n records, or raise when it is less than promised.

    Hashes are kept in a `folder` meanwhile.
    """
    names = promise.columns
    progress.begin("Checking the release", n)
    work = Work(folder, _COUNTED)
    bins = sizes.bins(n)
    starts, done = [], 0
    for number, columns in enumerate(pieces_of(stream, names, sizes.piece)):
        hashes = summed_up(hashes_of(columns))
        bin_of = (hashes["one"] % np.uint64(bins)).astype(np.int64)
        work.write(str(number), hashes[np.argsort(bin_of, kind="stable")])
        starts.append(starts_of(bin_of, bins))
        done += columns.shape[1]
        progress.reach(done)
    if done != n:
        raise AnonymityError(f"The written release has {done} records of {n}.")
    return promise.required_of(_counted(work, starts, bins))


def _counted(work: Work, starts: Sequence[Starts], bins: int) -> Anonymity:
    """Return how many combinations belong to how many records."""
    by_size: Counter[int] = Counter()
    for number in range(bins):
        hashes = work.gather(
            (str(i), int(own[number]), int(own[number + 1])) for i, own in enumerate(starts)
        )
        sizes, counts = np.unique(summed_up(hashes)["count"], return_counts=True)
        by_size.update(dict(zip(sizes.tolist(), counts.tolist(), strict=True)))
    return Anonymity(min(by_size), by_size.total(), dict(sorted(by_size.items())))


def summed_up(hashes: Records) -> Records:
    """Return each pair of hashes once, with the sum of its counts.

    Examples
    --------
    >>> summed_up(hashes_of(np.array([[7.0, 8.0, 7.0]])))["count"].sum()
    np.int64(3)
    """
    hashes = hashes[np.lexsort((hashes["other"], hashes["one"]))]
    one, other = hashes["one"], hashes["other"]
    fresh = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
    firsts = np.flatnonzero(np.concatenate(([True], fresh))[: hashes.size])
    once = hashes[firsts]
    if once.size:
        once["count"] = np.add.reduceat(hashes["count"], firsts)
    return once
