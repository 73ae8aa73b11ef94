"""What unchanged columns add to the released quasi-identifiers, and which of them reveal these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from microagg.context import Context
from microagg.data.streams import Stream
from microagg.large.dataset import Split
from microagg.large.domains import from_bytes, to_bytes
from microagg.large.plan import Plan
from microagg.large.tally import units_of_release
from microagg.large.write import written_as
from microagg.measure.copies import Copy
from microagg.measure.exposure import Exposure
from microagg.measure.exposure_in_pieces import ClassSample, RowSample, copies_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class KeptColumns:
    """The columns that are released unchanged, of a plan.

    Attributes
    ----------
    keys : tuple of str
        The quasi-identifiers.
    kept : tuple of str
        All columns that are released unchanged.
    exposing : tuple of str
        Those of them that are not confidential.
    """

    keys: tuple[str, ...]
    kept: tuple[str, ...]
    exposing: tuple[str, ...]

    @classmethod
    def of(cls, plan: Plan) -> KeptColumns:
        """Return the columns of a plan."""
        schema = plan.settings.schema
        gone = {*schema.quasi_identifiers, *schema.identifiers}
        kept = tuple(name for name in plan.data.names if name not in gone)
        exposing = tuple(name for name in kept if name not in schema.confidential)
        return cls(tuple(schema.quasi_identifiers), kept, exposing)


def sample_classes(plan: Plan, number: int, context: Context) -> None:
    """Draw the classes of a written file on which the exposure is counted."""
    step, columns = f"exposed/{number}", KeptColumns.of(plan)
    if plan.work.has(step):
        return
    names = [*columns.keys, *columns.exposing]
    tables = released_tables(plan, names, [number])
    units = None if plan.settings.unit is None else units_of_release(plan, number).take
    room, first = plan.sizes.counted, number << _RECORDS_OF_A_FILE
    sample = ClassSample.of(tables, columns.keys, columns.exposing, room, units, first)
    plan.work.save(step, None, None, hashes=sample.hashes, divisor=sample.divisor, n=sample.n)


_RECORDS_OF_A_FILE = 40  # bits


def exposure_of_files(plan: Plan) -> Exposure | None:
    """Return the exposure of all written files from what `sample_classes` has drawn."""
    columns, settings = KeptColumns.of(plan), plan.settings
    counted = "records" if settings.unit is None else "units"
    if not columns.exposing:
        return Exposure((), plan.divided().n, settings.k, counted=counted)
    total: ClassSample | None = None
    for number in range(len(plan.data.files)):
        step = f"exposed/{number}"
        hashes = plan.work.load(step, "hashes")
        divisor, n = (int(plan.work.load(step, name)) for name in ("divisor", "n"))
        own = ClassSample(hashes, divisor, n)
        total = own if total is None else total.joined(own, plan.sizes.counted)
    assert total is not None  # the input has at least one file
    return total.exposure(columns.exposing, settings.k, counted)


def sample_rows(plan: Plan, split: Split, context: Context) -> None:
    """Draw the rows of a split on which copies are looked for."""
    step, columns = f"rows/{split.number}", KeptColumns.of(plan)
    if plan.work.has(step):
        return
    sample = RowSample()
    first = int(plan.divided().by_split[: split.number].sum())
    for table in original_tables(plan, [*columns.keys, *columns.kept], [split]):
        own = RowSample.of(table, first + sample.n)
        sample = sample.joined(own, plan.sizes.table)
    plan.work.save(
        step,
        None,
        None,
        rows=to_bytes(sample.rows),
        ties=sample.ties,
        n=sample.n,
        most=sample.most,
    )


def copies_of_files(plan: Plan) -> tuple[Copy, ...]:
    """Return the copies among the columns of the input from what `sample_rows` has drawn."""
    columns = KeptColumns.of(plan)
    if not columns.kept:
        return ()
    total = RowSample()
    for split in plan.splits:
        step = f"rows/{split.number}"
        n, most = (int(plan.work.load(step, name)) for name in ("n", "most"))
        if n:
            rows = from_bytes(plan.work.load(step, "rows"))
            own = RowSample(rows, plan.work.load(step, "ties"), n, most)
            total = total.joined(own, plan.sizes.table)
    names = [*columns.keys, *columns.kept]
    return copies_of(total, lambda: original_tables(plan, names), columns.keys, columns.kept)


def released_tables(
    plan: Plan, names: Sequence[str], files: Iterable[int] | None = None
) -> Iterator[pa.Table]:
    """Yield tables of written files, all by default, with the columns that folders name."""
    for file in range(len(plan.data.files)) if files is None else files:
        path, form = written_as(plan, file)
        folders = plan.data.folders(file)
        inside = [name for name in names if name not in folders]
        for table in Stream(path, size=plan.sizes.table, **form).tables(plan.sizes.piece, inside):
            yield plan.data.with_folders(table, file, names)


def original_tables(
    plan: Plan, names: Sequence[str], splits: Iterable[Split] | None = None
) -> Iterator[pa.Table]:
    """Yield the records of some splits, all by default, that are released, as they were."""
    parts = plan.divided()
    every = list(dict.fromkeys([*names, *plan.read().names]))
    for split in plan.splits if splits is None else splits:
        if parts.n == parts.rows:
            yield from plan.data.tables(split, plan.sizes.piece, names)
            continue
        done = 0
        for table in plan.data.tables(split, plan.sizes.piece, every):
            piece = plan.piece(table, split, done)
            done += table.num_rows
            kept = np.flatnonzero(parts.of(piece.numbers, piece.strata) >= 0)
            if kept.size:
                yield table.take(kept).select(list(names))
