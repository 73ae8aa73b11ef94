"""Cuts: a kd-tree of a sample that tells each record its block of similar ones.

A node is cut across the column in which its records differ most, between two values where it can
be. Equal values are told apart by the records' ties, numbers without a meaning that stay with a
record, so even a million equal records can be cut into blocks of any size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Ties = NDArray[np.uint64]

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
    column, value, tie : int64[c], float64[c], uint64[c]
        The column that is cut, and the last value and tie that go below.
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

    def route(self, columns: Floats, ties: Ties) -> Integers:
        """Return the leaf of each record of float64[d, n]."""
        leaves = np.zeros(columns.shape[1], dtype=np.int64)
        waiting = [(0, np.arange(leaves.size))] if self.column.size else []
        while waiting:
            cut, rows = waiting.pop()
            values = columns[self.column[cut], rows]
            level = (values == self.value[cut]) & (ties[rows] > self.tie[cut])
            over = (values > self.value[cut]) | level
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
            highs[below, column], lows[above, column] = self.value[number], self.value[number]
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


def cut(sample: Floats, ties: Ties, n: int, block_size: int, place: float = MIDDLE) -> Cuts:
    """Return cuts that part n records, of which `sample` float64[d, m] is one, into leaves.

    A leaf has at most `block_size` records, as far as the sample can tell, and more than a fifth of
    that.
    """
    most = max(block_size * sample.shape[1] / n, 1)  # records of the sample in a leaf
    cuts: list[tuple[int, float, np.uint64]] = []
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
        split = _split(sample[column, order], place)
        last, following = order[split - 1], order[split]
        distinct = sample[column, last] < sample[column, following]
        tie = _LAST_TIE if distinct else ties[last]
        cuts.append((column, float(sample[column, last]), tie))
        children.append([0, 0])
        # From the other end next time; below is looked at first, so leaves are numbered in order.
        waiting.append((order[split:], number, 1, 1 - place))
        waiting.append((order[:split], number, 0, 1 - place))
    return _as_arrays(cuts, children)


def _as_arrays(cuts: list[tuple[int, float, np.uint64]], children: list[list[int]]) -> Cuts:
    next_cut = np.array(children, dtype=np.int64).reshape(-1, 2)
    return Cuts(
        np.array([column for column, _, _ in cuts], dtype=np.int64),
        np.array([value for _, value, _ in cuts], dtype=np.float64),
        np.array([tie for _, _, tie in cuts], dtype=np.uint64),
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
