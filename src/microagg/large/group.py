"""Grouping on disk: each block on its own, then the groups near a cut by cells, then the new values.

Every group near a cut is in one cell, so no two tasks of the repair touch the same group, and one
round of them is enough. What comes out depends on the records and the options alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from microagg.context import Context
from microagg.large.blocks import Block, Blocks, Span, records_of, spans_of, spans_within
from microagg.large.plan import Plan
from microagg.large.route import Starts, starts_of
from microagg.large.work import Records as DiskRecords
from microagg.mask.groups import Replacing, replaced
from microagg.partition.driver import group
from microagg.partition.grouping import Labels
from microagg.partition.partition import Partition
from microagg.partition.search.blocks.block import NO_CELL, group_block, repaired_cell
from microagg.partition.search.blocks.blocks import block_seed
from microagg.pipeline.cautions import has_dominant_record
from microagg.pipeline.prepare import as_released
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Floats, Integers


def group_one(plan: Plan, block: Block, context: Context) -> int:
    """Group a block, and lay its groups near a cut aside, in order of their cells; returns its groups."""
    step = f"grouped/{block.number}"
    if not plan.work.has(step):
        records = plan.work.gather("records", block.spans)
        # As in memory: a block of several leaves has come in order of these within each piece.
        records = records[np.argsort(records["row"])]
        survey, k = plan.surveyed(), plan.settings.k
        layout = survey.layouts[block.part]
        lows, highs = layout.blocks.boxes(survey.axes)
        leaves = slice(*block.leaves)
        box = (lows[leaves].min(axis=0), highs[leaves].max(axis=0))
        secrets = plan.read().secrets
        if secrets.has_limits:
            context = replace(context, limits=secrets.of_disk(records))
        groups = group_block(
            _prepared(plan, records),
            local_rows(records),
            k,
            box,
            layout,
            _grouper(plan),
            context,
        )
        labels, cells = groups.labels, groups.cells
        near = np.flatnonzero(cells[labels] != NO_CELL)
        order = near[np.argsort(cells[labels[near]], kind="stable")]
        records["group"] = labels
        starts = starts_of(cells[labels[order]], layout.cells.n_leaves)
        plan.work.save(
            step,
            {"records": records, "borders": records[order]},
            {"borders": starts},
            order=order,
            starts=starts,
            groups=cells.size,
            sizes=np.bincount(np.bincount(labels)[cells == NO_CELL]),
            dominated=has_dominant_record(labels, _weights(records)),
            met=np.array([] if groups.met is None else groups.met.counts, dtype=np.int64),
        )
    return int(plan.work.load(step, "groups"))


def _grouper(plan: Plan) -> Callable[[Prepared | Records, Context], Labels]:
    """Return how a block is grouped."""
    k, within = plan.settings.k, plan.settings.parameters["within"]
    seed = block_seed(plan.settings.seed)

    def grouped(block: Prepared | Records, own: Context) -> Labels:
        return group(block, k, within, seed=seed, context=own).labels

    return grouped


def local_rows(records: DiskRecords) -> Integers:
    """Return the rows of records among those of their part."""
    several = "local" in (records.dtype.names or ())
    return np.ascontiguousarray(records["local" if several else "row"])


def _prepared(plan: Plan, records: DiskRecords) -> Prepared | Records:
    numbers = np.ascontiguousarray(records["values"].T)
    survey = plan.surveyed()
    return as_released(survey.prepared(numbers, _weights(records)), survey.columns, plan.settings)


def _weights(records: DiskRecords) -> Floats | None:
    weighted = "weight" in (records.dtype.names or ())
    return np.ascontiguousarray(records["weight"]) if weighted else None


@dataclass(frozen=True, eq=False)
class Cell:
    """Groups near a cut, of several blocks, that are to be repaired together.

    Attributes
    ----------
    number : int
        Its place among all.
    spans : tuple of Span
        Where its records lie.
    firsts : tuple of int
        The number of the first group of the block of each span.
    records : int
        How many there are.
    """

    number: int
    spans: tuple[Span, ...]
    firsts: tuple[int, ...]
    records: int


@dataclass(frozen=True, eq=False)
class Grouped:
    """The groups of all blocks.

    Attributes
    ----------
    firsts : int64[blocks]
        The number of the first group of each block.
    cells : tuple of Cell
        Those that have groups.
    repaired : tuple of tuple of Span
        For each block, where its records near a cut lie once they are repaired.
    """

    firsts: Integers
    cells: tuple[Cell, ...]
    repaired: tuple[tuple[Span, ...], ...]

    @classmethod
    def of(cls, plan: Plan, blocks: Blocks, groups: list[int]) -> Grouped:
        """Collect the cells of all blocks; these are numbered part by part."""
        firsts = np.cumsum(groups) - np.array(groups)
        cells: list[Cell] = []
        repaired: list[tuple[Span, ...]] = []
        for part, layout in enumerate(plan.surveyed().layouts):
            own = [block.number for block in blocks.blocks if block.part == part]
            steps = tuple(f"grouped/{number}" for number in own)
            starts = np.empty((len(own), layout.cells.n_leaves + 1), dtype=np.int32)
            for row, step in zip(starts, steps, strict=True):
                row[:] = plan.work.load(step, "starts")
            names = [f"repaired/{len(cells) + number}" for number in range(starts.shape[1] - 1)]
            for spans in spans_within(starts):
                named = zip(names, spans.tolist(), strict=True)
                repaired.append(tuple((name, a, b) for name, (a, b) in named if a < b))
            cells += _cells(steps, starts, firsts[own], len(cells))
        return cls(firsts, tuple(cells), tuple(repaired))


def _cells(steps: tuple[str, ...], starts: Starts, firsts: Integers, before: int) -> Iterator[Cell]:
    place = dict(zip(steps, firsts.tolist(), strict=True))
    sizes = records_of(starts)
    for number in range(starts.shape[1] - 1):
        spans = spans_of(steps, starts, number)
        own = tuple(place[step] for step, _, _ in spans)
        yield Cell(before + number, spans, own, int(sizes[number]))


def repair_one(plan: Plan, cell: Cell, context: Context) -> None:
    """Repair the groups of a cell, whichever blocks they come from, and give them their new values."""
    step = f"repaired/{cell.number}"
    if plan.work.has(step):
        return
    records = plan.work.gather("borders", cell.spans)
    counts = [end - start for _, start, end in cell.spans]
    records["group"] += np.repeat(np.array(cell.firsts, dtype=np.int64), counts)
    order = np.argsort(records["row"])
    if order.size:
        own = records[order]
        prepared = _prepared(plan, own)
        assert isinstance(prepared, Prepared)  # mixed records have no cells
        k, size = plan.settings.k, plan.sizes.block_size
        own["group"] = repaired_cell(prepared, own["group"], k, size, context)
        replace_values(plan, own)
        records[order] = own
    sizes = np.unique(records["group"], return_counts=True)[1]
    cuts = np.cumsum([0, *counts])
    plan.work.save(step, {"records": records}, {"records": cuts}, sizes=np.bincount(sizes))


def release_one(
    plan: Plan, item: tuple[Block, int, tuple[Span, ...], Integers], context: Context
) -> None:
    """Give the records of a block their new values; those near a cut have them from their cells.

    The item is a block, the number of its first group, where its repaired records lie, and how many of its
    records come before each piece of the input.
    """
    block, first, repaired, cuts = item
    step = f"released/{block.number}"
    if plan.work.has(step):
        return
    records = plan.work.read(f"grouped/{block.number}", "records")
    records["group"] += first
    order = plan.work.load(f"grouped/{block.number}", "order")
    inside = np.ones(records.size, dtype=bool)
    inside[order] = False
    own = records[inside]
    replace_values(plan, own)
    records[inside] = own
    records[order] = plan.work.gather("records", repaired)
    plan.work.save(step, {"records": records}, {"records": cuts})


def replace_values(plan: Plan, records: DiskRecords) -> None:
    """Put the representatives of its group in place of each record's values. IN/OUT: records."""
    if not records.size:
        return
    survey, settings = plan.surveyed(), plan.settings
    numbers, labels = np.unique(records["group"], return_inverse=True)
    groups = Partition(labels.astype(np.int32), k=1)
    values = np.ascontiguousarray(records["values"].T)
    complete = dict(zip(survey.names, plan.divided().complete.tolist(), strict=True))
    how = Replacing(
        rules=plan.rules,
        steps=plan.steps,
        seed=int(settings.seed),
        keep_blanks=settings.missing == "keep" and not all(complete.values()),
        complete=complete,
    )
    columns = plan.read().columns_with(values)
    new = replaced(columns, groups, how, _weights(records), numbers)
    for j, name in enumerate(survey.names):
        records["values"][:, j] = new[name]


def done_for_limits(plan: Plan, blocks: Blocks) -> list[Integers]:
    """Return what was done in each block so that its groups hold the limits, where there are any."""
    counts = [plan.work.load(f"grouped/{block.number}", "met") for block in blocks.blocks]
    return [own for own in counts if own.size]


def has_dominant_records(plan: Plan, blocks: Blocks) -> bool:
    """Return whether a record has nearly all the weight of its group.

    Records with weights have no groups near a cut, so the groups of the blocks are those of the release.
    """
    steps = (f"grouped/{block.number}" for block in blocks.blocks)
    return any(bool(plan.work.load(step, "dominated")) for step in steps)


def group_sizes(plan: Plan, blocks: Blocks, grouped: Grouped) -> Integers:
    """Return how many groups have each size, from 0."""
    steps = [f"grouped/{block.number}" for block in blocks.blocks]
    steps += [f"repaired/{cell.number}" for cell in grouped.cells if cell.records]
    counts = [plan.work.load(step, "sizes") for step in steps]
    total = np.zeros(max(map(len, counts)), dtype=np.int64)
    for own in counts:
        total[: own.size] += own
    return total
