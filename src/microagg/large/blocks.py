"""Blocks on disk: which leaves each has, and where its records lie in the pieces of the input."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from microagg.context import Context
from microagg.errors import ParameterError
from microagg.large.plan import Plan
from microagg.large.route import Routed, Starts, leaf_starts
from microagg.partition.search.blocks.block import BLOCKS_A_CELL, OVERFULL
from microagg.partition.search.blocks.cuts import Holding
from microagg.typing import Integers

Span = tuple[str, int, int]
"""Records of a step: its name, and from where to where."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """Some leaves of a part, whose records are looked at together.

    Attributes
    ----------
    part : int
        The part of the records.
    leaves : tuple of int
        The first of them among those of the part, and the end of the last.
    spans : tuple of Span
        Where their records lie.
    records : int
        How many there are.
    """

    part: int
    leaves: tuple[int, int]
    spans: tuple[Span, ...]
    records: int


Checker = Callable[[Sequence[Leaves]], Sequence[bool]]
"""Tells of which leaves the records together can hold the limits."""


@dataclass(frozen=True, eq=False)
class Block:
    """A block that is to be grouped.

    Attributes
    ----------
    number, part : int
        Its place among all, and the part of the records that it belongs to.
    leaves : tuple of int
        The first of its leaves among those of its part, and the end of the last.
    spans : tuple of Span
        Where its records lie.
    records : int
        How many there are.
    """

    number: int
    part: int
    leaves: tuple[int, int]
    spans: tuple[Span, ...]
    records: int


@dataclass(frozen=True, eq=False)
class Blocks:
    """All blocks of the routed records, and where their records stand in each piece.

    Attributes
    ----------
    blocks : tuple of Block
        By part, and within a part in order of their leaves.
    steps, starts
        As those of `Routed`, by block instead of leaf.
    """

    blocks: tuple[Block, ...]
    steps: tuple[str, ...]
    starts: Starts

    @classmethod
    def of(cls, plan: Plan, routed: Routed, checker: Checker) -> Blocks:
        """Join leaves with too few records, or such as cannot hold the limits, as in memory."""
        firsts, counts = leaf_starts(plan), records_of(routed.starts)
        bounds, kinds = [], []
        for part, layout in enumerate(plan.surveyed().layouts):
            own = counts[firsts[part] : firsts[part + 1]]
            ends = layout.blocks.joined(own, plan.settings.k)
            if plan.read().secrets.has_limits:
                holding = _holding(plan, routed, part, checker)
                ends = layout.blocks.joined_until(ends, holding)
            bounds += [firsts[part] + start for start in ends[:-1]]
            kinds += [(part, (int(a), int(b))) for a, b in itertools.pairwise(ends)]
        starts = routed.starts[:, [*bounds, int(firsts[-1])]]
        sizes = records_of(starts)
        blocks = tuple(
            Block(number, part, leaves, spans_of(routed.steps, starts, number), int(sizes[number]))
            for number, (part, leaves) in enumerate(kinds)
        )
        return cls(blocks, routed.steps, starts)


def records_of(starts: Starts) -> Integers:
    """Return how many records each part has in all rows of `starts`; no array as large is made."""
    ends: Integers = starts.sum(axis=0, dtype=np.int64)
    return np.diff(ends)


def spans_of(steps: tuple[str, ...], starts: Starts, number: int) -> tuple[Span, ...]:
    """Return where the records of one column of `starts` lie in the steps of its rows."""
    both = starts[:, number : number + 2].tolist()
    return tuple((step, a, b) for step, (a, b) in zip(steps, both, strict=True) if a < b)


def spans_within(starts: Starts) -> Iterator[Integers]:
    """Yield where the records of each row of `starts` stand in each part, int64[parts, 2]."""
    ends = np.zeros(starts.shape[1] - 1, dtype=np.int64)
    for row in starts:
        ends += np.diff(row)
        yield np.stack([ends - np.diff(row), ends], axis=1)


def _holding(plan: Plan, routed: Routed, part: int, checker: Checker) -> Holding:
    """Return the function that tells which blocks of leaves of a part can hold the limits."""
    first = int(leaf_starts(plan)[part])
    room = int(OVERFULL * BLOCKS_A_CELL * plan.sizes.block_size)

    def holding(leaves: Sequence[tuple[int, int]]) -> Sequence[bool]:
        items = []
        for start, end in leaves:
            starts = routed.starts[:, [first + start, first + end]]
            records = int(records_of(starts)[0])
            if end - start > 1 and records > room:
                raise _too_large(plan)
            items.append(Leaves(part, (start, end), spans_of(routed.steps, starts, 0), records))
        return checker(items)

    return holding


def _too_large(plan: Plan) -> ParameterError:
    """Return the error for limits that similar records cannot hold."""
    limits = plan.read().secrets.limits.as_dict()
    return ParameterError(
        f"cannot be met in blocks of {plan.sizes.block_size:,} similar records, and a file that is read "
        "piece by piece is grouped in such blocks.",
        parameter=next(iter(limits)),
        hint="Allow more memory, choose a looser limit, or protect a frame that fits into memory.",
    )


def hold_one(plan: Plan, leaves: Leaves, context: Context) -> bool:
    """Return whether the records of some leaves would hold the limits as one group."""
    step = f"held/{leaves.part}.{leaves.leaves[0]}.{leaves.leaves[1]}"
    if not plan.work.has(step):
        records = plan.work.gather("records", leaves.spans)
        limits = plan.read().secrets.of_disk(records)
        plan.work.save(step, None, None, holds=limits.allow_one_group())
    return bool(plan.work.load(step, "holds"))
