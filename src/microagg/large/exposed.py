"""What unchanged columns add to the released quasi-identifiers, and which of them reveal these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from microagg.data.streams import Stream
from microagg.large.plan import Plan
from microagg.large.tally import units_of_release
from microagg.large.write import written_as
from microagg.measure.copies import Copy
from microagg.measure.exposure import Exposure
from microagg.measure.exposure_in_pieces import copies_in, exposure_in

if TYPE_CHECKING:
    import pyarrow as pa


def exposed_by(plan: Plan) -> tuple[Exposure | None, tuple[Copy, ...]]:
    """Return the exposure of the written files, and the copies among the columns of the input."""
    schema, sizes = plan.settings.schema, plan.sizes
    keys = list(schema.quasi_identifiers)
    gone = {*keys, *schema.identifiers}
    kept = [name for name in plan.data.names if name not in gone]
    others = [name for name in kept if name not in schema.confidential]
    released = released_tables(plan, [*keys, *others])
    units = None if plan.settings.unit is None else units_of_release(plan).take
    exposure = exposure_in(released, keys, others, plan.settings.k, sizes.counted, units)
    copies = copies_in(lambda: original_tables(plan, [*keys, *kept]), keys, kept, sizes.table)
    return exposure, copies


def released_tables(plan: Plan, names: Sequence[str]) -> Iterator[pa.Table]:
    """Yield tables of the written files, with the columns that folders name."""
    for file in range(len(plan.data.files)):
        path, form = written_as(plan, file)
        folders = plan.data.folders(file)
        inside = [name for name in names if name not in folders]
        for table in Stream(path, size=plan.sizes.table, **form).tables(plan.sizes.piece, inside):
            yield plan.data.with_folders(table, file, names)


def original_tables(plan: Plan, names: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the records of the input that are released, as they were."""
    parts = plan.divided()
    every = list(dict.fromkeys([*names, *plan.read().names]))
    for split in plan.splits:
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
