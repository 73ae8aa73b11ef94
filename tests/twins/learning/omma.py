"""OMMA again in plain Python: short and obviously right, for small data."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tests.twins.space import distances

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Pairs = list[tuple[int, int]]

STAYS = 1e-12


def similar_pairs(columns: Floats, width: int, least: int, order: str) -> Pairs:
    """List the pairs within half the largest distance, offered by one of both records.

    Where these are few, each record offers its `least` nearest as well.
    """
    n = columns.shape[1]
    everyone = np.arange(n)
    gaps = np.array([distances(columns, everyone, columns[:, row]) for row in everyone])
    threshold = 0.5 * math.sqrt(gaps.max())
    offered = []
    for row in range(n):
        near = sorted((gaps[row, other], other) for other in range(n) if other != row)[:width]
        offered += [(r, gap, row, other) for r, (gap, other) in enumerate(near)]
    close = [o for o in offered if math.sqrt(o[1]) <= threshold]
    if len(close) < least * n:
        close = [o for o in offered if o[0] < least or math.sqrt(o[1]) <= threshold]
    if order == "rank":
        return [(row, other) for _, _, row, other in sorted(close, key=lambda o: (o[0], o[2]))]
    if order == "matrix":
        return sorted({(max(row, other), min(row, other)) for _, _, row, other in close})
    both = {(row, other) for _, _, row, other in close}
    once = [o for o in close if o[2] < o[3] or (o[3], o[2]) not in both]
    return [(row, other) for _, _, row, other in sorted(once, key=lambda o: (o[1], o[0], o[2]))]


class Automaton:
    """Groups of records in states from 1, most certain, to `depth`, the boundary."""

    def __init__(self, columns: Floats, labels: Labels, depth: int) -> None:
        self.X = columns.T.tolist()
        self.labels = labels.tolist()
        self.depth = depth
        self.states = [depth] * len(self.X)
        self.members = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]

    def mean(self, group: int) -> list[float]:
        totals = [0.0] * len(self.X[0])
        for row in self.members[group]:  # not sum(), which rounds in a way of its own
            totals = [total + value for total, value in zip(totals, self.X[row], strict=True)]
        return [total / len(self.members[group]) for total in totals]

    def error(self) -> float:
        total = 0.0
        for row, group in zip(self.X, self.labels, strict=True):
            for value, mean in zip(row, self.mean(group), strict=True):
                total += (value - mean) ** 2
        return total

    def learn(self, pairs: Pairs) -> Pairs:
        """Read the list once and return the pairs that stay in it."""
        left = []
        for i, j in pairs:
            helps = True
            inside_i, inside_j = self.states[i] < self.depth, self.states[j] < self.depth
            if self.labels[i] == self.labels[j]:
                self.states[i] = max(self.states[i] - 1, 1)
                self.states[j] = max(self.states[j] - 1, 1)
            elif inside_i and inside_j:
                self.states[i] += 1
                self.states[j] += 1
            elif inside_i or inside_j:
                helps = self.exchange_best([(i, j)] if inside_i else [(j, i)])
            else:
                self.exchange_best([(i, j), (j, i)])
            if helps:
                left.append((i, j))
        return left

    def exchange_best(self, invitations: list[tuple[int, int]]) -> bool:
        """Do the best exchange that brings a guest to a host, if the error does not grow."""
        exchanges = [
            (self.change(member, guest), turn, place, member, guest)
            for turn, (host, guest) in enumerate(invitations)
            for place, member in enumerate(self.members[self.labels[host]])
            if member != host
        ]
        change, _, _, row, other = min(exchanges)
        if change > 0:
            return False
        here, there = self.labels[row], self.labels[other]
        self.members[here] = [other if r == row else r for r in self.members[here]]
        self.members[there] = [row if r == other else r for r in self.members[there]]
        self.labels[row], self.labels[other] = there, here
        self.states[row] = self.states[other] = self.depth
        return True

    def change(self, row: int, other: int) -> float:
        here, there = self.labels[row], self.labels[other]
        cross = between = 0.0
        means = zip(self.mean(here), self.mean(there), strict=True)
        for x, y, (a, b) in zip(self.X[row], self.X[other], means, strict=True):
            cross += (x - y) * (a - b)
            between += (x - y) * (x - y)
        sizes = 1.0 / len(self.members[here]) + 1.0 / len(self.members[there])
        return 2.0 * cross - between * sizes


def omma(columns: Floats, labels: Labels, depth: int, pairs: Pairs, cycles: int) -> Labels:
    """Learn until a cycle leaves the error as it is."""
    automaton = Automaton(columns, labels, depth)
    error = automaton.error()
    for _ in range(cycles):
        pairs = automaton.learn(pairs)
        before, error = error, automaton.error()
        if error >= before * (1 - STAYS):
            break
    return np.array(automaton.labels, dtype=np.int32)
