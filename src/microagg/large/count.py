"""Counting on what is written: how many records share each combination of released values.

The released values of a record are hashed to 128 bits. The hashes of a piece, each once and with the
number of its records, are sorted into bins, so that equal ones stand in one bin, and each bin is
counted on its own. However many records are equal, a bin does not grow by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.context import Context
from microagg.data.frames import Frame
from microagg.data.streams import Stream
from microagg.errors import AnonymityError
from microagg.large.columns import Reader
from microagg.large.dataset import with_values
from microagg.large.plan import Plan
from microagg.large.route import starts_of
from microagg.large.work import Records, Work
from microagg.large.write import written_as
from microagg.measure.anonymity import Anonymity
from microagg.partition.search.blocks.sample import scrambled
from microagg.pipeline.cautions import strata_kept
from microagg.typing import Floats

if TYPE_CHECKING:
    import pyarrow as pa


_SEEDS = np.array([0, 0x243F6A8885A308D3], dtype=np.uint64)
_HASHES = ("one", "other")
COUNTED = np.dtype([("one", "<u8"), ("other", "<u8"), ("count", "<i8")])

BINS_A_TASK = 16
"""Bins of hashes that one task counts, at least."""

_MISSING = np.array([np.nan]).view(np.uint64)[0]


def hashes_of(columns: Floats) -> Records:
    """Return two hashes of each record of float64[d, m], which counts 1; 0.0 and -0.0 differ.

    Examples
    --------
    >>> hashes = hashes_of(np.array([[1.0, 1.0, 2.0], [5.0, 5.0, 5.0]]))
    >>> bool(hashes[0] == hashes[1]), bool(hashes[0] == hashes[2])
    (True, False)
    """
    hashes = np.ones(columns.shape[1], dtype=COUNTED)
    for seed, part in zip(_SEEDS, _HASHES, strict=True):
        own = np.full(hashes.size, seed)
        for column in columns:
            bits = np.ascontiguousarray(column).view(np.uint64)
            bits = np.where(np.isnan(column), _MISSING, bits)  # NaN has many forms
            own = scrambled(own ^ scrambled(bits))
        hashes[part] = own
    return hashes


@dataclass(frozen=True, eq=False)
class Count:
    """What counting tasks share.

    Attributes
    ----------
    files : tuple of Path
        The written files.
    forms : tuple of mapping
        How each is read.
    reader : Reader
        How their columns become numbers.
    names : tuple of str
        The columns that each file must have, in order.
    work : Work
        Where hashes lie meanwhile.
    bins, rows, size : int
        In how many bins records are counted, and the records and bytes that are read at a time.
    across : bool
        Whether the columns of strata count as well.
    folders : tuple of mapping
        The columns that the folders of each file name, as arrays of their one value.
    """

    files: tuple[Path, ...]
    forms: tuple[dict[str, Any], ...]
    reader: Reader
    names: tuple[str, ...]
    work: Work
    bins: int
    rows: int
    size: int
    across: bool = False
    folders: tuple[dict[str, Any], ...] = ()


def tasks_of_bins(
    count: Count, what: str, pieces: Sequence[int]
) -> list[tuple[range, tuple[str, ...]]]:
    """Return tasks: some bins each, and the steps of the pieces that these are in."""
    steps = tuple(
        f"{what}/{number}.{piece}" for number, own in enumerate(pieces) for piece in range(own)
    )
    firsts = range(0, count.bins, BINS_A_TASK)
    return [(range(a, min(a + BINS_A_TASK, count.bins)), steps) for a in firsts]


def count_of(plan: Plan, n: int, *, across: bool) -> Count:
    """Return what tasks need to count the n records of a written release, by strata too if `across`."""
    reader, data = plan.read().of_release(strata_kept(plan.settings)), plan.data
    bins = plan.sizes.bins(n)
    written = [written_as(plan, file) for file in range(len(data.files))]
    gone = {*plan.settings.schema.identifiers, *data.folders(0)}
    return Count(
        files=tuple(path for path, _ in written),
        forms=tuple(form for _, form in written),
        reader=reader,
        names=tuple(name for name in data.names if name not in gone),
        # Another memory has other bins, and hashes that were sorted into those do not count in these.
        work=plan.work.below(f"{'across' if across else 'counted'}/{bins}", COUNTED),
        bins=bins,
        rows=plan.sizes.piece,
        size=plan.sizes.table,
        across=across,
        folders=tuple(data.folder_values(file) for file in range(len(data.files))),
    )


def hash_file(count: Count, number: int, context: Context) -> tuple[int, int]:
    """Sort the hashes of the records of a written file into bins; returns its pieces and records."""
    step = f"count/{number}"
    if not _hashed(count.work, step):
        stream = Stream(count.files[number], size=count.size, **count.forms[number])
        if tuple(stream.names) != count.names:
            raise AnonymityError("The written release does not have the expected columns.")
        columns = list(count.reader.columns)
        if count.across:
            columns = [name for name in count.reader.names if name in count.names]
        done, pieces = 0, 0
        for table in stream.tables(count.rows, columns):
            done += table.num_rows
            hashes = summed_up(hashes_of(_numbers(count, table, number)))
            bins = (hashes["one"] % np.uint64(count.bins)).astype(np.int64)
            records = hashes[np.argsort(bins, kind="stable")]
            starts = starts_of(bins, count.bins)
            if not count.work.has(f"{step}.{pieces}"):
                own = {"records": records}
                count.work.save(f"{step}.{pieces}", own, {"records": starts}, starts=starts)
            pieces += 1
        count.work.save(step, None, pieces=pieces, rows=done)
    return int(count.work.load(step, "pieces")), int(count.work.load(step, "rows"))


def _hashed(work: Work, step: str) -> bool:
    """Return whether a file is hashed, and none of its pieces is lost."""
    if not work.has(step):
        return False
    return all(work.has(f"{step}.{piece}") for piece in range(int(work.load(step, "pieces"))))


def _numbers(count: Count, table: pa.Table, number: int) -> Floats:
    """Return the columns that count as numbers."""
    if count.across:
        table = with_values(table, count.folders[number])
    frame = Frame(count.reader.typed(table, str))
    numbers = count.reader.numbers(frame, str)
    if not count.across:
        return numbers
    return np.concatenate([numbers, count.reader.strata_codes(frame)])


def count_bins(count: Count, item: tuple[range, tuple[str, ...]], context: Context) -> Counter[int]:
    """Return how many combinations of some bins belong to how many records."""
    bins, steps = item
    by_size: Counter[int] = Counter()
    starts = [count.work.load(step, "starts") for step in steps]
    for number in bins:
        spans = [
            (step, int(own[number]), int(own[number + 1]))
            for step, own in zip(steps, starts, strict=True)
        ]
        totals = summed_up(count.work.gather("records", spans))["count"]
        sizes, counts = np.unique(totals, return_counts=True)
        by_size.update(dict(zip(sizes.tolist(), counts.tolist(), strict=True)))
    return by_size


def anonymity_from(counts: list[Counter[int]]) -> Anonymity:
    """Return the anonymity from what was counted in all bins."""
    by_size: Counter[int] = Counter()
    for own in counts:
        by_size.update(own)
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
