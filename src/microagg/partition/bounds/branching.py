"""Branch and bound over listed groups: a higher bound, and better partitions.

Two records share a group or they do not. A node of the tree has decided that for some pairs, which leaves
fewer groups, and its linear program bounds every partition of these. A group is dropped if its reduced cost
alone brings a partition to the target. Open nodes are looked at in the order of their bounds, so that the
lowest bound of them holds for all partitions whenever the search stops.

Dives look for better partitions: from a node, one pair after the other is joined, mostly the one that the
solution joins most, until the solution is a partition or costs too much. A better partition lowers the
target, and fewer groups and nodes remain.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.partition.bounds.listed_program import ListedProgram, ListedSolution
from microagg.typing import Floats, Rows

WHOLE = 1e-6
"""Shares so near to 0 or 1 are whole."""

CANDIDATES, STEPS = 12, 150
"""Pairs that are tried before one is decided, and steps of the solver for each trial."""

DIVES, DIVES_LATER, NODES_A_DIVE = 2, 1, 10
"""Dives in a row that may fail at the root and at a later node, and nodes from one dive to the next.

On Census with k = 5, a dive takes as long as ten nodes, and most dives find nothing."""

MOST_NODES = 200
"""Nodes that are divided if there is no time limit."""

DARING = 2.0
"""The mean place, in the order of their shares, of the pairs that dives join."""

Pair = tuple[int, int]


@dataclass(order=True, frozen=True)
class OpenNode:
    """An open node: what bounds it, and the groups that a partition below the target can hold."""

    bound: float
    number: int
    groups: Rows = field(compare=False)
    costs: Floats = field(compare=False)
    shares: Floats = field(compare=False)
    basis: Any = field(compare=False)

    def below(self, target: float) -> Rows:
        """Return the groups that a partition below a target can hold."""
        return self.groups[self.costs <= target - self.bound]


class Branching:
    """A search tree.

    Parameters
    ----------
    program : ListedProgram
        The groups to choose from.
    target : float
        Partitions that cost as much or more are not looked for.
    seconds_left : function
        The time left.
    ticker : int64[2]
        Stops it.

    Attributes
    ----------
    target : float
        The error of the best partition found, or else the target given.
    chosen : int64[groups] or None
        The numbers of the groups of the best partition found; None if it found none below the target.
    nodes : int
        Nodes that have been divided.
    """

    def __init__(
        self,
        program: ListedProgram,
        target: float,
        seconds_left: Callable[[], float],
        ticker: Ticker,
    ) -> None:
        self._program, self._left, self._ticker = program, seconds_left, ticker
        self.target, self.chosen, self.nodes = target, None, 0
        self._rng = np.random.default_rng(0)
        self._heap: list[OpenNode] = []
        self._ended = np.inf  # the lowest bound of nodes that are partitions or were given up
        self._started = self._numbered = 0

    chosen: Rows | None

    @property
    def bound(self) -> float:
        """What no partition of the groups can beat; 0 before the first solution."""
        lowest = self._heap[0].bound if self._heap else np.inf
        return min(lowest, self._ended, self.target) if self._started else 0.0

    def run(self) -> None:
        """Search until no node is open or there is no time left."""
        every = np.ones(len(self._program.groups), dtype=bool)
        root = self._program.solve(every, None, self._left())
        if root is None:
            return
        self._started = 1
        self._open(root, 0.0)
        self._dive(DIVES)
        while self._is_open() and self._goes_on():
            self._divide(heapq.heappop(self._heap))
            if self.nodes % NODES_A_DIVE == 0:
                self._dive(DIVES_LATER)
        if not self._is_open():
            self._heap.clear()

    def _is_open(self) -> bool:
        """Tell whether a node can still hold a partition below the target."""
        return bool(self._heap) and self._heap[0].bound < self.target

    def _goes_on(self) -> bool:
        left = self._left()
        ends = math.isfinite(left) or self.nodes < MOST_NODES
        return ends and self._ticker[1] == 0 and left > 0

    def _open(self, node: ListedSolution, least: float) -> None:
        """Keep a node open unless its partitions cost too much; `least` is the bound of its parent."""
        bound = max(node.bound, least)
        if bound < self.target:
            kept = np.flatnonzero(node.costs <= self.target - node.bound)
            self._numbered += 1
            costs = node.costs[kept] - (bound - node.bound)
            heapq.heappush(
                self._heap,
                OpenNode(bound, self._numbered, kept, costs, node.shares[kept], node.basis),
            )

    def _divide(self, node: OpenNode) -> None:
        """Decide a pair of a node both ways."""
        allowed = self._allowed(node.below(self.target))
        pairs = self._fractional(node.groups, node.shares)
        if not pairs:
            self._take(node.groups, node.shares)
            self._ended = min(self._ended, node.bound)
            return
        row, other = self._best_pair(node, allowed, pairs)
        children = []
        for together in (True, False):
            child = self._child(allowed, row, other, together)
            children.append(self._program.solve(child, node.basis, self._left()))
        if any(child is None for child in children):
            self._ended = min(
                self._ended, node.bound
            )  # no time, or the solver failed: it stays open
            return
        self.nodes += 1
        for solved in children:
            if solved is not None:
                self._open(solved, node.bound)

    def _allowed(self, numbers: Rows) -> NDArray[np.bool_]:
        allowed = np.zeros(len(self._program.groups), dtype=bool)
        allowed[numbers] = True
        return allowed

    def _child(
        self, allowed: NDArray[np.bool_], row: int, other: int, together: bool
    ) -> NDArray[np.bool_]:
        """Return the groups that are left once a pair is together or apart."""
        first, second = self._program.holders(row), self._program.holders(other)
        return allowed & ~((first ^ second) if together else (first & second))

    def _fractional(self, numbers: Rows, shares: Floats) -> dict[Pair, float]:
        """Return how much of each pair a solution joins, for the pairs it joins in part."""
        joined: dict[Pair, float] = defaultdict(float)
        mixed = (shares > WHOLE) & (shares < 1 - WHOLE)
        for number, share in zip(numbers[mixed].tolist(), shares[mixed].tolist(), strict=True):
            for pair in combinations(self._program.groups[number].tolist(), 2):
                joined[pair] += share
        return {pair: share for pair, share in joined.items() if WHOLE < share < 1 - WHOLE}

    def _best_pair(
        self, node: OpenNode, allowed: NDArray[np.bool_], pairs: dict[Pair, float]
    ) -> Pair:
        """Return the pair that raises the bounds of both children most, by a few steps of the solver."""
        undecided = sorted(pairs, key=lambda pair: (abs(pairs[pair] - 0.5), pair))[:CANDIDATES]
        missing, best, most = self.target - node.bound, undecided[0], -1.0
        for pair in undecided:
            raised = []
            for together in (True, False):
                child = self._child(allowed, *pair, together)
                cost = self._program.estimate(child, node.basis, STEPS)
                raised.append(min(max(cost - node.bound, 1e-9 * missing), missing))
            if raised[0] * raised[1] > most:
                best, most = pair, raised[0] * raised[1]
            if not self._goes_on():
                break
        return best

    def _dive(self, futile: int) -> None:
        """Dive from the node of the lowest bound until so many dives in a row find nothing better."""
        failed = 0
        while failed < futile and self._goes_on() and self._is_open():
            before = self.target
            self._descend(self._heap[0])
            failed = failed + 1 if self.target == before else 0

    def _descend(self, node: OpenNode) -> None:
        """Join one pair after the other; where that costs too much, keep the pair apart."""
        allowed = self._allowed(node.below(self.target))
        numbers, shares, basis = node.groups, node.shares, node.basis
        while self._goes_on():
            pairs = self._fractional(numbers, shares)
            if not pairs:
                self._take(numbers, shares)
                return
            order = sorted(pairs, key=lambda pair: (-pairs[pair], pair))
            place = int(self._rng.exponential(DARING))
            pair = order[min(place, len(order) - 1)]
            for together in (True, False):
                child = self._program.solve(
                    self._child(allowed, *pair, together), basis, self._left()
                )
                if child is None:
                    return
                if child.bound < self.target:
                    break
            else:
                return
            allowed = child.costs <= self.target - child.bound
            numbers, basis = np.flatnonzero(allowed), child.basis
            shares = child.shares[numbers]

    def _take(self, numbers: Rows, shares: Floats) -> None:
        """Keep a solution that is a partition below the target."""
        chosen = numbers[shares > 0.5]
        rows: Sequence[Rows] = [self._program.groups[number] for number in chosen]
        members = np.concatenate([np.empty(0, dtype=np.int64), *rows])
        whole = members.size == self._program.n == np.unique(members).size
        error = float(self._program.errors[chosen].sum())
        if whole and error < self.target:
            self.target, self.chosen = error, chosen
