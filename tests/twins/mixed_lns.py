"""Large-neighbourhood search on mixed records in plain Python, with the same random numbers.

Losses come from the records of a group, without sums that are kept and updated.
"""

from __future__ import annotations

import math
from itertools import chain

import numpy as np

from microagg.prepare.records import Records
from tests.twins.mixed import Rows
from tests.twins.mixed_refine import ROUNDING, Losses, Refining
from tests.twins.splitmix import Stream

SHAKEN, MOST_SWAPS, LOOK_AROUND, ROUNDS = 0.3, 3, 40, 6


class Searching(Refining):
    """Groups that are broken up and rebuilt."""

    def __init__(self, losses: Losses, labels: Rows, k: int, width: int) -> None:
        super().__init__(losses, labels)
        self.k, n_groups = k, max(labels.size // k, 1)
        self.groups += [[] for _ in range(n_groups - len(self.groups))]
        self.costs += [0.0] * (n_groups - len(self.costs))
        self.width = min(width, n_groups)
        self.free = [group for group, rows in enumerate(self.groups) if not rows][::-1]

    def look_around(self) -> None:
        """Find the groups whose representatives are nearest to each group's."""
        self.near = []
        for group, rows in enumerate(self.groups):
            others = [g for g, members in enumerate(self.groups) if members and g != group]
            gaps = {g: self._apart(group, g) for g in others} if rows else {}
            self.near.append(sorted(gaps, key=lambda g: (gaps[g], g))[: self.width])

    def _apart(self, one: int, two: int) -> float:
        apart = 0.0
        for j in range(len(self.losses.rules)):
            ours, theirs = self._middle(one, j), self._middle(two, j)
            if ours is not None and theirs is not None:
                apart += float(self.losses._gaps(j, np.array([ours]), theirs)[0])
        return apart

    def _middle(self, group: int, j: int) -> float | None:
        losses = self.losses
        rows = [row for row in self.groups[group] if not losses.blank[row, j]]
        if not rows:
            return None
        values, weights = losses.values[rows, j], losses.weights[rows]
        if losses.rules[j] == 0 and losses.forms[j] == 0:
            return float(np.sum(weights * values) / np.sum(weights))
        if losses.forms[j] == 3:
            masses = {v: float(weights[values == v].sum()) for v in np.unique(values)}
            return float(max(masses, key=lambda v: (masses[v], -v)))
        return float(np.sort(values)[len(rows) // 2])

    def choose(self, row: int, wanted: int, least: float, stream: Stream) -> list[int]:
        """Choose a record's own group and near ones that it adds little to."""
        own = int(self.labels[row])
        drawn = []
        for at, group in enumerate(self.near[own]):
            if group != own and self.groups[group]:
                added = self.after(group, into=row) + least
                drawn.append((added * (1.0 + stream.uniform()), at, group))
        return list(dict.fromkeys([own, *(group for _, _, group in sorted(drawn))]))[:wanted]

    def rebuild(self, chosen: list[int], least: float, stream: Stream) -> int:
        """Make new groups of the records of those chosen; returns how many."""
        rows, q = list(chain(*(self.groups[group] for group in chosen))), len(chosen)
        if stream.uniform() < SHAKEN:
            for _ in range(1 + stream.below(MOST_SWAPS)):
                row, other = rows[stream.below(len(rows))], rows[stream.below(len(rows))]
                if self.labels[row] != self.labels[other]:
                    self.swap(row, other)
            return q
        m, k = len(rows), self.k
        fewest, most = max(-(-m // (2 * k - 1)), q - 1), min(m // k, q + 1)
        g = fewest + stream.below(most - fewest + 1)
        if g > q:
            chosen.append(self.free[-1])
        for group in chosen:
            self.groups[group] = []
        self._grow_all(chosen[:g], rows, least, stream)
        self._settle(*chosen)
        return g

    def _grow_all(self, groups: list[int], rows: list[int], least: float, stream: Stream) -> None:
        spread = stream.uniform() < 0.5
        left, seed = list(rows), rows[stream.below(len(rows))]
        for i, group in enumerate(groups):
            if i and spread:
                seed = self._farthest(groups[i - 1], left, least)
            elif i:
                seed = left[stream.below(len(left))]
            self.grow(left, seed, group, self.k, least)
            left = [row for row in left if row not in self.groups[group]]
        for row in left:
            best, best_cost = -1, 0.0
            for group in groups:
                if len(self.groups[group]) < 2 * self.k - 1:
                    before = self.losses.of(self.groups[group])
                    cost = self.losses.of([*self.groups[group], row]) - before
                    if best < 0 or cost < best_cost - least:
                        best, best_cost = group, cost
            self.groups[best].append(row)

    def _farthest(self, group: int, left: list[int], least: float) -> int:
        best, best_cost = -1, 0.0
        for row in left:
            cost = self.losses.of([*self.groups[group], row])
            if best < 0 or cost > best_cost + least:
                best, best_cost = row, cost
        return best

    def exchange(self, rows: list[int], groups: list[int], least: float) -> None:
        """Shift and swap records among some groups until nothing gains."""
        self.least, quiet = least, 0
        for i in range(ROUNDS * len(rows)):
            if quiet == len(rows):
                break
            quiet = 0 if self._improve(rows[i % len(rows)], groups, self.k, None) else quiet + 1

    def settle(self, chosen: list[int], q: int, g: int) -> None:
        """Use a free number for a group more, or return one."""
        if g > q:
            new = self.free.pop()
            near = self.near[chosen[0]]
            self.near[new] = [*near[: self.width - 1], chosen[0]]
        self.free += chosen[g:q]


def anneal(
    records: Records,
    labels: Rows,
    k: int,
    steps: int,
    seed: int,
    heats: tuple[float, float],
    most: int,
    width: int,
) -> tuple[Rows, Rows, int, float]:
    """Search; returns the labels at the end, the best ones, how many were accepted, and the best loss."""
    search, stream = Searching(Losses(records), labels, k, width), Stream(seed)
    least = ROUNDING * sum(search.costs) / labels.size
    search.look_around()
    best, now, lowest, accepted, heat = labels.copy(), 0.0, 0.0, 0, heats[0]
    cooling = (heats[1] / heat) ** (1.0 / max(steps, 1)) if heat > 0.0 else 1.0
    for step in range(steps):
        if (step + 1) % (LOOK_AROUND * len(search.groups)) == 0:
            search.look_around()
        heat *= cooling
        row, wanted = stream.below(labels.size), 2 + stream.below(most - 1)
        chosen = search.choose(row, wanted, least, stream)
        q, before = len(chosen), {group: list(search.groups[group]) for group in chosen}
        rows, old = list(chain(*before.values())), sum(search.costs[group] for group in chosen)
        if q < 2 or old <= least:
            continue
        g = search.rebuild(chosen, least, stream)
        search.exchange(rows, chosen[:g], least)
        change = sum(search.costs[group] for group in chosen[:g]) - old
        local = heat * old / len(rows)
        if abs(change) <= least or (
            change > 0.0 and stream.uniform() >= (math.exp(-change / local) if local > 0.0 else 0.0)
        ):
            for group in chosen:
                search.groups[group] = before.get(group, [])
            search._settle(*chosen)
            continue
        search.settle(chosen, q, g)
        accepted += 1
        now += change
        if now < lowest:
            lowest, best = now, search.labels.copy()
    groups = [np.flatnonzero(best == group).tolist() for group in np.unique(best)]
    return search.labels, best, accepted, sum(search.losses.of(rows) for rows in groups)
