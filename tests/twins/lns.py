"""Large-neighbourhood search again in plain Python and NumPy, with the same random numbers.

Errors come straight from the definition, member lists are lists: short and slow, for small data.
"""

from __future__ import annotations

import math
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tests.twins.splitmix import Stream

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Group = list[int]


def error(X: Floats, rows: Group) -> float:
    """Sum of squared distances to the mean."""
    return float(np.sum((X[rows] - X[rows].mean(axis=0)) ** 2))


def total(X: Floats, groups: list[Group]) -> float:
    """Error of some groups."""
    return sum(error(X, rows) for rows in groups)


def least_change(X: Floats, groups: list[Group]) -> float:
    """The smallest change that is not rounding."""
    rows = list(chain(*groups))
    return 1e-10 * total(X, groups) + 1e-14 * float(np.sum((X[rows] - X[rows[0]]) ** 2))


class Search:
    """Groups by slot, which slots are free, and which are near each other."""

    def __init__(self, X: Floats, labels: Labels, k: int, width: int) -> None:
        self.X, self.k = X, k
        self.slots = [
            np.flatnonzero(labels == slot).tolist() for slot in range(max(len(X) // k, 1))
        ]
        self.width = min(width, len(self.slots))
        self.free = [slot for slot, rows in enumerate(self.slots) if not rows][::-1]
        self.near: list[list[int]] = [[-1] * self.width for _ in self.slots]

    def mean(self, slot: int) -> Floats:
        mean: Floats = self.X[self.slots[slot]].mean(axis=0)
        return mean

    def labels(self) -> Labels:
        labels = np.empty(len(self.X), dtype=np.int32)
        for slot, rows in enumerate(self.slots):
            labels[rows] = slot
        return labels

    def look_around(self) -> None:
        filled = [slot for slot, rows in enumerate(self.slots) if rows]
        for slot in filled:
            gaps = {s: np.sum((self.mean(s) - self.mean(slot)) ** 2) for s in filled if s != slot}
            nearest = sorted(gaps, key=lambda s: (gaps[s], s))[: self.width]
            self.near[slot] = nearest + [-1] * (self.width - len(nearest))

    def choose(self, row: int, wanted: int, stream: Stream) -> list[int]:
        own = next(slot for slot, rows in enumerate(self.slots) if row in rows)
        drawn = []
        for at, slot in enumerate(self.near[own]):
            if slot >= 0 and self.slots[slot]:
                gap = np.sum((self.X[row] - self.mean(slot)) ** 2)
                drawn.append((gap * (1.0 + stream.uniform()), at, slot))
        chosen = list(dict.fromkeys([own, *(slot for _, _, slot in sorted(drawn))]))
        return chosen[:wanted]

    def sweep(self, most: int) -> float:
        change = 0.0
        for slot in range(len(self.slots)):
            if self.slots[slot]:
                chosen = [slot, *(near for near in self.near[slot][: most - 1] if near >= 0)]
                groups = [self.slots[slot] for slot in chosen]
                rows, old = list(chain(*groups)), total(self.X, groups)
                better = descend(self.X, groups, rows, self.k)
                more = total(self.X, better) - old
                if more < -least_change(self.X, groups):
                    self.put_back(chosen, better, rows)
                    change += more
        return change

    def put_back(self, chosen: list[int], rebuilt: list[Group], rows: Group) -> None:
        for _ in range(len(chosen), len(rebuilt)):
            new = self.free.pop()
            self.near[new] = [*self.near[chosen[0]][:-1], chosen[0]]
            chosen.append(new)
        for slot in chosen:
            self.slots[slot] = []
        for slot, group in zip(chosen, rebuilt, strict=False):
            self.slots[slot] = [row for row in rows if row in group]
        self.free += chosen[len(rebuilt) :]


def anneal(
    X: Floats,
    labels: Labels,
    k: int,
    steps: int,
    seed: int,
    heats: tuple[float, float],
    most: int,
    width: int,
    sweeps: int,
    look_around: int,
) -> tuple[Labels, Labels, int, int]:
    """Search; returns what the kernel does."""
    search, stream = Search(X, labels, k, width), Stream(seed)
    search.look_around()
    now = lowest = sum(search.sweep(most) for _ in range(sweeps))
    best, accepted, heat = search.labels(), 0, heats[0]
    for step in range(steps):
        if (step + 1) % (look_around * len(search.slots)) == 0:
            search.look_around()
        heat *= (heats[1] / heats[0]) ** (1.0 / steps) if heats[0] else 1.0
        row = stream.below(len(X))
        chosen = search.choose(row, 2 + stream.below(most - 1), stream)
        groups = [search.slots[slot] for slot in chosen]
        rows, old = list(chain(*groups)), total(X, groups)
        rebuilt = descend(X, rebuild(X, groups, k, stream), rows, k)
        change = total(X, rebuilt) - old
        if abs(change) <= least_change(X, groups):
            continue
        unit = heat * old / len(rows)
        if change > 0 and stream.uniform() >= (math.exp(-change / unit) if unit > 0 else 0.0):
            continue
        search.put_back(chosen, rebuilt, rows)
        accepted, now = accepted + 1, now + change
        if now < lowest:
            lowest, best = now, search.labels()
    return search.labels(), best, steps, accepted


def rebuild(X: Floats, groups: list[Group], k: int, stream: Stream) -> list[Group]:
    """Shake the groups, or grow new ones."""
    rows, q = list(chain(*groups)), len(groups)
    if stream.uniform() < 0.3:
        return shake(rows, groups, stream)
    fewest = max(-(-len(rows) // (2 * k - 1)), q - 1)
    g = fewest + stream.below(min(len(rows) // k, q + 1) - fewest + 1)
    return grow(X, rows, g, k, stream)


def shake(rows: Group, groups: list[Group], stream: Stream) -> list[Group]:
    """Swap up to three pairs."""
    groups = [list(group) for group in groups]
    for _ in range(1 + stream.below(3)):
        i, j = rows[stream.below(len(rows))], rows[stream.below(len(rows))]
        a, b = (next(g for g in groups if row in g) for row in (i, j))
        if a is not b:
            a.remove(i)
            b.remove(j)
            a.append(j)
            b.append(i)
    return groups


def grow(X: Floats, rows: Group, g: int, k: int, stream: Stream) -> list[Group]:
    """Grow groups of k from seeds; the rest joins where it costs least."""
    by_mean, spread = stream.uniform() < 0.5, stream.uniform() < 0.5
    seed, left = rows[stream.below(len(rows))], list(rows)
    groups: list[Group] = []
    for _ in range(g):
        if groups and spread:
            seed = max(left, key=lambda row: (between(X, row, seed), -rows.index(row)))
        elif groups:
            seed = left[stream.below(len(left))]
        group = [seed]
        left.remove(seed)
        for _ in range(k - 1):
            sources = group if by_mean else [seed]
            nearest = min(left, key=lambda row: sum(between(X, row, other) for other in sources))
            group.append(nearest)
            left.remove(nearest)
        groups.append(group)
    for row in left:
        room = [group for group in groups if len(group) < 2 * k - 1]
        min(room, key=lambda group: error(X, [*group, row]) - error(X, group)).append(row)
    return groups


def between(X: Floats, row: int, other: int) -> float:
    """Squared distance of two records."""
    return float(np.sum((X[row] - X[other]) ** 2))


def descend(X: Floats, groups: list[Group], rows: Group, k: int) -> list[Group]:
    """Do the best shift or swap of one record after the other while that helps."""
    least = least_change(X, groups)
    quiet = at = 0
    while quiet < len(rows):
        better = improved(X, groups, rows[at], k, least)
        groups, quiet = (better, 0) if better else (groups, quiet + 1)
        at = (at + 1) % len(rows)
    return groups


def improved(X: Floats, groups: list[Group], row: int, k: int, least: float) -> list[Group] | None:
    """Groups after the best shift or swap of a record, if one gains."""
    a = next(g for g, group in enumerate(groups) if row in group)
    rest = [other for other in groups[a] if other != row]
    best, found = -least, None
    for b, group in enumerate(groups):
        if b == a:
            continue
        before = error(X, groups[a]) + error(X, group)
        tries = [([*rest, y], [row, *(o for o in group if o != y)]) for y in group]
        if len(groups[a]) > k and len(group) < 2 * k - 1:
            tries.append((rest, [*group, row]))
        for ours, theirs in tries:
            change = error(X, ours) + error(X, theirs) - before
            if change < best:
                best, found = change, (b, ours, theirs)
    if found is None:
        return None
    b, ours, theirs = found
    return [ours if g == a else theirs if g == b else group for g, group in enumerate(groups)]
