"""The second pass: every record is written to disk where its block can be read in one go a piece."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.data.streams import Stream
from microagg.large.numbers import pieces_of
from microagg.large.survey import Survey
from microagg.large.work import Records, Work
from microagg.partition.search.blocks.sample import ties_of
from microagg.reporter import Reporter

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Starts = NDArray[np.int32]


def route(stream: Stream, survey: Survey, work: Work, piece: int, progress: Reporter) -> Starts:
    """Write each piece of the file with its records in order of their leaves.

    Returns
    -------
    int32[pieces, leaves + 1]
        Where each leaf starts in each piece; the last number is the records of the piece.
    """
    pieces = -(-survey.n // piece)
    if not all(work.has(f"routed/{number}") for number in range(pieces)):
        progress.begin("Routing", survey.n)
        for number, columns in enumerate(pieces_of(stream, survey.names, piece)):
            first = number * piece
            if not work.has(f"routed/{number}"):
                records, starts = _sorted(columns, first, survey, work)
                work.save(f"routed/{number}", {f"routed/{number}": records}, starts=starts)
            progress.reach(first + columns.shape[1])
    starts = np.empty((pieces, survey.layout.blocks.n_leaves + 1), dtype=np.int32)
    for number, row in enumerate(starts):
        row[:] = work.load(f"routed/{number}", "starts")
    return starts


def _sorted(columns: Floats, first: int, survey: Survey, work: Work) -> tuple[Records, Starts]:
    rows = np.arange(first, first + columns.shape[1])
    leaves = survey.layout.blocks.route(survey.scaled(columns), ties_of(rows))
    order = np.argsort(leaves, kind="stable")
    records = work.empty(rows.size)
    records["row"], records["values"] = rows[order], columns.T[order]
    return records, starts_of(leaves, survey.layout.blocks.n_leaves)


def starts_of(numbers: Integers, count: int) -> Starts:
    """Return where each of `count` numbers starts once sorted, and the end of the last."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(numbers, minlength=count))))
    return starts.astype(np.int32)  # of which there are as many as pieces or blocks
