"""Blocks: cut the records into blocks of similar ones, group each block, mend the borders.

Reference: ours. Blocks of similar records are in Solanas, Martinez-Balleste, Domingo-Ferrer and
Mateo-Sanz 2006, A 2^d-tree-based blocking method for microaggregating very large data sets.

Idea: a kd-tree of a sample tells each record its block. Each block is grouped on its own by any
method. Groups that reach to a cut are then improved by swap-shift, first with those of their own
block and then, in cells whose borders run askew to those of the blocks, with those on the other
side of the cut.

Cost: that of the method on a block, once a block: O(n b d / k) for mdav in blocks of b records, and
a pass of swap-shift over the groups near a cut, which in ten columns are nearly all. Memory O(nd).

Where there was a choice: cuts fall in the middle of the widest column, between two values where
they can; equal values are told apart by a scrambled row number, so that blocks never outgrow their
size. A block with fewer than k records joins its neighbour. `protect_file` does the same on files
that are larger than memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated

import numpy as np

from microagg.constraints import LARGEST, AtLeast
from microagg.partition.blocks.block import (
    BLOCK_SIZE,
    NO_CELL,
    Layout,
    check_block_size,
    group_block,
)
from microagg.partition.blocks.borders import mended
from microagg.partition.blocks.cuts import Floats, Integers
from microagg.partition.blocks.sample import Sample, ties_of
from microagg.partition.registry import Labels, method
from microagg.prepare.prepared import Prepared
from microagg.progress import Part, Progress

SAMPLE = 1 << 17
"""Records of which the cuts are made."""


@method(
    "blocks",
    summary="cuts large data into blocks, groups each by another method and mends the borders",
    reference="ours",
    time="O(n b d / k) for mdav in blocks of b records",
    max_size="n",
    deterministic=False,
)
def blocks(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    block_size: Annotated[int, AtLeast(8)] = BLOCK_SIZE,
    within: str = "mdav",
) -> Labels:
    """Group as the file's opening says."""
    from microagg.partition.driver import group

    seed = int(rng.integers(LARGEST))
    if prepared.n <= block_size:
        return group(prepared, k, within, seed=seed, progress=progress).labels
    check_block_size(block_size, k)
    layout, block_of, boxes = _laid_out(prepared, k, block_size)
    labels, cell_of = np.empty(prepared.n, dtype=np.int64), np.empty(prepared.n, dtype=np.int64)
    groups = 0
    progress.begin("Grouping blocks", prepared.n)
    for rows, box in zip(_parts(block_of, progress), boxes, strict=True):
        block = prepared.subset(rows)
        grouped = partial(group, k=k, method=within, seed=seed, progress=Part())
        own, cells = group_block(block, rows, k, box, layout, grouped)
        labels[rows], cell_of[rows] = own + groups, cells[own]
        groups += cells.size
    progress.note(chosen=within, blocks=len(boxes))
    progress.begin("Mending borders", prepared.n)
    for rows in _parts(cell_of, progress):
        if cell_of[rows[0]] != NO_CELL:
            labels[rows] = mended(prepared.subset(rows), labels[rows], k)
    return labels.astype(np.int32)


def block_seed(seed: int) -> int:
    """Return the seed that the method within each block gets."""
    return int(np.random.default_rng(seed).integers(LARGEST))


def _laid_out(
    prepared: Prepared, k: int, block_size: int
) -> tuple[Layout, Integers, list[tuple[Floats, Floats]]]:
    """Return the cuts, the block of each record and the box of each block."""
    rows = np.arange(prepared.n)
    sample = Sample(SAMPLE)
    sample.add(prepared.columns, rows)
    layout = Layout.of(sample.columns, sample.rows, prepared.n, block_size)
    leaves = layout.blocks.route(prepared.columns, ties_of(rows))
    counts = np.bincount(leaves, minlength=layout.blocks.n_leaves)
    starts = layout.blocks.joined(counts, k)
    block_of = np.searchsorted(starts, leaves, side="right") - 1
    return layout, block_of, layout.boxes(prepared.d, starts)


def _parts(numbers: Integers, progress: Progress) -> Iterator[Integers]:
    """Yield the rows that have each number, in order, and tell how many are done."""
    order = np.argsort(numbers, kind="stable")
    done = 0
    for rows in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        yield rows
        done += rows.size
        progress.reach(done)
