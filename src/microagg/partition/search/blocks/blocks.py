"""Blocks: cut the records into blocks of similar ones, group each block, repair the borders.

Reference: ours. Blocks of similar records are in Solanas, Martinez-Balleste, Domingo-Ferrer and
Mateo-Sanz 2006, A 2^d-tree-based blocking method for microaggregating very large data sets.

Idea: a kd-tree of a sample tells each record its block. Each block is grouped on its own by any
method, and its groups are improved by swap-shift. Those that reach to a cut are then improved with
those on its other side, in cells whose borders run askew to those of the blocks.

Cost: that of the method on a block, once a block: O(n b d / k) for mdav-nc in blocks of b records,
and two passes of swap-shift. Memory O(nd).

Where there was a choice: cuts fall in the middle of the widest column, between two values where
they can; equal values are told apart by a scrambled row number, so that any records can be cut into
blocks of their size. That is so as far as the sample of 131,072 records can tell: where few of it
stand for a block, a block may be larger. One with fewer than k records joins its neighbour. Blocks
and cells are shared among threads, one a processor; the groups do not depend on how many. Mixed
records are cut along the axes of `axes.py` and grouped block by block; their groups are not
improved across the cuts.
`protect_file` does the same on files that are larger than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np

from microagg.constraints import LARGEST, AtLeast
from microagg.context import Context
from microagg.errors import ParameterError
from microagg.partition.grouping import Facts, Grouping, Labels
from microagg.partition.names import resolve
from microagg.partition.registry import method
from microagg.partition.search.blocks.axes import axes_of
from microagg.partition.search.blocks.block import (
    BLOCK_SIZE,
    NO_CELL,
    Layout,
    check_block_size,
    group_block,
    repaired_cell,
)
from microagg.partition.search.blocks.cuts import Floats, Integers
from microagg.partition.search.blocks.sample import Sample, ties_of
from microagg.partition.search.blocks.side_by_side import side_by_side
from microagg.partition.threads import workers
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records

Box = tuple[Floats, Floats]

WITHIN = "mdav-nc"
"""The method that groups each block, unless another is named."""

SAMPLE = 1 << 17
"""Records of which the cuts are made."""


def _blocks(
    prepared: Prepared | Records,
    k: int,
    context: Context,
    *,
    block_size: Annotated[int, AtLeast(8)] = BLOCK_SIZE,
    within: str = WITHIN,
) -> Grouping:
    """Group as the file's opening says."""
    check_within(within, "within")
    seed = int(context.rng.integers(LARGEST))
    if prepared.n > block_size:
        check_block_size(block_size, k)
    layout, block_of, boxes = _laid_out(prepared, k, block_size)

    def grouped(block: Prepared | Records, own: Context) -> Labels:
        return own.group(block, k, within, seed=seed).labels

    parts = list(zip(_parts(block_of), boxes, strict=True))
    labels, cell_of = _grouped(prepared, k, parts, layout, grouped, context)
    if isinstance(prepared, Prepared):
        labels = _repaired(prepared, k, labels, cell_of, block_size, context)
    return Grouping(labels.astype(np.int32), Facts(chosen=within, blocks=len(boxes)))


blocks = method(
    "blocks",
    summary="cuts large data into blocks, groups each by another method and repairs the borders",
    reference="ours",
    time="O(n b d / k) for mdav-nc in blocks of b records",
    max_size="n",
    deterministic=False,
    mixed=_blocks,
    module=__name__,
)(_blocks)


def check_within(name: str, parameter: str) -> None:
    """Raise when blocks would be cut into blocks."""
    if resolve(name).method.name == "blocks":
        raise ParameterError(
            "says how each block is grouped, so it cannot be 'blocks'.",
            parameter=parameter,
            hint=f'Give another method, such as {parameter}="{WITHIN}".',
        )


def _grouped(
    prepared: Prepared | Records,
    k: int,
    parts: Sequence[tuple[Integers, Box]],
    layout: Layout,
    grouped: Callable[[Prepared | Records, Context], Labels],
    context: Context,
) -> tuple[Integers, Integers]:
    """Return the group of each record, and the cell of its group."""

    def work(part: tuple[Integers, Box], own: Context) -> tuple[Integers, Integers]:
        rows, box = part
        return group_block(prepared.subset(rows), rows, k, box, layout, grouped, own)

    labels, cell_of = np.empty(prepared.n, dtype=np.int64), np.empty(prepared.n, dtype=np.int64)
    done, groups = 0, 0
    context.reporter.begin("Grouping blocks", prepared.n)
    for (rows, _), (own, cells) in zip(
        parts, side_by_side(work, parts, context, workers()), strict=True
    ):
        labels[rows], cell_of[rows] = own + groups, cells[own]
        done, groups = done + rows.size, groups + cells.size
        context.reporter.reach(done)
    return labels, cell_of


def _repaired(
    prepared: Prepared,
    k: int,
    labels: Integers,
    cell_of: Integers,
    block_size: int,
    context: Context,
) -> Integers:
    """Return better labels of the groups that have a cell."""

    def work(rows: Integers, own: Context) -> Integers:
        if cell_of[rows[0]] == NO_CELL:
            return labels[rows]
        return repaired_cell(prepared.subset(rows), labels[rows], k, block_size, own)

    better, done, parts = labels.copy(), 0, _parts(cell_of)
    context.reporter.begin("Repairing borders", prepared.n)
    for rows, own in zip(parts, side_by_side(work, parts, context, workers()), strict=True):
        better[rows] = own
        done += rows.size
        context.reporter.reach(done)
    return better


def block_seed(seed: int) -> int:
    """Return the seed that the method within each block gets."""
    return int(np.random.default_rng(seed).integers(LARGEST))


def _laid_out(
    prepared: Prepared | Records, k: int, block_size: int
) -> tuple[Layout, Integers, list[Box]]:
    """Return the cuts, the block of each record and the box of each block."""
    axes, rows = axes_of(prepared), np.arange(prepared.n)
    sample = Sample(SAMPLE)
    sample.add(axes, rows)
    layout = Layout.of(sample.columns, sample.rows, prepared.n, block_size)
    leaves = layout.blocks.route(axes, ties_of(rows))
    counts = np.bincount(leaves, minlength=layout.blocks.n_leaves)
    starts = layout.blocks.joined(counts, k)
    block_of = np.searchsorted(starts, leaves, side="right") - 1
    return layout, block_of, layout.boxes(len(axes), starts)


def _parts(numbers: Integers) -> list[Integers]:
    """Return the rows that have each number, in order."""
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)
