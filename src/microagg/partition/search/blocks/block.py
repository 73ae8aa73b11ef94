"""One block: its records grouped, its groups repaired, and those near a cut assigned to cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from microagg.context import Context
from microagg.errors import ParameterError
from microagg.partition.constrain.enforce import Met
from microagg.partition.grouping import Labels
from microagg.partition.search.blocks.borders import (
    askew,
    means_of,
    near_cuts,
    refined,
    repaired,
    upper_half,
)
from microagg.partition.search.blocks.cuts import ASIDE, Cuts, cut
from microagg.partition.search.blocks.sample import ties_of
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Floats, Integers

Box = tuple[Floats, Floats]
"""Where a block ends in each column: below and above."""

BLOCK_SIZE = 100_000
"""Records a block, at most, unless another number is given."""

LEAST_GROUPS = 4
"""Groups of k records that a block must have room for."""

BLOCKS_A_CELL = 2
"""How much larger cells are: repair takes a time that grows with their records alone."""

OVERFULL = 1.3
"""How much larger than it should be a cell may become: it is cut on a sample of records, and filled by
groups, whose means crowd the middle (1.8 times was seen). One that is larger is halved."""

NO_CELL = -1
"""The cell of a group that is not near a cut."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The cuts into blocks, and those askew to them into cells."""

    blocks: Cuts
    cells: Cuts

    @classmethod
    def of(
        cls,
        sample: Floats,
        rows: Integers,
        n: int,
        block_size: int,
        classes: Integers | None = None,
    ) -> Layout:
        """Lay out n records, of which `sample` is one with these row numbers and classes."""
        ties = ties_of(rows)
        blocks = cut(sample, ties, n, block_size, classes=classes)
        return cls(blocks, cut(askew(sample), ties, n, BLOCKS_A_CELL * block_size, ASIDE))

    def boxes(self, d: int, starts: Integers) -> list[tuple[Floats, Floats]]:
        """Return where each block of leaves ends in each column."""
        lows, highs = self.blocks.boxes(d)
        lows = np.minimum.reduceat(lows, starts[:-1])
        return list(zip(lows, np.maximum.reduceat(highs, starts[:-1]), strict=True))

    def cells_of(self, columns: Floats, rows: Integers, labels: Integers) -> Integers:
        """Return the cell of each group, by its mean; equal means are distinguished by their rows."""
        labels = np.unique(labels, return_inverse=True)[1]
        means, sizes = means_of(columns, labels)
        first = np.full(sizes.size, rows.max())
        np.minimum.at(first, labels, rows)
        return self.cells.route(askew(means), ties_of(first))


@dataclass(frozen=True, eq=False)
class BlockGroups:
    """The groups of a block.

    Attributes
    ----------
    labels : int64[m]
        The group of each record, from 0.
    cells : int64[g]
        The cell of each group, NO_CELL where it is not near a cut.
    met : Met, optional
        What was done so that the groups hold limits.
    """

    labels: Integers
    cells: Integers
    met: Met | None = None


def group_block(
    block: Prepared | Records,
    rows: Integers,
    k: int,
    box: Box,
    layout: Layout,
    group: Callable[[Prepared | Records, Context], Labels],
    context: Context,
) -> BlockGroups:
    """Return the groups of a block of records, whose limits are those of the `context`.

    All groups are repaired together; those near an end of the `box` get a cell. There is no repair across
    the cuts for mixed records, so that their groups get none. Nor do groups that hold limits, because an
    exchange of records might break these.
    """
    own = replace(context, limits=None)

    def improved(records: Prepared | Records) -> Integers:
        labels = group(records, own)
        if isinstance(records, Records):
            return refined(records, labels, k, own)
        return repaired(records, labels, k, own)

    if context.limits is not None:
        met = context.limits.grouped(block, k, improved, own)
        labels = met.labels.astype(np.int64)
        return BlockGroups(labels, np.full(int(labels.max()) + 1, NO_CELL, dtype=np.int64), met)
    labels = improved(block)
    cells = np.full(int(labels.max()) + 1, NO_CELL, dtype=np.int64)
    if isinstance(block, Records):
        return BlockGroups(labels, cells)
    near = near_cuts(block.columns, labels, *box)
    if near.any():
        some = np.flatnonzero(near[labels])
        cells[near] = layout.cells_of(block.columns[:, some], rows[some], labels[some])
    return BlockGroups(labels, cells)


def repaired_cell(
    records: Prepared, labels: Integers, k: int, block_size: int, context: Context
) -> Integers:
    """Return better labels of the groups of a cell; where it is overfull, of each half on its own."""
    overfull = labels.size > OVERFULL * BLOCKS_A_CELL * block_size
    upper = upper_half(records.columns, labels) if overfull else np.zeros(0, dtype=bool)
    if not upper.any():
        return repaired(records, labels, k, context)
    better = np.empty_like(labels)
    for half in (np.flatnonzero(~upper), np.flatnonzero(upper)):
        better[half] = repaired_cell(records.subset(half), labels[half], k, block_size, context)
    return better


def check_block_size(block_size: int, k: int) -> None:
    """Raise if blocks would be too small for groups of k."""
    if block_size < LEAST_GROUPS * k:
        least = LEAST_GROUPS * k
        raise ParameterError(
            f"must be at least {LEAST_GROUPS}k = {least}. Got {block_size}.",
            parameter="block_size",
            hint="Blocks of 10,000 to 100,000 records are usual.",
        )
