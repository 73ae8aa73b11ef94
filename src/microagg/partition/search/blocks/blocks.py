"""Blocks: cut the records into blocks of similar ones, group each block, and repair the borders.

Reference: developed for microagg. Blocks of similar records are used by Solanas, Martinez-Balleste,
Domingo-Ferrer and Mateo-Sanz 2006, A 2^d-tree-based blocking method for microaggregating very large
data sets.

Idea: a kd-tree of a sample assigns each record to a block. Each block is grouped separately by any
method, and its groups are improved by swap-shift. Groups that touch a cut are then improved
together with those on the other side, in cells whose borders do not coincide with those of the
blocks.

Cost: that of the method on a block, once per block: O(n b d / k) for mdav-nc in blocks of b
records, and two passes of swap-shift. Memory O(nd).

Choices: cuts are made in the middle of the widest column, between two different values if possible.
Equal values are separated by a scrambled row number, so that any records can be cut into blocks of
the requested size. Sizes are estimated from a sample of 131,072 records; if few of them fall into a
block, it may be larger. A block with fewer than k records joins its neighbour. Blocks and cells are
distributed to threads, one per processor, and the groups do not depend on their number.

Mixed records: they are cut along the scaled numbers and along axes that represent the categories,
and are grouped block by block. The groups of a block are improved by `decompose` and `swap-shift`,
but not across the cuts.

Limits: limits on units and confidential values are satisfied within each block. A block whose
records cannot satisfy them joins its neighbour, and the groups are not improved across the cuts.
For t-closeness, records with different confidential values are cut at different values, so that the
distribution in every block is about that of all records.

Large files: `protect_file` applies the same method to files larger than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from microagg.constraints import LARGEST, AtLeast
from microagg.context import Context
from microagg.errors import ParameterError
from microagg.partition.constrain.enforce import Met, facts_of_limits
from microagg.partition.constrain.record_limits import RecordLimits
from microagg.partition.grouping import Facts, Grouping, Labels
from microagg.partition.names import resolve
from microagg.partition.registry import method
from microagg.partition.search.blocks.axes import axes_of
from microagg.partition.search.blocks.block import (
    BLOCK_SIZE,
    NO_CELL,
    BlockGroups,
    Box,
    Layout,
    check_block_size,
    group_block,
    repaired_cell,
)
from microagg.partition.search.blocks.cuts import Holding
from microagg.partition.search.blocks.sample import Sample, ties_of
from microagg.partition.search.blocks.side_by_side import side_by_side
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.threads import workers
from microagg.typing import Integers

WITHIN = "mdav-nc"
"""The method that groups each block, unless another is named."""

SAMPLE = 1 << 17
"""The number of records from which the cuts are computed."""


def _blocks(
    prepared: Prepared | Records,
    k: int,
    context: Context,
    *,
    block_size: Annotated[int, AtLeast(8)] = BLOCK_SIZE,
    within: str = WITHIN,
) -> Grouping:
    """Group the records as described in the module docstring."""
    check_within(within, "within")
    limits = context.limits
    seed = int(context.rng.integers(LARGEST))
    if prepared.n > block_size:
        check_block_size(block_size, k)
    layout, block_of, boxes = _laid_out(prepared, k, block_size, limits)

    def grouped(block: Prepared | Records, own: Context) -> Labels:
        return own.group(block, k, within, seed=seed).labels

    parts = list(zip(_parts(block_of), boxes, strict=True))
    labels, cell_of, mets = _grouped(prepared, k, parts, layout, grouped, context)
    if isinstance(prepared, Prepared) and limits is None:
        labels = _repaired(prepared, k, labels, cell_of, block_size, context)
    facts = facts_of_limits(Facts(chosen=within, blocks=len(boxes)), [met.counts for met in mets])
    return Grouping(labels.astype(np.int32), facts)


blocks = method(
    "blocks",
    summary="cuts large data into blocks, groups each by another method and repairs the borders",
    reference="developed for microagg",
    time="O(n b d / k) for mdav-nc in blocks of b records",
    max_size="n",
    deterministic=False,
    mixed=_blocks,
    meets_limits=True,
    module=__name__,
)(_blocks)


def check_within(name: str, parameter: str) -> None:
    """Raise if blocks would be cut into blocks."""
    if resolve(name).method.name == "blocks":
        raise ParameterError(
            "determines how each block is grouped, so it cannot be 'blocks'.",
            parameter=parameter,
            hint=f'Use another method, such as {parameter}="{WITHIN}".',
        )


def _grouped(
    prepared: Prepared | Records,
    k: int,
    parts: Sequence[tuple[Integers, Box]],
    layout: Layout,
    grouped: Callable[[Prepared | Records, Context], Labels],
    context: Context,
) -> tuple[Integers, Integers, list[Met]]:
    """Return the group of each record, the cell of its group, and facts about the limits."""
    limits = context.limits

    def work(part: tuple[Integers, Box], own: Context) -> BlockGroups:
        rows, box = part
        own = replace(own, limits=None if limits is None else limits.subset(rows))
        return group_block(prepared.subset(rows), rows, k, box, layout, grouped, own)

    labels, cell_of = np.empty(prepared.n, dtype=np.int64), np.empty(prepared.n, dtype=np.int64)
    mets: list[Met] = []
    done, groups = 0, 0
    context.reporter.begin("Grouping blocks", prepared.n)
    for (rows, _), own in zip(parts, side_by_side(work, parts, context, workers()), strict=True):
        labels[rows], cell_of[rows] = own.labels + groups, own.cells[own.labels]
        done, groups = done + rows.size, groups + own.cells.size
        mets += [] if own.met is None else [own.met]
        context.reporter.reach(done)
    return labels, cell_of, mets


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
    prepared: Prepared | Records, k: int, block_size: int, limits: RecordLimits | None
) -> tuple[Layout, Integers, list[Box]]:
    """Return the cuts, the block of each record and the box of each block."""
    axes, rows = axes_of(prepared), np.arange(prepared.n)
    sample = Sample(SAMPLE)
    sample.add(axes, rows)
    classes = None if limits is None else limits.classes()
    own = None if classes is None else classes[sample.rows]
    layout = Layout.of(sample.columns, sample.rows, prepared.n, block_size, own)
    leaves = layout.blocks.route(axes, ties_of(rows), classes)
    counts = np.bincount(leaves, minlength=layout.blocks.n_leaves)
    starts = layout.blocks.joined(counts, k)
    if limits is not None:
        starts = layout.blocks.joined_until(starts, _holding(limits, leaves))
    block_of = np.searchsorted(starts, leaves, side="right") - 1
    return layout, block_of, layout.boxes(len(axes), starts)


def _holding(limits: RecordLimits, leaves: Integers) -> Holding:
    """Return the function that decides which blocks of leaves can satisfy the limits."""
    order = np.argsort(leaves, kind="stable")
    sorted_leaves = leaves[order]

    def holding(spans: Sequence[tuple[int, int]]) -> list[bool]:
        bounds = (np.searchsorted(sorted_leaves, span) for span in spans)
        return [limits.subset(order[a:b]).allow_one_group() for a, b in bounds]

    return holding


def _parts(numbers: Integers) -> list[Integers]:
    """Return the rows that have each number, in order."""
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)
