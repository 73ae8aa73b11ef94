"""The release, written in the order of the file; its loss is summed up on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from microagg.data.files import written_form
from microagg.data.frames import Frame
from microagg.data.streams import Stream, TableWriter
from microagg.errors import AnonymityError, DataError
from microagg.large.blocks import Blocks
from microagg.large.numbers import numbers_of
from microagg.large.work import Records
from microagg.measure.loss.information_loss import (
    InformationLoss,
    loss_from_sums,
    squared_errors,
)
from microagg.reporter import Reporter
from microagg.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa


def changed(path: Path) -> DataError:
    """Return the error for a file that is not any more what it was when it was read before."""
    return DataError(f"'{path}' changed while it was read.", hint="Try again.")


def write_release(
    stream: Stream,
    blocks: Blocks,
    roles: Schema,
    paths: Mapping[str, Path],
    piece: int,
    progress: Reporter,
) -> InformationLoss:
    """Write the data and the group of each row, and return the loss of what was written."""
    import pyarrow as pa

    survey, form = blocks.survey, written_form(paths["data"], stream.dialect)
    progress.begin("Writing the release", survey.n)
    sse, done = np.zeros(len(survey.names)), 0
    with TableWriter(paths["data"], form) as data, TableWriter(paths["groups"], form) as groups:
        for table, records in _together(stream, blocks, piece):
            if not np.array_equal(records["row"], np.arange(done, done + table.num_rows)):
                raise AnonymityError("Released records are not those of their rows.")
            before = numbers_of(table, survey.names, done, stream.decimal)
            values = {name: records["values"][:, j] for j, name in enumerate(survey.names)}
            released = Frame(table).with_columns(values, drop=roles.identifiers)
            after = numbers_of(released, survey.names, done)
            sse += squared_errors(survey.scaled(before), survey.scaled(after))
            data.write(released)
            groups.write(pa.table({"row": records["row"] + 1, "group": records["group"]}))
            done += table.num_rows
            progress.reach(done)
    return loss_from_sums(survey.names, sse, survey.sst)


def _together(stream: Stream, blocks: Blocks, piece: int) -> Iterator[tuple[pa.Table, Records]]:
    """Yield tables of the file, shorter where its texts are long, and the records of their rows."""
    pieces = blocks.pieces()
    waiting = next(pieces)
    for table in stream.tables(piece):
        while waiting.size < table.num_rows:
            more = next(pieces, None)
            if more is None:
                raise changed(stream.path)
            waiting = np.concatenate([waiting, more])
        yield table, waiting[: table.num_rows]
        waiting = waiting[table.num_rows :]
    if waiting.size or next(pieces, None) is not None:
        raise changed(stream.path)
