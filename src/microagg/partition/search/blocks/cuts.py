"""Cuts: a kd-tree of a sample that tells each record its block of similar ones.

A node is cut across the column in which its records differ most, between two values where it can
be. Equal values are separated by the tie-breakers of the records, numbers without a meaning that stay
with a record, so that even a million equal records can be cut into blocks of any size.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microagg.typing import Floats, Integers

Ties = NDArray[np.uint64]
Span = tuple[int, int]
"""The first of some leaves, and the end of the last."""

Holding = Callable[[Sequence[Span]], Sequence[bool]]
"""Tells of which leaves the records together hold what is asked of them."""

MIDDLE, ASIDE = 1 / 2, 2 / 5
"""Where a node is cut: in the middle; or aside, so that cuts do not fall on those in the middle."""

WINDOW = 1 / 6
"""How far from there, as a share of the node, a cut may go to fall between two values."""

_LAST_TIE = np.uint64(2**64 - 1)


@dataclass(frozen=True, eq=False)
class Cuts:
    """A tree of cuts; a record goes below or above each by its value and, if that is equal, its tie.

    Attributes
    ----------
    column : int64[c]
        The column that is cut.
    value, tie : float64[c, q], uint64[c, q]
        The last value and tie that go below, for each of q classes of records; mostly there is one.
    below, above : int64[c]
        The next cut, or ~leaf where a leaf is reached; leaves are numbered from below to above.
    """

    column: Integers
    value: Floats
    tie: Ties
    below: Integers
    above: Integers

    @property
    def n_leaves(self) -> int:
        """Number of leaves, which are the blocks unless some have too few records."""
        return int(self.column.size) + 1

    def route(self, columns: Floats, ties: Ties, classes: Integers | None = None) -> Integers:
        """Return the leaf of each record of float64[d, n], which are of the `classes` int64[n]."""
        leaves = np.zeros(columns.shape[1], dtype=np.int64)
        waiting = [(0, np.arange(leaves.size))] if self.column.size else []
        while waiting:
            cut, rows = waiting.pop()
            values = columns[self.column[cut], rows]
            own = 0 if classes is None else classes[rows]
            last, tie = self.value[cut][own], self.tie[cut][own]
            over = (values > last) | ((values == last) & (ties[rows] > tie))
            for next_cut, some in ((self.below[cut], rows[~over]), (self.above[cut], rows[over])):
                if next_cut < 0:
                    leaves[some] = ~next_cut
                elif some.size:
                    waiting.append((int(next_cut), some))
        return leaves

    def boxes(self, d: int) -> tuple[Floats, Floats]:
        """Return where each leaf ends in each column, float64[leaves, d]: inf where no cut is."""
        lows, highs = np.full((self.n_leaves, d), -np.inf), np.full((self.n_leaves, d), np.inf)
        for number in range(self.column.size):
            column = self.column[number]
            below, above = self._spans[number]
            highs[below, column] = self.value[number].max()
            lows[above, column] = self.value[number].min()
        return lows, highs

    def joined(self, counts: Integers, least: int) -> Integers:
        """Return where each block starts, when leaves with too few records join their neighbours.

        Leaves stand in one order, and those under a cut stand together: where one of them has fewer
        than `least` records, all under the lowest cut that has enough become one block.
        """
        starts = np.ones(self.n_leaves + 1, dtype=bool)
        before = np.concatenate(([0], np.cumsum(counts)))
        for below, above in reversed(self._spans):  # the lowest cuts first
            first, end = below.start, above.stop
            bounds = first + np.flatnonzero(starts[first : end + 1])
            if np.diff(before[bounds]).min() < least:
                starts[first + 1 : end] = False
        return np.flatnonzero(starts)

    def joined_until(self, starts: Integers, holding: Holding) -> Integers:
        """Return where each block starts when those that do not hold join their neighbours.

        `starts` says where each block starts before. A block that `holding` denies becomes one with
        all leaves under the lowest cut above it, until every block holds or there is one block.
        """
        begins = np.zeros(self.n_leaves + 1, dtype=bool)
        begins[starts] = True
        checked: dict[Span, bool] = {}
        while True:
            bounds = np.flatnonzero(begins).tolist()
            blocks = list(itertools.pairwise(bounds))
            unchecked = [block for block in blocks if block not in checked]
            checked |= zip(unchecked, holding(unchecked), strict=True)
            failing = [block for block in blocks if not checked[block]]
            if not failing or len(blocks) == 1:
                return np.array(bounds, dtype=np.int64)
            for block in failing:
                first, end = self._above(block)
                begins[first + 1 : end] = False

    def _above(self, block: Span) -> Span:
        """Return the leaves under the lowest cut above those of a block."""
        for below, above in reversed(self._spans):  # the lowest cuts first
            first, end = below.start, above.stop
            if first <= block[0] and block[1] <= end and (first, end) != block:
                return first, end
        return block

    @cached_property
    def _spans(self) -> list[tuple[slice, slice]]:
        """The leaves below and above each cut; a cut comes before those under it."""
        under = {~leaf: slice(leaf, leaf + 1) for leaf in range(self.n_leaves)}
        spans = []
        for number in range(self.column.size - 1, -1, -1):
            below, above = under[int(self.below[number])], under[int(self.above[number])]
            under[number] = slice(below.start, above.stop)
            spans.append((below, above))
        return spans[::-1]


def cut(
    sample: Floats,
    ties: Ties,
    n: int,
    block_size: int,
    place: float = MIDDLE,
    classes: Integers | None = None,
) -> Cuts:
    """Return cuts that part n records, of which `sample` float64[d, m] is one, into leaves.

    A leaf has at most `block_size` records, as far as the sample can tell, and more than a fifth of
    that. With `classes`, int64[m], each class is cut at a separate value, so that every leaf has about
    the same share of each.
    """
    most = max(block_size * sample.shape[1] / n, 1)  # records of the sample in a leaf
    classes = np.zeros(sample.shape[1], dtype=np.int64) if classes is None else classes
    count = int(classes.max(initial=0)) + 1
    cuts: list[tuple[int, Floats, Ties]] = []
    children: list[list[int]] = []
    waiting = [(np.arange(sample.shape[1]), -1, 0, place)]
    leaves = 0
    while waiting:
        node, parent, side, place = waiting.pop()
        number = len(cuts) if node.size > most else ~leaves
        if parent >= 0:
            children[parent][side] = number
        if node.size <= most:
            leaves += 1
            continue
        column = int(np.argmax(sample[:, node].var(axis=1)))
        order = node[np.lexsort((ties[node], sample[column, node]))]
        values, own_ties, below = _halved(sample[column], ties, order, classes, count, place)
        cuts.append((column, values, own_ties))
        children.append([0, 0])
        # From the other end next time; below is looked at first, so leaves are numbered in order.
        waiting.append((order[~below], number, 1, 1 - place))
        waiting.append((order[below], number, 0, 1 - place))
    return _as_arrays(cuts, children, count)


def _halved(
    values: Floats, ties: Ties, order: Integers, classes: Integers, count: int, place: float
) -> tuple[Floats, Ties, NDArray[np.bool_]]:
    """Cut a node, whose records stand in `order`, at `place` of each class.

    Returns the last value and tie of each class that go below, and which records do. A class of fewer
    than two records is cut where all records together are.
    """
    last, tie = _last_below(values, ties, order, place)
    lasts, last_ties = np.full(count, last), np.full(count, tie)
    if count > 1:
        for own in range(count):
            some = order[classes[order] == own]
            if some.size > 1:
                lasts[own], last_ties[own] = _last_below(values, ties, some, place)
    own_last, own_tie = lasts[classes[order]], last_ties[classes[order]]
    level = (values[order] == own_last) & (ties[order] <= own_tie)
    return lasts, last_ties, (values[order] < own_last) | level


def _last_below(
    values: Floats, ties: Ties, order: Integers, place: float
) -> tuple[float, np.uint64]:
    """Return the last value and tie that go below, of records in `order`."""
    split = _split(values[order], place)
    last, following = order[split - 1], order[split]
    distinct = values[last] < values[following]
    return float(values[last]), _LAST_TIE if distinct else ties[last]


def _as_arrays(
    cuts: list[tuple[int, Floats, Ties]], children: list[list[int]], classes: int
) -> Cuts:
    next_cut = np.array(children, dtype=np.int64).reshape(-1, 2)
    return Cuts(
        np.array([column for column, _, _ in cuts], dtype=np.int64),
        np.array([value for _, value, _ in cuts], dtype=np.float64).reshape(-1, classes),
        np.array([tie for _, _, tie in cuts], dtype=np.uint64).reshape(-1, classes),
        below=next_cut[:, 0],
        above=next_cut[:, 1],
    )


def _split(values: Floats, place: float) -> int:
    """Return how many of sorted values go below: about `place`, up to a step if one is near."""
    wanted = min(max(round(values.size * place), 1), values.size - 1)
    reach = int(values.size * WINDOW)
    first, end = max(wanted - reach, 1), min(wanted + reach, values.size - 1) + 1
    steps = first + np.flatnonzero(values[first - 1 : end - 1] < values[first:end])
    return int(steps[np.argmin(np.abs(steps - wanted))]) if steps.size else wanted
