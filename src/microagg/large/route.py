"""Routing: every record is written to disk where its block can be read in one go a piece."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.large.averages import Averages
from microagg.large.dataset import Split
from microagg.large.plan import Piece, Plan
from microagg.large.work import Records
from microagg.partition.search.blocks.axes import axes_of
from microagg.partition.search.blocks.sample import ties_of
from microagg.typing import Integers

Starts = NDArray[np.int32]


def route_split(plan: Plan, split: Split, context: Context) -> None:
    """Write the records of a split, piece by piece, in order of their leaves."""
    pieces = [step_of(split, number) for number in range(pieces_of(plan, split))]
    if all(map(plan.work.has, (f"averaged/{split.number}", *pieces))):
        return
    averages, local = Averages(plan, split), plan.divided().before(split.number)[0]
    for number, (piece, part) in enumerate(plan.released_pieces(split)):
        averages.add(piece)
        step, first = step_of(split, number), int(local.sum())
        rows, local = _local(part, local)
        if not plan.work.has(step):
            records, leaves = _sorted(plan, piece, part, rows, first)
            starts = starts_of(leaves, leaf_starts(plan)[-1])
            plan.work.save(step, {"records": records}, {"records": starts}, starts=starts)
    averages.save()


def step_of(split: Split, piece: int) -> str:
    """Return the name of the step that routes a piece of a split."""
    return f"routed/{split.number}.{piece}"


def pieces_of(plan: Plan, split: Split) -> int:
    """Return in how many pieces a split is read."""
    return -(-split.rows // plan.sizes.piece)


def leaf_starts(plan: Plan) -> Integers:
    """Return the number of the first leaf of each part, and that of all."""
    counts = [layout.blocks.n_leaves for layout in plan.surveyed().layouts]
    return np.concatenate(([0], np.cumsum(counts)))


def _local(part: Integers, before: Integers) -> tuple[Integers, Integers]:
    """Return the row of each record in its part, and how many records of each part come before next."""
    rows = np.empty(part.size, dtype=np.int64)
    after = before.copy()
    for number in np.unique(part):
        own = np.flatnonzero(part == number)
        rows[own] = before[number] + np.arange(own.size)
        after[number] += own.size
    return rows, after


def _sorted(
    plan: Plan, piece: Piece, part: Integers, rows: Integers, first: int
) -> tuple[Records, Integers]:
    """Return the records of a piece in order of their leaves, and the leaf of each as it came."""
    survey, starts = plan.surveyed(), leaf_starts(plan)
    axes = axes_of(survey.prepared(piece.numbers, piece.weights))
    leaves = np.empty(part.size, dtype=np.int64)
    classes = plan.read().secrets.classes(piece.codes)
    for number in np.unique(part):
        own = np.flatnonzero(part == number)
        cuts = survey.layouts[number].blocks
        columns = axes if own.size == part.size else axes[:, own]
        own_classes = None if classes is None else classes[own]
        leaves[own] = starts[number] + cuts.route(columns, ties_of(rows[own]), own_classes)
    order = np.argsort(leaves, kind="stable")
    records = plan.work.empty(part.size)
    records["row"], records["values"] = first + order, piece.numbers.T[order]
    if "local" in (records.dtype.names or ()):
        records["local"] = rows[order]
    if "weight" in (records.dtype.names or ()):
        assert piece.weights is not None
        records["weight"] = piece.weights[order]
    if "unit" in (records.dtype.names or ()):
        assert piece.units is not None
        records["unit"] = piece.units[order]
    if "codes" in (records.dtype.names or ()):
        records["codes"] = piece.codes.T[order]
    return records, leaves


def starts_of(numbers: Integers, count: int) -> Starts:
    """Return where each of `count` numbers starts once sorted, and the end of the last."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(numbers, minlength=count))))
    return starts.astype(np.int32)  # of which there are as many as pieces or blocks


@dataclass(frozen=True, eq=False)
class Routed:
    """Where the records of each leaf lie.

    Attributes
    ----------
    steps : tuple of str
        The pieces, in the order of the input.
    starts : int32[pieces, leaves + 1]
        Where each leaf starts in each piece; the last number is the records of the piece.
    """

    steps: tuple[str, ...]
    starts: Starts


def routed(plan: Plan) -> Routed:
    """Return where `route_split` has put the records of all splits."""
    steps = []
    for split in plan.splits:
        steps += [step_of(split, number) for number in range(pieces_of(plan, split))]
    starts = np.empty((len(steps), int(leaf_starts(plan)[-1]) + 1), dtype=np.int32)
    for row, step in zip(starts, steps, strict=True):
        row[:] = plan.work.load(step, "starts")
    return Routed(tuple(steps), starts)
