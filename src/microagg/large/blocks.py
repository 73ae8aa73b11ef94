"""Blocks on disk: each is grouped on its own, then the groups near a cut are mended by cells.

Whatever is finished is kept, so that a run that was killed goes on where it stood; and since each
step depends only on the records and the options, it ends in the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from microagg.aggregate.mean import group_means
from microagg.context import Context
from microagg.large.memory import Sizes
from microagg.large.route import Starts, starts_of
from microagg.large.survey import Survey
from microagg.large.work import Records, Work
from microagg.partition.grouping import Labels
from microagg.partition.partition import Partition
from microagg.partition.search.blocks.block import NO_CELL, group_block, mended_cell
from microagg.partition.search.blocks.side_by_side import side_by_side
from microagg.prepare.prepared import Prepared

Integers = NDArray[np.int64]

Grouped = Callable[[Prepared, Context], Labels]
"""How a block is grouped."""


class Blocks:
    """The blocks of routed records.

    Parameters
    ----------
    survey : Survey
        Of the file.
    work : Work
        Where records are routed.
    starts : int32[pieces, leaves + 1]
        Where each leaf starts in each piece.
    k : int
        The smallest size of a group.
    sizes : Sizes
        Of blocks, and how many are held and grouped at a time.
    """

    def __init__(self, survey: Survey, work: Work, starts: Starts, k: int, sizes: Sizes) -> None:
        self.survey, self._work, self._k, self._sizes = survey, work, k, sizes
        leaves = survey.layout.blocks.joined(_records_of(starts), k)
        self.starts = starts if leaves.size == starts.shape[1] else starts[:, leaves]
        """Where each block starts in each piece, int32[pieces, blocks + 1]."""
        self._boxes = survey.layout.boxes(len(survey.names), leaves)

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self._boxes)

    def group(self, grouped: Grouped, context: Context) -> None:
        """Group each block, and lay its groups near a cut aside, in order of their cells."""
        group = partial(self._group, grouped=grouped)
        self._each("Grouping blocks", _records_of(self.starts), group, context)

    def _each(
        self, what: str, sizes: Integers, work: Callable[[int, Context], None], context: Context
    ) -> None:
        """Do the work of each number, side by side, and tell how many records are done."""
        context.reporter.begin(what, int(sizes.sum()))
        parts = side_by_side(work, range(sizes.size), context, self._sizes.threads)
        for done, _ in zip(np.cumsum(sizes), parts, strict=True):
            context.reporter.reach(int(done))

    def _group(self, block: int, context: Context, grouped: Grouped) -> None:
        if self._work.has(f"grouped/{block}"):
            return
        records = self._gather("routed", self.starts[:, block : block + 2])
        # As in memory: a block of several leaves has come in order of these within each piece.
        records = records[np.argsort(records["row"])]
        prepared = self.survey.prepared(records["values"])
        box, layout = self._boxes[block], self.survey.layout
        labels, cells = group_block(
            prepared, records["row"], self._k, box, layout, grouped, context
        )
        near = np.flatnonzero(cells[labels] != NO_CELL)
        order = near[np.argsort(cells[labels[near]], kind="stable")]
        records["group"] = labels
        borders = records[order]
        released(records)
        self._work.save(
            f"grouped/{block}",
            {f"borders/{block}": borders, f"grouped/{block}": records},
            order=order,
            starts=starts_of(cells[labels[order]], layout.cells.n_leaves),
            groups=cells.size,
            sizes=np.bincount(np.bincount(labels)[cells == NO_CELL]),
        )

    def mend(self, context: Context) -> None:
        """Mend the groups of each cell, whichever blocks they come from, and put them back."""
        steps = [f"grouped/{block}" for block in range(self.count)]
        groups = np.array([self._work.load(step, "groups") for step in steps])
        first = np.cumsum(groups) - groups  # number of the first group of each block
        starts = np.empty((self.count, self.survey.layout.cells.n_leaves + 1), dtype=np.int32)
        for row, step in zip(starts, steps, strict=True):
            row[:] = self._work.load(step, "starts")
        mend = partial(self._mend, starts=starts, first=first)
        self._each("Mending borders", _records_of(starts), mend, context)
        for block, spans in enumerate(_spans_within(starts)):
            if not self._work.has(f"released/{block}"):
                self._put_back(block, spans, int(first[block]))

    def _mend(self, cell: int, context: Context, starts: Starts, first: Integers) -> None:
        if self._work.has(f"mended/{cell}"):
            return
        spans = starts[:, cell : cell + 2]
        records = self._gather("borders", spans)
        records["group"] += np.repeat(first, np.diff(spans, axis=1)[:, 0])
        order = np.argsort(records["row"])
        if order.size:
            own = records[order]
            prepared = self.survey.prepared(own["values"])
            size = self._sizes.block_size
            own["group"] = mended_cell(prepared, own["group"], self._k, size, context)
            released(own)
            records[order] = own
        sizes = np.unique(records["group"], return_counts=True)[1]
        self._work.save(f"mended/{cell}", {f"mended/{cell}": records}, sizes=np.bincount(sizes))

    def _put_back(self, block: int, spans: Integers, first: int) -> None:
        records = self._work.read(f"grouped/{block}")
        records["group"] += first
        records[self._work.load(f"grouped/{block}", "order")] = self._gather("mended", spans)
        self._work.save(f"released/{block}", {f"released/{block}": records})

    def _gather(self, what: str, spans: Integers | Starts) -> Records:
        return self._work.gather(
            (f"{what}/{number}", int(start), int(end)) for number, (start, end) in enumerate(spans)
        )

    def sizes(self) -> Integers:
        """Return how many groups have each size, from 0."""
        cells = self.survey.layout.cells.n_leaves
        parts = [f"grouped/{block}" for block in range(self.count)]
        parts += [f"mended/{cell}" for cell in range(cells)]
        found = [self._work.load(part, "sizes") for part in parts]
        total = np.zeros(max(map(len, found)), dtype=np.int64)
        for sizes in found:
            total[: sizes.size] += sizes
        return total

    def pieces(self) -> Iterator[Records]:
        """Yield the released records piece by piece, in the order of the file."""
        for spans in _spans_within(self.starts):
            records = self._gather("released", spans)
            yield records[np.argsort(records["row"])]


def _records_of(starts: Starts) -> Integers:
    """Return how many records each part has in all rows of `starts`; no array as large is made."""
    ends: Integers = starts.sum(axis=0, dtype=np.int64)
    return np.diff(ends)


def _spans_within(starts: Starts) -> Iterator[Integers]:
    """Yield where the records of each row of `starts` stand in each part, int64[parts, 2]."""
    ends = np.zeros(starts.shape[1] - 1, dtype=np.int64)
    for row in starts:
        ends += np.diff(row)
        yield np.stack([ends - np.diff(row), ends], axis=1)


def released(records: Records) -> None:
    """Put the mean of its group in place of each record's values. IN/OUT: records."""
    labels = np.unique(records["group"], return_inverse=True)[1]
    groups = Partition(labels.astype(np.int32), k=1)
    for j in range(records["values"].shape[1]):
        records["values"][:, j] = group_means(records["values"][:, j], groups)
