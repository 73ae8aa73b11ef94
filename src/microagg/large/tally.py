"""What is written of confidential values and units: counted within each class of released values.

A class is known by the hashes of its released quasi-identifiers, as where records are counted. For each
confidential column the values of a piece are counted by class, sorted into bins, and the bins of all pieces
are counted on their own. Units, which may not be released, are read from the input beside the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.data.frames import Frame
from microagg.data.streams import Stream
from microagg.errors import AnonymityError
from microagg.large.confidential import ConfidentialValues
from microagg.large.count import Count, hashes_of
from microagg.large.dataset import with_values
from microagg.large.plan import Plan
from microagg.large.route import starts_of
from microagg.large.work import Records, Work
from microagg.measure.diversity.l_diversity import fewest_values
from microagg.measure.diversity.present_values import short_of_values
from microagg.measure.diversity.t_closeness import largest_distance
from microagg.measure.diversity.within_classes import Counts
from microagg.measure.exposure_in_pieces import hashes_of as value_hashes
from microagg.partition.search.blocks.sample import scrambled
from microagg.typing import Codes

VALUED = np.dtype([("one", "<u8"), ("other", "<u8"), ("value", "<u8"), ("count", "<i8")])

Kind = tuple[str, str]
"""What is counted, and of which column."""

UNITS_OF_CLASSES, ALL_UNITS = ("units", "of classes"), ("units", "all")

_PLACE = np.uint64(0x452821E638D01377)


@dataclass(frozen=True, eq=False)
class Tally:
    """What tallying tasks share.

    Attributes
    ----------
    plan : Plan
        Of the release.
    count : Count
        The written files and how they are read.
    work : Work
        Where the counts of pieces lie meanwhile.
    columns : tuple of str
        The confidential columns.
    coded : tuple of ConfidentialValues
        Those of them whose values have codes, because a limit is about them.
    unit : bool
        Whether units are counted as well.
    """

    plan: Plan
    count: Count
    work: Work
    columns: tuple[str, ...]
    coded: tuple[ConfidentialValues, ...]
    unit: bool

    @classmethod
    def of(cls, plan: Plan, count: Count) -> Tally:
        """Return what is to be tallied of a release."""
        secrets = plan.read().secrets
        released = {*count.names, *plan.data.folders(0)}
        names = [name for name in plan.settings.confidential if name in released]
        work = plan.work.below(f"tallied/{count.bins}", VALUED)
        unit = secrets.unit is not None
        return cls(plan, count, work, tuple(names), secrets.columns, unit)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What is counted: the confidential columns, the units of each class, and all units."""
        columns = tuple(("values", name) for name in self.columns)
        return (*columns, UNITS_OF_CLASSES, ALL_UNITS) if self.unit else columns

    def values_of(self, kind: Kind) -> ConfidentialValues | None:
        """Return the codes of a column's values, where it has any."""
        return next((column for column in self.coded if kind == ("values", column.name)), None)


@dataclass(frozen=True)
class Tallied:
    """What was counted of one column, in some classes or in all.

    Attributes
    ----------
    fewest : float
        The different values of the class that has fewest.
    farthest : float
        The largest distance of a class from all records; 0 where it does not matter.
    alike : int
        Records in classes that share one value.
    entries : int
        Different pairs of class and value.
    short : int
        Records in classes that satisfy l-diversity only because a missing value counts as a value.
    """

    fewest: float = float("inf")
    farthest: float = 0.0
    alike: int = 0
    entries: int = 0
    short: int = 0

    def joined(self, other: Tallied) -> Tallied:
        """Return what was counted in the classes of both."""
        return Tallied(
            min(self.fewest, other.fewest),
            max(self.farthest, other.farthest),
            self.alike + other.alike,
            self.entries + other.entries,
            self.short + other.short,
        )


def tally_file(tally: Tally, number: int, context: Context) -> int:
    """Count the values of a written file by class and sort them into bins; returns its pieces."""
    step, count = f"tally/{number}", tally.count
    if not _done(tally, step):
        stream = Stream(count.files[number], size=count.size, **count.forms[number])
        folders = {n: v for n, v in count.folders[number].items() if n in tally.columns}
        columns = list(dict.fromkeys([*count.reader.columns, *tally.columns]))
        inside = [name for name in columns if name not in folders]
        units, pieces = units_of_release(tally.plan, number), 0
        for table in stream.tables(count.rows, inside):
            frame = Frame(count.reader.typed(with_values(table, folders), str))
            classes = hashes_of(count.reader.numbers(frame, str))
            for kind, (own, values) in enumerate(_valued(tally, frame, classes, units)):
                _save(tally, f"{step}.{pieces}.{kind}", own, values)
            pieces += 1
        tally.work.save(step, None, pieces=pieces)
    return int(tally.work.load(step, "pieces"))


def _done(tally: Tally, step: str) -> bool:
    if not tally.work.has(step):
        return False
    pieces = range(int(tally.work.load(step, "pieces")))
    kinds = range(len(tally.kinds))
    return all(tally.work.has(f"{step}.{piece}.{kind}") for piece in pieces for kind in kinds)


def _valued(
    tally: Tally, frame: Frame, classes: Records, units: Units
) -> Iterator[tuple[Records, NDArray[np.uint64]]]:
    """Yield the classes and values of the records of a table, for each kind of value."""
    for name in tally.columns:
        values = tally.values_of(("values", name))
        if values is None:
            yield classes, value_hashes(frame.arrow(name))
        else:
            codes = values.column(values.coded(frame.arrow(name))).codes
            yield classes, codes.astype(np.uint64)
    if tally.unit:
        own = units.take(frame.n)
        yield classes, own
        alone = np.zeros(own.size, dtype=classes.dtype)
        alone["one"], alone["other"] = scrambled(own ^ _PLACE), own
        yield alone, np.zeros(own.size, dtype=np.uint64)


class Units:
    """The units of the released records of a file, in order, as many at a time as are asked for."""

    def __init__(self, units: Iterator[Codes]) -> None:
        self._units, self._rest = units, np.empty(0, dtype=np.uint64)

    def take(self, count: int) -> NDArray[np.uint64]:
        """Return the next units."""
        while self._rest.size < count:
            more = next(self._units, None)
            if more is None:
                raise AnonymityError(
                    "The written release has more records than the input has units."
                )
            self._rest = np.concatenate([self._rest, more.astype(np.uint64)])
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken


def units_of_release(plan: Plan, file: int | None = None) -> Units:
    """Return the units of the released records, of one file of the input or of all."""
    splits = (split for split in plan.splits if file is None or split.file == file)
    pieces = (piece for split in splits for piece, _ in plan.released_pieces(split))
    return Units(piece.units for piece in pieces if piece.units is not None)


def _save(tally: Tally, step: str, classes: Records, values: NDArray[np.uint64]) -> None:
    if tally.work.has(step):
        return
    records = np.ones(values.size, dtype=VALUED)
    records["one"], records["other"], records["value"] = classes["one"], classes["other"], values
    records = summed(records)
    bins = (records["one"] % np.uint64(tally.count.bins)).astype(np.int64)
    starts = starts_of(bins, tally.count.bins)
    records = records[np.argsort(bins, kind="stable")]
    tally.work.save(step, {"records": records}, {"records": starts}, starts=starts)


def summed(records: Records) -> Records:
    """Return each class and value once, sorted by both, with the sum of its counts."""
    records = records[np.lexsort((records["value"], records["other"], records["one"]))]
    fresh = np.zeros(max(records.size - 1, 0), dtype=bool)
    for name in ("one", "other", "value"):
        fresh |= records[name][1:] != records[name][:-1]
    firsts = np.flatnonzero(np.concatenate(([True], fresh))[: records.size])
    once = records[firsts]
    if once.size:
        once["count"] = np.add.reduceat(records["count"], firsts)
    return once


def tally_bins(
    tally: Tally, item: tuple[range, tuple[str, ...]], context: Context
) -> list[Tallied]:
    """Return what some bins have of each kind of value; `item` are bins and the steps of pieces."""
    bins, steps = item
    return [
        _tallied(tally, kind, [f"{step}.{number}" for step in steps], bins)
        for number, kind in enumerate(tally.kinds)
    ]


def _tallied(tally: Tally, kind: Kind, steps: Sequence[str], bins: range) -> Tallied:
    total = Tallied()
    values = tally.values_of(kind)
    starts = [tally.work.load(step, "starts") for step in steps]
    for number in bins:
        spans = [
            (step, int(own[number]), int(own[number + 1]))
            for step, own in zip(steps, starts, strict=True)
        ]
        records = summed(tally.work.gather("records", spans))
        if records.size:
            total = total.joined(_counted(records, values, tally.plan.settings.l_diversity))
    return total


def _counted(
    records: Records, values: ConfidentialValues | None, limit: float | None = None
) -> Tallied:
    """Return what is counted of the classes of one bin, which are whole; `limit` is that of l-diversity."""
    counts = counts_of_classes(records, values)
    farthest = 0.0 if values is None else largest_distance([counts])
    short = 0 if values is None or limit is None else short_of_values(counts, limit, values.absent)
    return Tallied(fewest_values([counts]), farthest, counts.alike, int(records.size), short)


def counts_of_classes(records: Records, values: ConfidentialValues | None) -> Counts:
    """Return the counts of records sorted by class and value, each once, of classes that are whole."""
    starts = class_starts(records)
    width = np.diff(starts, append=records.size)
    return Counts(
        classes=np.repeat(np.arange(starts.size), width),
        values=records["value"].astype(np.int64),
        counts=records["count"],
        starts=starts,
        sizes=np.add.reduceat(records["count"], starts),
        ordered=values is not None and values.ordered,
        everywhere=None if values is None else values.occurring,
    )


def class_starts(records: Records) -> Codes:
    """Return where each class begins, of records sorted by class."""
    fresh = np.ones(records.size, dtype=bool)
    fresh[1:] = (records["one"][1:] != records["one"][:-1]) | (
        records["other"][1:] != records["other"][:-1]
    )
    return np.flatnonzero(fresh)
